"""Whatever the state was, the rewritten module keeps its promises."""

from __future__ import annotations

from pathlib import Path

import pytest
from judging import imported, read, run
from support import module

from flake8_nnx_rng.codemod.planning.plan import proposals
from flake8_nnx_rng.source import Document

from ..rewriting import PATH, noisy, rewritten

pytestmark = pytest.mark.slow
pytest.importorskip("nnx_ppo")

BEFORE = """
from typing import NamedTuple
from flax import struct
from nnx_ppo.networks.recurrent import LSTM

class Memory(NamedTuple):
    h: jax.Array

@struct.dataclass
class Record:
    h: jax.Array
    n: jax.Array
"""

ZERO = "jnp.zeros((batch_size, 3))"
STATES = {
    "nothing": ("()", "h = x", "()", "()"),
    "an array": (ZERO, "h = state", "h", "jnp.zeros_like(prev_state)"),
    "a tuple": (
        f"{ZERO}, jnp.zeros(batch_size)",
        "h, n = state",
        "(h, n + 1)",
        "jax.tree.map(jnp.zeros_like, prev_state)",
    ),
    "a dict": (
        f'{{"h": {ZERO}}}',
        'h = state["h"]',
        '{"h": h}',
        '{"h": jnp.zeros_like(prev_state["h"])}',
    ),
    "a dict that is changed": (
        f'{{"h": {ZERO}, "key": jnp.zeros(batch_size)}}',
        'h = state["h"]\nstate = dict(state, h=h)',
        "state",
        "jax.tree.map(jnp.zeros_like, prev_state)",
    ),
    "a dict that is built up": (
        f'{{"h": {ZERO}, "g": {ZERO}}}',
        'h = state["h"]\nnew = {}\nfor name in sorted(state):\n    new[name] = state[name] + 1',
        "new",
        "prev_state",
    ),
    "a named tuple": (f"Memory({ZERO})", "h = state.h", "Memory(h)", "Memory(prev_state.h * 0)"),
    "a named tuple with a change": (
        f"Memory({ZERO})",
        "h = state.h",
        "state._replace(h=h)",
        "jax.tree.map(jnp.zeros_like, prev_state)",
    ),
    "a record": (
        f"Record(h={ZERO}, n=jnp.zeros(batch_size))",
        "h = state.h",
        "state.replace(h=h)",
        "prev_state.replace(n=prev_state.n * 0)",
    ),
    "a child's": (
        "self.child.initialize_state(batch_size)",
        "out = self.child(state, x)\nh = out.output",
        "out.next_state",
        "self.child.reset_state(prev_state)",
    ),
}
"""By name the state at the start, how it is read, the next one, and the one after a reset."""

FLOWS = {
    "straight on": "y = h + x + self.rngs.normal(x.shape)\nreturn {out}",
    "on two paths": (
        "if x.ndim > 5:\n    return {out0}\ny = h + x + self.rngs.normal(x.shape)\nreturn {out}"
    ),
    "in a loop": (
        "y = h + x\nfor _ in range(2):\n    y = y + self.rngs.normal(x.shape)\nreturn {out}"
    ),
}


@pytest.mark.parametrize(
    "flow",
    [pytest.param(f, marks=[] if f == "straight on" else pytest.mark.thorough) for f in FLOWS],
)
@pytest.mark.parametrize("state", STATES)
def test_a_rewritten_module_keeps_its_promises(state: str, flow: str, tmp_path: Path) -> None:
    from flax import nnx

    np = pytest.importorskip("numpy")
    start, reading, following, reset = STATES[state]
    outputs = {
        name: f"StatefulModuleOutput({following}, {y}, jnp.array(0.0), {{}})"
        for name, y in (("out", "y"), ("out0", "x"))
    }
    source = module(
        noisy(
            f"{reading}\n{FLOWS[flow].format(**outputs)}",
            init="self.child = LSTM(3, 3, rngs)",
            before=BEFORE,
            members=f"""
            def initialize_state(self, batch_size):
                return {start}

            def reset_state(self, prev_state):
                return {reset}
            """,
        )
    )
    (proposal,) = proposals(Document(PATH, source))
    assert proposal.edits, proposal.reason
    after = rewritten(source, proposal)
    assert read(after, path=PATH) == []
    assert proposals(Document(PATH, after)) == []
    with imported(after, tmp_path) as file:
        report = run(file.M(nnx.Rngs(0)), np.zeros(3, np.float32))
    assert report.failed == ()
