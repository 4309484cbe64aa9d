"""Recurrent cells start with zeros, or with numbers that each env draws with a key of its own."""

from __future__ import annotations

import pytest

from ..rewriting import changes, noisy, proposed

END = "\nreturn StatefulModuleOutput(state, y, 0.0, {})"
INIT = """
self.zeros = nnx.GRUCell(3, 3, rngs=rngs)
self.random = nnx.LSTMCell(3, 3, carry_init=nnx.initializers.normal(), rngs=rngs)
self.rnn = nnx.RNN(nnx.GRUCell(3, 3, carry_init=nnx.initializers.normal(), rngs=rngs))
self.timed = nnx.RNN(self.random, time_major=True)
self.linen = nnx.bridge.ToNNX(Noise(), rngs=rngs)
"""

REWRITTEN = {
    "zeros": (
        "_, y = self.zeros(self.zeros.initialize_carry(x.shape, rngs=self.rngs), x)",
        "_, y = self.zeros(self.zeros.initialize_carry(x.shape, rngs=nnx.Rngs(0)), x)",
    ),
    "zeros, by position": (
        "_, y = self.zeros(self.zeros.initialize_carry(x.shape, self.rngs), x)",
        "_, y = self.zeros(self.zeros.initialize_carry(x.shape, nnx.Rngs(0)), x)",
    ),
    "numbers": (
        "_, y = self.random(self.random.initialize_carry(x.shape, rngs=self.rngs), x)",
        "_, y = self.random(jax.vmap(lambda k: self.random.initialize_carry(x.shape[1:], "
        "rngs=nnx.Rngs(k)))(use), x)",
    ),
    "numbers that are said in the call": (
        "_, y = self.zeros(self.zeros.initialize_carry((x.shape[0], 3), self.rngs, self.law), x)",
        "_, y = self.zeros(jax.vmap(lambda k: self.zeros.initialize_carry((3,), "
        "rngs=nnx.Rngs(k), carry_init=self.law))(use), x)",
    ),
    "a recurrent layer": (
        "y = self.rnn(x[:, None], rngs=self.rngs)[:, 0]",
        "y = self.rnn(x[:, None], initial_carry=jax.vmap(lambda k, row: "
        "self.rnn.cell.initialize_carry((*row.shape[:-2], row.shape[-1]), rngs=nnx.Rngs(k)))"
        "(use, x[:, None]))[:, 0]",
    ),
    "a layer of Linen": (
        "y = self.linen(x)",
        "y = jax.vmap(lambda k, row: self.linen(row, rngs=k))(use, x)",
    ),
}


@pytest.mark.parametrize(("before", "after"), REWRITTEN.values(), ids=REWRITTEN)
def test_what_starts_is_zero_or_drawn_per_env(before: str, after: str) -> None:
    assert changes(noisy(before + END, init=INIT)) == f"-{before}\n+{after}"


def test_a_reset_to_zeros_needs_no_stream() -> None:
    members = """
    def reset_state(self, prev_state):
        return self.zeros.initialize_carry(prev_state.shape, rngs=self.rngs)
    """
    code = noisy("state, y = self.zeros(state, x)" + END, init=INIT, members=members)
    assert changes(code) == (
        "-return self.zeros.initialize_carry(prev_state.shape, rngs=self.rngs)\n"
        "+return self.zeros.initialize_carry(prev_state.shape, rngs=nnx.Rngs(0))"
    )


REFUSED = {
    "time comes first": (
        "y = self.timed(x[:, None], rngs=self.rngs)[:, 0]",
        "may take its time first, or other axes",
    ),
    "time comes first in the call": (
        "y = self.rnn(x[:, None], time_major=True, rngs=self.rngs)[:, 0]",
        "may take its time first, or other axes",
    ),
    "a shape of something else": (
        "_, y = self.random(self.random.initialize_carry((1, 3), rngs=self.rngs), x)",
        "which axis of `(1, 3)` counts the envs",
    ),
}


@pytest.mark.parametrize(("body", "reason"), REFUSED.values(), ids=REFUSED)
def test_other_axes_are_left_alone(body: str, reason: str) -> None:
    (proposal,) = proposed(noisy(body + END, init=INIT))
    assert not proposal.edits
    assert reason in proposal.reason
