"""What the catalogue promises never to report, in several spellings each."""

from __future__ import annotations

import pytest
from support import codes_of

NEVER_REPORTED = {
    "a stream read in the constructor": """
        class Init(StatefulModule):
            def __init__(self, rngs: nnx.Rngs):
                self.offset = jax.random.normal(rngs.params(), (3,))
                self.table = self._table(rngs)

            def _table(self, rngs):
                return nnx.Param(rngs.normal((3, 3)))

            def __call__(self, state, x, rollout_extras=None):
                return StatefulModuleOutput(state, x + self.offset + self.table[...], 0.0, {})
    """,
    "a stream read in initialize_state and its helper": """
        class Seeded(StatefulModule):
            def __init__(self, rngs: nnx.Rngs):
                self.rngs = rngs

            def initialize_state(self, batch_size):
                return self._seed(batch_size)

            def _seed(self, batch_size):
                return jax.random.split(self.rngs.noise(), batch_size)

            def __call__(self, key, x, rollout_extras=None):
                key, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(key)
                noise = jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(use, x)
                return StatefulModuleOutput(key, x + noise, 0.0, {})
    """,
    "a method that neither the pass nor the reset reaches": """
        class Explorer(StatefulModule):
            def __init__(self, rngs: nnx.Rngs):
                self.rngs = rngs

            def random_action(self, batch_size):
                return self.rngs.uniform((batch_size, 2))

            def __call__(self, state, x, rollout_extras=None):
                return StatefulModuleOutput(state, x, 0.0, {})
    """,
    "a class that is no StatefulModule": """
        class Augment(nnx.Module):
            def __init__(self, rngs: nnx.Rngs):
                self.rngs = rngs
                self.dropout = nnx.Dropout(0.5, rngs=rngs)

            def __call__(self, x):
                return self.dropout(x + jax.random.normal(self.rngs(), x.shape))
    """,
    "attributes that are merely called like keys": """
        class Attention(StatefulModule):
            def __init__(self, features: int, rngs: nnx.Rngs):
                self.query = nnx.Linear(features, features, rngs=rngs)
                self.key = nnx.Linear(features, features, rngs=rngs)
                self.keys = nnx.List([self.key])
                self.rng_scale = 0.5

            def __call__(self, state, x, rollout_extras=None):
                keys = [key(x) for key in self.keys]
                weights = nnx.softmax(self.query(x) * self.key(x) * self.rng_scale)
                return StatefulModuleOutput(state, weights * keys[0], 0.0, {})
    """,
    "a key layer of unknown type": """
        class Attention(StatefulModule):
            def __init__(self, query, key):
                self.query, self.key = query, key

            def __call__(self, state, x, rollout_extras=None):
                return StatefulModuleOutput(state, self.query(x) @ self.key(x).T, 0.0, {})
    """,
    "keys derived from the carry": """
        class Carried(StatefulModule):
            def __call__(self, state, x, rollout_extras=None):
                keys = jax.vmap(jax.random.fold_in)(state["key"], state["step"])
                pairs = jax.vmap(jax.random.split)(keys)
                noise = jax.vmap(lambda k: jax.random.normal(k, (3,)))(pairs[:, 0])
                state = {"key": pairs[:, 1], "step": state["step"] + 1}
                return StatefulModuleOutput(state, x + noise, 0.0, {})
    """,
    "keys derived from the input": """
        class FromInput(StatefulModule):
            def __call__(self, state, x, rollout_extras=None):
                seed = jax.vmap(lambda row: jnp.sum(row).astype(jnp.uint32))(x)
                noise = jax.vmap(lambda s: jax.random.normal(jax.random.key(s), (3,)))(seed)
                return StatefulModuleOutput(state, x + noise, 0.0, {})
    """,
    "a key that comes with the observation": """
        class Keyed(StatefulModule):
            def __call__(self, state, obs, rollout_extras=None):
                noise = jax.vmap(lambda k: jax.random.normal(k, (3,)))(obs["key"])
                return StatefulModuleOutput(state, obs["x"] + noise, 0.0, {})
    """,
    "a carried counter folded into a class-level key": """
        class Counted(StatefulModule):
            def __init__(self, rngs: nnx.Rngs):
                self.key = nnx.RngKey(rngs.noise())

            def __call__(self, count, x, rollout_extras=None):
                base = self.key[...]
                keys = jax.vmap(lambda c: jax.random.fold_in(base, c))(count)
                noise = jax.vmap(lambda k: jax.random.normal(k, (3,)))(keys)
                return StatefulModuleOutput(count + 1, x + noise, 0.0, {})
    """,
    "a draw that the extras replace and that is emitted": """
        class Emitting(StatefulModule):
            def __init__(self, rngs: nnx.Rngs):
                self.rngs = rngs

            def __call__(self, state, x, rollout_extras=None):
                noise = rollout_extras
                if noise is None:
                    noise = jax.random.normal(self.rngs.noise(), x.shape)
                return StatefulModuleOutput(state, x + noise, 0.0, {}, noise)
    """,
    "the same as an expression, in a dict, with an early return": """
        class Emitting(StatefulModule):
            def __init__(self, rngs):
                self.rngs = rngs

            def __call__(self, state, x, rollout_extras=None):
                if rollout_extras is not None:
                    return self._output(state, x, rollout_extras["noise"])
                return self._output(state, x, jax.random.normal(self.rngs(), x.shape))

            def _output(self, state, x, noise):
                extras = {"noise": noise}
                return StatefulModuleOutput(state, x + noise, 0.0, {}, rollout_extras=extras)
    """,
    "the same with a draw that goes on in the replay": """
        class Emitting(StatefulModule):
            def __init__(self, rngs: nnx.Rngs):
                self.rngs = rngs

            def __call__(self, state, x, rollout_extras=None):
                fresh = self.rngs.normal(x.shape)
                noise = fresh if rollout_extras is None else rollout_extras
                return StatefulModuleOutput(state, x + noise, 0.0, {}, noise)
    """,
    "a sampler that keeps its contract": """
        class Gaussian(ActionSampler):
            def __init__(self, rngs: nnx.Rngs):
                self.rngs = rngs
                self.deterministic = False

            def __call__(self, state, mean, rollout_extras=None):
                if self.deterministic:
                    sampled = mean
                else:
                    sampled = mean + jax.random.normal(self.rngs(), mean.shape)
                raw = jax.lax.stop_gradient(sampled) if rollout_extras is None else rollout_extras
                entropy = jnp.mean(jax.random.normal(self.rngs(), mean.shape))
                output = {"action": raw, "log_likelihood": -jnp.sum((raw - mean) ** 2, axis=-1)}
                return StatefulModuleOutput((), output, entropy, {}, raw)
    """,
    "a local nnx.Rngs made from a carried key": """
        class Local(StatefulModule):
            def __init__(self, rngs: nnx.Rngs):
                self.dropout = nnx.Dropout(0.5, rngs=rngs)

            def __call__(self, key, x, rollout_extras=None):
                def one(k, row):
                    rngs = nnx.Rngs(k)
                    row = self.dropout(row + rngs.normal(row.shape), rngs=rngs)
                    return row, rngs()

                y, key = jax.vmap(one)(key, x)
                return StatefulModuleOutput(key, y, 0.0, {})
    """,
    "children that cannot draw": """
        class Torso(StatefulModule):
            def __init__(self, features: int, rngs: nnx.Rngs):
                self.none = nnx.Dropout(0.0, rngs=rngs)
                self.off = nnx.Dropout(rate=0.3, rngs=rngs)
                self.attend = nnx.MultiHeadAttention(2, features, rngs=rngs)
                self.norm = nnx.LayerNorm(features, rngs=rngs)
                self.cell = nnx.RNN(nnx.GRUCell(features, features, rngs=rngs))

            def __call__(self, state, x, rollout_extras=None):
                x = self.norm(self.off(self.none(x), deterministic=True))
                return StatefulModuleOutput(state, self.cell(self.attend(x, decode=False)), 0.0, {})
    """,
}


@pytest.mark.parametrize("snippet", NEVER_REPORTED.values(), ids=NEVER_REPORTED)
def test_what_reproduces_its_rollout_is_silent(snippet: str) -> None:
    assert codes_of(snippet) == []
