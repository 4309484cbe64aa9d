"""NNX405: a key that is folded into is not split as well, in this step or in the next."""

from __future__ import annotations

import textwrap

import pytest
from support import marked, reported

MODULE = """
    class M(StatefulModule):
        code = 'NNX405'

        def __init__(self, rngs: nnx.Rngs):
            self.rngs = rngs

        def initialize_state(self, batch_size):
            return jax.random.split(self.rngs(), batch_size)

        def __call__(self, state, x, rollout_extras=None):
{body}
            return StatefulModuleOutput(state, x + noise, 0.0, {{}}){mark}
"""
SPLIT = "state, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(state)\n"
LOCAL = "noise = jax.vmap(lambda k, row: nnx.Rngs(k).normal(row.shape))(use, x)\n"
FOLD = "use = jax.vmap(lambda k: jax.random.fold_in(k, 0))({})\n"
DRAW = "noise = jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(use, x)\n"


def module(body: str, mark: str = "") -> str:
    return MODULE.format(body=textwrap.indent(body, 12 * " "), mark=mark)


RETURNED = {
    "a key of local streams": SPLIT + LOCAL + "state = use",
    "a key that is folded into": SPLIT
    + "half = use\n"
    + FOLD.format("half")
    + DRAW
    + "state = half",
}
SOUND = {
    "local streams of one half": SPLIT + LOCAL,
    "one half folded into": SPLIT + FOLD.format("use") + DRAW,
    "folded into in every step": (
        FOLD.format("state") + DRAW + "state = jax.vmap(lambda k: jax.random.fold_in(k, 1))(state)"
    ),
}


@pytest.mark.parametrize("name", RETURNED)
def test_a_key_that_is_folded_into_and_split_in_the_next_step_is_reported(name: str) -> None:
    code = module(RETURNED[name], "  # NNX405")
    assert reported(code) == marked(code)


def test_local_streams_fold_into_their_key() -> None:
    fold = "noise = jax.vmap(lambda k, row: nnx.Rngs(k).normal(row.shape))(state, x)\n"
    code = module(fold + SPLIT.replace("\n", "  # NNX405\n"))
    assert reported(code) == marked(code)


@pytest.mark.parametrize("name", SOUND)
def test_halves_that_are_used_in_one_way_are_not_reported(name: str) -> None:
    assert reported(module(SOUND[name])) == []
