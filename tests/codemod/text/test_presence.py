"""The first keys come from what is there, also where a constructor kept nothing."""

from __future__ import annotations

import textwrap

import pytest

from ..rewriting import fixed, proposed

MODULE = """
class M(StatefulModule):
    def __init__(self, rngs: nnx.Rngs, noisy: bool = True):
        {init}

    def __call__(self, state, x, rollout_extras=None):
        if self.rngs is None:
            return StatefulModuleOutput(state, x, 0.0, {{}})
        return StatefulModuleOutput(state, x + self.rngs.normal(x.shape), 0.0, {{}})
"""
PLAIN = "jax.random.split(self.rngs(), batch_size)"
GUARDED = (
    "jax.random.split(self.rngs() if self.rngs is not None else jax.random.key(0), batch_size)"
)

KEPT = {
    "as it is": ("self.rngs = rngs", PLAIN),
    "or something else": ("self.rngs = rngs or nnx.Rngs(0)", PLAIN),
    "after a test": ("if not noisy:\n    raise ValueError\nself.rngs = rngs", PLAIN),
    "with a type": ("self.rngs: nnx.Rngs = rngs", PLAIN),
    "in a block": ("with nnx.use_eager_sharding(False):\n    self.rngs = rngs", PLAIN),
    "on both ways": ("if noisy:\n    self.rngs = rngs\nelse:\n    self.rngs = rngs", PLAIN),
    "at times": ("self.rngs = rngs if noisy else None", GUARDED),
    "on one of two ways": (
        "if noisy:\n    self.rngs = rngs\nelif rngs:\n    self.rngs = None\n"
        "else:\n    self.rngs = None",
        GUARDED,
    ),
    "behind an early return": (
        "if not noisy:\n    self.rngs = None\n    return\nself.rngs = rngs",
        GUARDED,
    ),
}


@pytest.mark.parametrize(("init", "start"), KEPT.values(), ids=KEPT)
def test_the_first_keys_come_from_a_stream_if_there_is_one(init: str, start: str) -> None:
    assert f"        return {start}\n" in fixed(MODULE.format(init=_inside(init)))


def test_a_stream_that_is_none_by_default_may_be_none() -> None:
    code = MODULE.format(init="self.rngs = rngs").replace("rngs: nnx.Rngs,", "*, rngs=None,")
    assert f"        return {GUARDED}\n" in fixed(code)


MISSING = {
    "kept at times": "if noisy:\n    self.rngs = rngs",
    "kept on some ways": "if noisy:\n    self.rngs = rngs\nelif rngs:\n    pass",
    "behind an early return": "if not noisy:\n    return\nself.rngs = rngs",
    "behind a return in a loop": "for _ in range(3):\n    return\nself.rngs = rngs",
    "in a loop": "for _ in range(3):\n    self.rngs = rngs",
}


@pytest.mark.parametrize("init", MISSING.values(), ids=MISSING)
def test_a_stream_that_may_not_be_there_starts_no_keys(init: str) -> None:
    (proposal,) = proposed(MODULE.format(init=_inside(init)))
    assert not proposal.edits
    assert "`self.rngs` may not be there when its keys start" in proposal.reason


def _inside(body: str) -> str:
    return textwrap.indent(body, 8 * " ").lstrip()
