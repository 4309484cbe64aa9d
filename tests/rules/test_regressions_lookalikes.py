"""What never draws in the pass, or only looks like random state."""

from __future__ import annotations

import pytest
from support import reported

from .regressions import written_out

CASES = {
    "a key that a sampler splits": """
        # ActionSampler
        self.key = nnx.Variable(rngs())
        ---
        key, use = jax.random.split(self.key[...])
        self.key[...] = key
        y = x + jax.random.normal(use, x.shape) if rollout_extras is None else rollout_extras
        return Out(state, y, 0.0, {}, y)
    """,
    "a flag of a helper": """
        self.rngs = rngs
        ---
        def _f(self, v, noise=True):
            return v + self.rngs.normal(v.shape) if noise else v
        ---
        y = self._f(x, noise=False)
    """,
    "a flag of a closure": """
        self.rngs = rngs
        noise = False
        def f(v):
            if noise:
                return v + rngs.normal(v.shape)
            return v
        self.f = f
        ---
        y = self.f(x)
    """,
    "a silent child": """
        class Block(nnx.Module):
            def __init__(self, rngs):
                self.drop = nnx.Dropout(0.5, rngs=rngs)

            def __call__(self, h, deterministic=False):
                return self.drop(h, deterministic=deterministic)
        ---
        self.block = Block(rngs)
        ---

        ---
        y = self.block(x, deterministic=True)
    """,
    "attention without dropout": """
        cfg = dict(num_heads=2, in_features=4, dropout_rate=0.0)
        self.attn = nnx.MultiHeadAttention(**cfg, rngs=rngs)
        ---
        y = self.attn(x)
    """,
    "a carry that is given": """
        self.rnn = nnx.RNN(nnx.GRUCell(3, 3, carry_init=nnx.initializers.normal(), rngs=rngs))
        ---
        y = self.rnn(x, initial_carry=state)
    """,
    "dropout with a stream of the carry": """
        self.drop = nnx.Dropout(0.5, rngs=rngs)
        ---
        y = jax.vmap(lambda k, r: self.drop(r, rngs=nnx.Rngs(dropout=k)))(state, x)
    """,
    "layers called like keys": """
        self.query = nnx.Linear(3, 3, rngs=rngs)
        self.key = nnx.Linear(3, 3, rngs=rngs)
        self.value = nnx.Linear(3, 3, rngs=rngs)
        ---
        q, k, v = self.query(x), self.key(x), self.value(x)
        y = jax.nn.softmax(q @ k.T) @ v
    """,
    "a cache called keys": """
        self.key = nnx.Linear(3, 3, rngs=rngs)
        self.keys = nnx.Variable(jnp.zeros((2, 3)))
        ---
        self.keys[...] = self.key(x)
        y = x
    """,
    "a class called random": """
        class random:
            value = 1.0
        ---
        pass
        ---

        ---
        y = x + random.value
    """,
    "layers built by a split stream": """
        @nnx.split_rngs(splits=4)
        @nnx.vmap
        def make(r):
            return nnx.Linear(3, 3, rngs=r)
        self.layers = make(rngs)
        ---
        y = jax.vmap(lambda m, h: m(h), in_axes=(0, None))(self.layers, x)
    """,
    "draws outside the pass": """
        self.rngs = rngs
        ---
        def initialize_state(self, b):
            return self._seed(b)

        def _seed(self, b):
            return jax.random.split(self.rngs(), b)

        def unused(self, x):
            x = x + self.rngs.normal(x.shape) + np.random.normal()
            return x + jax.random.normal(jax.random.key(0))

        def update_statistics(self, e):
            self.rngs()

        def sample(self, x):
            return self.rngs()
        ---
        y = x
    """,
    "noise made once": """
        self.noise = nnx.Variable(jax.random.normal(jax.random.key(0), (3,)))
        ---
        y = x + self.noise[...]
    """,
    "state that is not random": """
        self.cache = nnx.Variable(jnp.zeros(3))
        self.n = nnx.Variable(0)
        ---
        self.cache[...] = x
        self.n.value += 1
        self.last = x
        y = x
    """,
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_it_is_silent(case: str) -> None:
    assert reported(written_out(case), "NNX1") == []
