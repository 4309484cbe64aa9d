"""A sampler that puts its streams back to draw again stores its action instead."""

from __future__ import annotations

import textwrap

import pytest

from ..rewriting import fixed

MODULE = """
class M(ActionSampler):
    def __init__(self, rngs: nnx.Rngs):
        self.rngs = rngs

    def __call__(self, state, x, rollout_extras=None):
        {before}
        action = x + self.rngs.normal(x.shape)
        {after}
        score = -jnp.sum((action - x) ** 2, axis=-1)
        output = {{"action": action, "log_likelihood": score}}
        return StatefulModuleOutput((), output, 0.0, {{}}, {extras})
"""
COUNT = "count = jnp.broadcast_to(self.rngs.default.count[...], x.shape[:1])"
GIVEN = "if rollout_extras is not None:"
TAKEN = f"{GIVEN}\n            action = rollout_extras"

PUT_BACK = {
    "a count": (f"{GIVEN}\n    self.rngs.default.count[...] = rollout_extras[0]\n{COUNT}", ""),
    "a count, by a method": (
        f"{COUNT}\n{GIVEN}\n    self.rngs.default.count.set_value(rollout_extras[0])",
        "",
    ),
    "everything": (
        f"count = nnx.state(self.rngs)\n{GIVEN}\n    nnx.update(self.rngs, rollout_extras)",
        "",
    ),
    "a count beside something else": (
        f"{GIVEN}\n    x = x + 0.0\n    self.rngs.default.count[...] = rollout_extras[0]\n{COUNT}",
        f"{GIVEN}\n    x = x + 0.0",
    ),
}


@pytest.mark.parametrize(("before", "left"), PUT_BACK.values(), ids=PUT_BACK)
def test_what_puts_streams_back_goes_and_the_action_is_stored(before: str, left: str) -> None:
    code = MODULE.format(before=_inside(before), after="", extras="count")
    after = MODULE.format(before=_inside(left), after=TAKEN, extras="action")
    assert _lines(fixed(code)) == _lines(after)


def _inside(body: str) -> str:
    return textwrap.indent(body, 8 * " ").lstrip()


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]
