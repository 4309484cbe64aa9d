"""Children that draw by themselves are handed keys, wherever in the module they are called."""

from __future__ import annotations

from flake8_nnx_rng.codemod.proposal import Safety

from ..rewriting import changes, proposed

NOISY = """
class Noisy(nnx.Module):
    def __init__(self, rngs):
        self.linear = nnx.Linear(3, 3, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x):
        return self.drop(self.linear(x))


class M(StatefulModule):
    def __init__(self, rngs):
        self.rngs = rngs
        self.first = Noisy(rngs)
        self.second = Noisy(rngs)

    def __call__(self, state, x, rollout_extras=None):
        return StatefulModuleOutput(state, self.second(self.first(x)), 0.0, {})
"""


def test_a_module_of_the_project_takes_a_key_at_each_of_its_calls() -> None:
    assert changes(NOISY).splitlines() == [
        "-def __call__(self, x):",
        "-return self.drop(self.linear(x))",
        "+def __call__(self, key, x):",
        "+return jax.vmap(lambda k, row: self.drop(row, rngs=k))(key, self.linear(x))",
        "-return StatefulModuleOutput(state, self.second(self.first(x)), 0.0, {})",
        "+state, use, use_2 = jax.vmap(lambda k: tuple(jax.random.split(k, 3)))(state)",
        "+return StatefulModuleOutput(state, self.second(use_2, self.first(use, x)), 0.0, {})",
    ]


def test_others_that_call_such_a_module_have_to_know() -> None:
    (proposal,) = proposed(NOISY)
    assert proposal.safety is Safety.UNSAFE
    assert proposal.reason == "`Noisy.__call__` takes a key now"


def test_objects_that_are_not_all_seen_stop_the_rewrite() -> None:
    (proposal,) = proposed(
        NOISY.replace("self.second = Noisy(rngs)", "self.second = [Noisy(rngs)][0]")
    )
    assert proposal.safety is Safety.NONE
    assert "objects of `Noisy` are held elsewhere" in proposal.reason


def test_a_sequence_of_layers_gets_streams_that_give_each_of_them_its_own_key() -> None:
    code = """
    class M(StatefulModule):
        def __init__(self, rngs):
            self.rngs = rngs
            self.net = nnx.Sequential(nnx.Dropout(0.5, rngs=rngs), nnx.Dropout(0.1, rngs=rngs))

        def __call__(self, state, x, rollout_extras=None):
            y = self.net(x)
            return StatefulModuleOutput(state, y, 0.0, {})
    """
    assert changes(code).splitlines() == [
        "-y = self.net(x)",
        "+y = jax.vmap(lambda k, row: self.net(row, rngs=nnx.Rngs(k)))(use, x)",
    ]
