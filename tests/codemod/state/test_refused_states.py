"""A state whose methods are not certain is left alone; one that is certain is extended in place."""

from __future__ import annotations

import pytest

from ..rewriting import changes, fixed, noisy, proposed

DRAW = "return StatefulModuleOutput(state, x + self.rngs.normal(x.shape), 0.0, {})"

REFUSED = {
    "a start without a size": (
        "def initialize_state(self, *sizes):\n    return ()",
        "its initialize_state takes no batch size by name",
    ),
    "a start that returns nothing": (
        "def initialize_state(self, size):\n    if size:\n        return\n    return ()",
        "its initialize_state returns nothing",
    ),
    "a reset without a state": (
        "def reset_state(self, *states):\n    return ()",
        "its reset_state takes no state by name",
    ),
    "a reset that returns nothing": (
        "def reset_state(self, prev_state):\n    return",
        "its reset_state returns nothing",
    ),
    "a reset that makes a state": (
        "def reset_state(self, prev_state):\n    return self.zero",
        "its reset_state makes a state where there was none",
    ),
}


@pytest.mark.parametrize(("members", "reason"), REFUSED.values(), ids=REFUSED)
def test_methods_that_are_not_certain_are_left_alone(members: str, reason: str) -> None:
    (proposal,) = proposed(noisy(DRAW, members=members))
    assert not proposal.edits
    assert proposal.reason == reason


PASSES = {
    "a pass without a state": (
        "def __call__(self, *args):\n"
        "    return StatefulModuleOutput((), args[1] + self.rngs.normal((3,)), 0.0, {})"
    ),
    "a pass that returns nothing": (
        "def __call__(self, state, x, rollout_extras=None):\n    x + self.rngs.normal(x.shape)"
    ),
    "a pass that binds its state again": (
        "def __call__(self, state, x, rollout_extras=None):\n"
        "    state = ()\n"
        "    return StatefulModuleOutput(state, x + self.rngs.normal(x.shape), 0.0, {})"
    ),
    "a pass in one line": (
        "def __call__(self, state, x, rollout_extras=None): "
        "return StatefulModuleOutput(state, x + self.rngs.normal(x.shape), 0.0, {})"
    ),
}


@pytest.mark.parametrize("entry", PASSES.values(), ids=PASSES)
def test_passes_that_are_not_certain_are_left_alone(entry: str) -> None:
    lines = "\n".join(f"    {line}" for line in entry.splitlines())
    for proposal in proposed(
        "class M(StatefulModule):\n    def __init__(self, rngs):\n        self.rngs = rngs\n\n"
        f"{lines}\n"
    ):
        assert not proposal.edits
        assert proposal.reason


def test_a_parameter_that_was_deleted_is_kept_now() -> None:
    assert "-del batch_size" in changes(
        noisy(
            DRAW,
            members="def initialize_state(self, batch_size):\n    del batch_size\n    return ()",
        )
    )


def test_a_comment_above_the_pass_stays_above_it() -> None:
    code = noisy(DRAW, members="# What the policy sees.\n# In two lines.")
    after = fixed(code)
    assert after.index("def initialize_state") < after.index("# What the policy sees.")


BASE = """
class Base(StatefulModule):
    def __init__(self, rngs):
        self.rngs = rngs

    def initialize_state(self, batch_size):
        return ()

    def reset_state(self, prev_state):
        return ()
"""


def test_an_empty_state_that_is_inherited_becomes_the_keys() -> None:
    after = fixed(
        BASE
        + """

class Sub(Base):
    def __call__(self, state, x, rollout_extras=None):
        return StatefulModuleOutput(state, x + self.rngs.normal(x.shape), 0.0, {})
"""
    )
    assert "    def reset_state(self, prev_state):\n        return prev_state\n" in after
    assert after.count("return jax.random.split(self.rngs(), batch_size)") == 1


def test_a_start_that_adds_to_the_base_s_is_left_alone() -> None:
    (proposal,) = proposed(
        BASE
        + f"""
    def __call__(self, state, x, rollout_extras=None):
        {DRAW}


class Sub(Base):
    def initialize_state(self, batch_size):
        return super().initialize_state(batch_size)
"""
    )
    assert proposal.reason == "`Sub` adds to what its base's initialize_state makes"
