"""NNX106 beyond its examples: constants that leave the code, and keys of unknown origin."""

from __future__ import annotations

import pytest
from support import codes_of, marked, reported


def test_a_constant_key_handed_to_unknown_code_is_reported_there() -> None:
    code = """
        class Scorer(StatefulModule):
            def __init__(self, score):
                self.score = score

            def __call__(self, state, x, rollout_extras=None):
                y = self.score(x, key=jax.random.key(0))  # NNX106
                return StatefulModuleOutput(state, y, 0.0, {})
    """
    assert marked(code)
    assert reported(code) == marked(code)


def test_a_carried_key_handed_to_unknown_code_is_silent() -> None:
    assert (
        codes_of("""
        class Scorer(StatefulModule):
            def __init__(self, score):
                self.score = score

            def __call__(self, key, x, rollout_extras=None):
                y = self.score(x, key=jax.vmap(lambda k: jax.random.fold_in(k, 1))(key))
                return StatefulModuleOutput(key, y, 0.0, {})
    """)
        == []
    )


def test_a_key_of_which_nothing_is_known_is_not_called_a_constant() -> None:
    assert (
        codes_of("""
        class Sampled(StatefulModule):
            def __init__(self, apply):
                self.apply = apply

            def __call__(self, state, x, rollout_extras=None):
                y = self.apply(lambda k: jax.random.normal(k, (3,)))
                return StatefulModuleOutput(state, x + y, 0.0, {})
    """)
        == []
    )


FORKED = {
    "a fork": "noise = nnx.Rngs(0).fork().normal(x.shape)",
    "a fork of a stream": "noise = nnx.Rngs(noise=0).fork().noise.normal(x.shape)",
    "splits": "noise = jax.random.normal(nnx.Rngs(0).split(2).default.key[0], x.shape)",
}


@pytest.mark.parametrize("name", FORKED)
def test_streams_that_constant_streams_give_out_are_constant(name: str) -> None:
    codes = codes_of(f"""
        class M(StatefulModule):
            def __call__(self, state, x, rollout_extras=None):
                {FORKED[name]}
                return StatefulModuleOutput(state, x + noise, 0.0, {{}})
    """)
    assert codes == ["NNX106"]
