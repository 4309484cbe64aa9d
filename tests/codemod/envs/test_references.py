"""A call that gives too little is none of the method of that name."""

from __future__ import annotations

import pytest

from ..rewriting import changes, noisy, proposed

END = "\nreturn StatefulModuleOutput(state, y, 0.0, {})"
NORMAL = "jax.vmap(lambda k, row: jax.random.normal(k, row.shape))"
HELPER = """
def noise(self, x, rngs=None):
    source = self.rngs if rngs is None else rngs
    return jax.random.normal(source.noise(), x.shape)
"""


def test_a_stream_of_the_name_of_a_helper_is_no_call_of_it() -> None:
    assert changes(noisy("y = x + self.noise(x)" + END, members=HELPER)) == (
        "-def noise(self, x, rngs=None):\n"
        "-source = self.rngs if rngs is None else rngs\n"
        "-return jax.random.normal(source.noise(), x.shape)\n"
        "+def noise(self, key, x, rngs=None):\n"
        f"+return {NORMAL}(key, x)\n"
        "+return jax.random.split(self.rngs.noise(), batch_size)\n"
        "-y = x + self.noise(x)\n"
        "+y = x + self.noise(use, x)"
    )


@pytest.mark.parametrize("call", ["other.noise(x)", "other.noise(x=x)", "other.noise(*x)"])
def test_a_call_that_gives_enough_may_be_one(call: str) -> None:
    members = f"{HELPER}\ndef show(self, other, x):\n    return {call}\n"
    code = noisy("y = x + self.noise(x)" + END, members=members)
    (proposal,) = proposed(code)
    assert "`show` draws, and who calls it is not seen" in proposal.reason
