"""Classes that share a pass or a state are rewritten together, or not at all."""

from __future__ import annotations

from flake8_nnx_rng.codemod.proposal import Safety

from ..rewriting import BASE, HELPER, fixed, proposed


def test_a_subclass_with_a_state_of_its_own_changes_with_its_base() -> None:
    after = fixed(
        BASE
        + """

class Sub(Base):
    def initialize_state(self, batch_size):
        return ()

    def reset_state(self, prev_state):
        return ()
"""
    )
    assert after.count("return jax.random.split(self.rngs(), batch_size)") == 2
    assert "        return prev_state\n" in after


def test_several_passes_share_a_helper_of_their_base() -> None:
    after = fixed(
        HELPER
        + """

class One(Base):
    def __call__(self, state, x, rollout_extras=None):
        return StatefulModuleOutput((), x + self.noise(x), 0.0, {})


class Other(Base):
    def __call__(self, state, x, rollout_extras=None):
        return StatefulModuleOutput((), x - self.noise(x), 0.0, {})
"""
    )
    assert "def noise(self, key, x):" in after
    assert "x + self.noise(use, x)" in after
    assert "x - self.noise(use, x)" in after


def test_a_pass_that_would_get_a_state_that_it_does_not_expect_stops_the_rewrite() -> None:
    (proposal,) = proposed(
        BASE
        + """

class Sub(Base):
    def __call__(self, state, x, rollout_extras=None):
        return StatefulModuleOutput((), 2 * x, 0.0, {})
"""
    )
    assert proposal.safety is Safety.NONE
    assert "`Sub` has the state of `Base` and a pass of its own" in proposal.reason


def test_classes_with_faults_of_their_own_are_rewritten_each_by_itself() -> None:
    found = proposed(
        HELPER
        + """

class One(Base):
    def __call__(self, state, x, rollout_extras=None):
        return StatefulModuleOutput((), x + self.rngs.normal(x.shape), 0.0, {})


class Other(Base):
    def __call__(self, state, x, rollout_extras=None):
        return StatefulModuleOutput((), x @ self.rngs.normal((3, 3)), 0.0, {})
"""
    )
    assert [(p.name, p.safety) for p in found] == [("One", Safety.SAFE), ("Other", Safety.NONE)]
