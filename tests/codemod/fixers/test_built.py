"""A layer that is built at every step is built once, where the constructor knows all it takes."""

from __future__ import annotations

import pytest

from ..rewriting import changes, noisy, proposed

END = "\nreturn StatefulModuleOutput(state, y, 0.0, {})"
INIT = "self.width = 3"

MOVED = {
    "in the pass": (
        "y = nnx.Linear(3, self.width, rngs=self.rngs)(x)",
        "+self.linear = nnx.Linear(3, self.width, rngs=self.rngs)\n"
        "-y = nnx.Linear(3, self.width, rngs=self.rngs)(x)\n"
        "+y = self.linear(x)",
    ),
    "under a name that is taken": (
        "y = nnx.LayerNorm(3, rngs=self.rngs)(x) + self.layer_norm",
        "+self.layer_norm_2 = nnx.LayerNorm(3, rngs=self.rngs)\n"
        "-y = nnx.LayerNorm(3, rngs=self.rngs)(x) + self.layer_norm\n"
        "+y = self.layer_norm_2(x) + self.layer_norm",
    ),
    "two of them": (
        "y = nnx.Linear(3, 3, rngs=self.rngs)(x)\ny = nnx.Embed(3, 3, rngs=self.rngs).attend(y)",
        "+self.linear = nnx.Linear(3, 3, rngs=self.rngs)\n"
        "+self.embed = nnx.Embed(3, 3, rngs=self.rngs)\n"
        "-y = nnx.Linear(3, 3, rngs=self.rngs)(x)\n"
        "-y = nnx.Embed(3, 3, rngs=self.rngs).attend(y)\n"
        "+y = self.linear(x)\n"
        "+y = self.embed.attend(y)",
    ),
}


@pytest.mark.parametrize(("before", "after"), MOVED.values(), ids=MOVED)
def test_a_layer_is_built_in_the_constructor(before: str, after: str) -> None:
    assert changes(noisy(before + END, init=INIT)) == after


def test_who_reads_the_proposal_is_told_that_the_layer_trains_now() -> None:
    (proposal,) = proposed(noisy("y = nnx.Linear(3, 3, rngs=self.rngs)(x)" + END))
    assert proposal.reason == "`self.linear` is built once, and trains"


LEFT = {
    "of the input": "y = nnx.Linear(x.shape[-1], 3, rngs=self.rngs)(x)",
    "in a loop": "y = x\nfor _ in range(2):\n    y = nnx.Linear(3, 3, rngs=self.rngs)(y)",
    "of what the constructor has not": "y = nnx.Linear(3, self.depth, rngs=self.rngs)(x)",
    "of a call": "y = nnx.Linear(3, int(self.width), rngs=self.rngs)(x)",
    "of a local name": "width = 3\ny = nnx.Linear(3, width, rngs=self.rngs)(x)",
    "in a helper that is called twice": "y = self.layer()(self.layer()(x))",
}


@pytest.mark.parametrize("body", LEFT.values(), ids=LEFT)
def test_a_layer_that_may_not_fit_there_stays(body: str) -> None:
    members = """
    depth = property(lambda self: 3)

    def layer(self):
        return nnx.Linear(3, 3, rngs=self.rngs)
    """
    (proposal,) = proposed(noisy(body + END, init=INIT, members=members))
    assert not proposal.edits
    assert "is built in the forward pass; build it once" in proposal.reason


def test_a_constructor_that_may_return_early_is_left_alone() -> None:
    code = noisy(
        "y = nnx.Linear(3, 3, rngs=self.rngs)(x)" + END, init="if rngs is None:\n    return"
    )
    (proposal,) = proposed(code)
    assert "build it once" in proposal.reason
