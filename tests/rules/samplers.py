"""Samplers in short, as the tests of their contract write them."""

from __future__ import annotations

import textwrap

from .regressions import written_out

_INIT = """\
self.rngs = rngs
self.key = nnx.RngKey(rngs())
self.head = nnx.Linear(dim, 2 * dim, rngs=rngs)
self.training = True
"""
_SEED = """\
def initialize_state(self, batch_size):
    return jax.random.split(self.rngs.action(), batch_size)

def reset_state(self, prev_state):
    return prev_state

def score(self, raw, mean):
    return -jnp.sum((raw - mean) ** 2, axis=-1)

def noise(self, like):
    return jax.random.normal(self.rngs.action(), like.shape)
"""
_START = "mean, std = x, jnp.ones_like(x)\n"
_CARRIED = """\
state, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(state)
"""


def sampler(forward: str, members: str = "", *, carried: bool = False, init: str = "") -> str:
    """An action sampler `M` from the body of its pass, and what its constructor does beside.

    The mean of the action is `mean`; with `carried` there are keys `use`, one for each
    environment. Unless the body returns by itself, it leaves the action in `raw` and what it
    emits in `kept`.
    """
    forward = textwrap.dedent(forward).strip("\n") + "\n"
    body = _START + (_CARRIED if carried else "") + forward
    if not forward.splitlines()[-1].strip().startswith("return "):
        body += (
            "return Out(state, {'action': raw, 'log_likelihood': self.score(raw, mean)}, 0.0, "
            "{}, kept)\n"
        )
    members = _SEED + "\n" + textwrap.dedent(members)
    return written_out(f"# ActionSampler\n{_INIT}{init}---\n{members}---\n{body}")
