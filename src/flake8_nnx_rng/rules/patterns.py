"""The sound modules that the pages of several rules show."""

from __future__ import annotations

from flake8_nnx_rng.rules.rule import example

NOISE = example("""
    import jax
    from nnx_ppo.networks.types import StatefulModule, StatefulModuleOutput


    class CarriedNoise(StatefulModule):
        def __init__(self, rngs):
            self.rngs = rngs

        def initialize_state(self, batch_size):
            return jax.random.split(self.rngs(), batch_size)

        def __call__(self, key, x, rollout_extras=None):
            following, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(key)
            x += jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(use, x)
            return StatefulModuleOutput(following, x, 0.0, {})
""")
"""Noise from keys that are carried, one for each environment."""

FRESH_ON_RESET = example("""
    import jax
    import jax.numpy as jnp
    from nnx_ppo.networks.types import StatefulModule, StatefulModuleOutput


    class Folding(StatefulModule):
        def __init__(self, rngs):
            self.rngs = rngs

        def initialize_state(self, batch_size):
            return jax.random.split(self.rngs(), batch_size)

        def reset_state(self, prev_state):
            return jnp.vectorize(lambda k: jax.random.fold_in(k, 0))(prev_state)

        def __call__(self, key, x, rollout_extras=None):
            following, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(key)
            x += jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(use, x)
            return StatefulModuleOutput(following, x, 0.0, {})
""")
"""Each episode starts with fresh noise, in the rollout and in the loss alike."""

SAMPLER = example("""
    import jax
    import jax.numpy as jnp
    from flax import nnx
    from nnx_ppo.networks.sampling_layers import ActionSampler
    from nnx_ppo.networks.types import StatefulModuleOutput


    class GaussianSampler(ActionSampler):
        def __init__(self, rngs: nnx.Rngs):
            self.rngs = rngs

        def __call__(self, state, x, rollout_extras=None):
            mean, log_std = jnp.split(x, 2, axis=-1)
            noise = jax.random.normal(self.rngs.action(), mean.shape)
            raw = mean + jnp.exp(log_std) * noise
            if rollout_extras is not None:
                raw = rollout_extras
            score = -jnp.sum(0.5 * ((raw - mean) / jnp.exp(log_std)) ** 2 + log_std, axis=-1)
            output = {"action": raw, "log_likelihood": score}
            return StatefulModuleOutput((), output, 0.0, {}, raw)
""")
"""An action sampler that emits its raw action and takes it back."""

CONTAINER = example("""
    from nnx_ppo.networks.types import StatefulModule, StatefulModuleOutput


    class Residual(StatefulModule):
        def __init__(self, inner: StatefulModule):
            self.inner = inner

        def initialize_state(self, batch_size):
            return self.inner.initialize_state(batch_size)

        def reset_state(self, prev_state):
            return self.inner.reset_state(prev_state)

        def __call__(self, state, x, rollout_extras=None):
            out = self.inner(state, x, rollout_extras)
            return StatefulModuleOutput(
                out.next_state,
                x + out.output,
                out.regularization_loss,
                out.metrics,
                out.rollout_extras,
            )
""")
"""A container that hands on what its child carries and emits."""
