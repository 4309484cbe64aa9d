"""Containers in short, as the tests of what they thread write them."""

from __future__ import annotations

import textwrap

from .regressions import written_out

BEFORE = """\
from nnx_ppo.networks.containers import Parallel, Sequential
from nnx_ppo.networks.feedforward import Dense
from nnx_ppo.networks.normalizer import Normalizer
from nnx_ppo.networks.recurrent import LSTM
from nnx_ppo.networks.sampling_layers import NormalTanhSampler
from nnx_ppo.networks.variational import VariationalBottleneck


class Plain(StatefulModule):
    def __call__(self, state, x, rollout_extras=None):
        return Out((), 2.0 * x, 0.0, {})


class Keyed(StatefulModule):
    def __init__(self, rngs):
        self.rngs = rngs

    def initialize_state(self, batch_size):
        return jax.random.split(self.rngs(), batch_size)

    def __call__(self, state, x, rollout_extras=None):
        state, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(state)
        noise = jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(use, x)
        return Out(state, x + noise, 0.0, {})


class Sampling(ActionSampler):
    def __init__(self, rngs):
        self.rngs = rngs

    def __call__(self, state, x, rollout_extras=None):
        raw = x + self.rngs.normal(x.shape)
        raw = raw if rollout_extras is None else rollout_extras
        output = {'action': raw, 'log_likelihood': -jnp.sum((raw - x) ** 2, -1)}
        return Out((), output, 0.0, {}, raw)


class Wrapped(StatefulModule):
    def __init__(self, inner):
        self.inner = inner

    def initialize_state(self, batch_size):
        return self.inner.initialize_state(batch_size)

    def reset_state(self, prev_state):
        return self.inner.reset_state(prev_state)

    def __call__(self, state, x, rollout_extras=None):
        return self.inner(state, x, rollout_extras)
"""
INIT = """\
self.plain, self.keyed, self.sampling = Plain(), Keyed(rngs), Sampling(rngs)
self.dense, self.bottleneck = Dense(dim, dim, rngs), VariationalBottleneck(dim, rngs)
self.norm, self.lstm = Normalizer(dim), LSTM(dim, dim, rngs)
self.tanh = NormalTanhSampler(rngs, 0.0)
self.a, self.b, self.layers, self.named = a, b, layers, named
"""


def container(forward: str, init: str = "", members: str = "") -> str:
    """A module `M` with children of every kind, from the body of its pass.

    `a` and `b` are children that the constructor was given, `layers` a list and `named` a dict of
    them; the others are what their names say.
    """
    forward = textwrap.dedent(forward).strip("\n") + "\n"
    code = written_out(
        f"{BEFORE}---\n{INIT}{textwrap.dedent(init)}---\n{textwrap.dedent(members)}\n---\n{forward}"
    )
    return code.replace("dim: int = 3)", "a, b, layers, named, dim: int = 3)")
