"""Modules as a researcher might write them: some sound, some not.

`nnx-rng check examples` finds the faulty ones.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx
from nnx_ppo.networks.containers import Sequential
from nnx_ppo.networks.sampling_layers import ActionSampler
from nnx_ppo.networks.types import StatefulModule, StatefulModuleOutput


class NoisyDense(StatefulModule):
    """Faulty: the noise comes from the module's own stream, two calls away from `__call__`."""

    def __init__(self, features_in: int, features_out: int, rngs: nnx.Rngs) -> None:
        self.linear = nnx.Linear(features_in, features_out, rngs=rngs)
        self.rngs = rngs
        self.scale = 0.1

    def __call__(self, state: Any, x: jax.Array, rollout_extras: Any = None) -> Any:
        y = self._perturb(self.linear(x))
        return StatefulModuleOutput(state, y, jnp.array(0.0), {})

    def _perturb(self, y: jax.Array) -> jax.Array:
        return y + self.scale * self._noise(y.shape)

    def _noise(self, shape: tuple[int, ...]) -> jax.Array:
        source = self.rngs
        return jax.random.normal(source.noise(), shape)


class CarriedNoisyDense(StatefulModule):
    """Sound: the same layer with one key for each environment in its state."""

    def __init__(self, features_in: int, features_out: int, rngs: nnx.Rngs) -> None:
        self.linear = nnx.Linear(features_in, features_out, rngs=rngs)
        self.rngs = rngs
        self.scale = 0.1

    def initialize_state(self, batch_size: int) -> jax.Array:
        return jax.random.split(self.rngs.noise(), batch_size)

    def __call__(self, key: jax.Array, x: jax.Array, rollout_extras: Any = None) -> Any:
        y = self.linear(x)
        next_key, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(key)
        noise = jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(use, y)
        return StatefulModuleOutput(next_key, y + self.scale * noise, jnp.array(0.0), {})


class DroppedTorso(StatefulModule):
    """Faulty: dropout masks differ between rollout and replay; the flag in `__init__` is undone."""

    def __init__(self, features: int, rngs: nnx.Rngs) -> None:
        self.layers = nnx.List(
            [
                nnx.Linear(features, features, rngs=rngs),
                nnx.Dropout(0.1, deterministic=True, rngs=rngs),
            ]
        )

    def __call__(self, state: Any, x: jax.Array, rollout_extras: Any = None) -> Any:
        for layer in self.layers:
            x = layer(x)
        return StatefulModuleOutput(state, x, jnp.array(0.0), {})


class RotatingKey(StatefulModule):
    """Faulty: a key of the module's own, advanced in place."""

    def __init__(self, rngs: nnx.Rngs) -> None:
        self.key = nnx.Variable(rngs.noise())

    def __call__(self, state: Any, x: jax.Array, rollout_extras: Any = None) -> Any:
        following, use = jax.random.split(self.key[...])
        self.key[...] = following
        mask = jax.random.bernoulli(use, 0.9, x.shape)
        return StatefulModuleOutput(state, x * mask, jnp.array(0.0), {})


class ObservationJitter(StatefulModule):
    """Faulty twice over: a constant key, and noise that the host draws while tracing."""

    def __call__(self, state: Any, x: jax.Array, rollout_extras: Any = None) -> Any:
        if x.ndim == 2:
            x = x + jax.random.normal(jax.random.key(0), x.shape)
        return StatefulModuleOutput(state, x + np.random.normal(size=x.shape), jnp.array(0.0), {})


class BernoulliSampler(ActionSampler):
    """Sound: a sampler may draw from its stream, because the raw action comes back."""

    def __init__(self, rngs: nnx.Rngs) -> None:
        self.rngs = rngs

    def __call__(self, state: Any, logits: jax.Array, rollout_extras: Any = None) -> Any:
        sampled = jax.random.bernoulli(self.rngs.action(), nnx.sigmoid(logits))
        raw = sampled if rollout_extras is None else rollout_extras
        loglikelihood = -jnp.sum(nnx.softplus(jnp.where(raw, -logits, logits)), axis=-1)
        return StatefulModuleOutput(
            next_state=state,
            output={"action": raw.astype(jnp.float32), "log_likelihood": loglikelihood},
            regularization_loss=jnp.array(0.0),
            metrics={},
            rollout_extras=raw,
        )


class ForgetfulSampler(ActionSampler):
    """Faulty: the action that was taken is not kept, so the replay scores another one."""

    def __init__(self, rngs: nnx.Rngs) -> None:
        self.rngs = rngs

    def __call__(self, state: Any, mean: jax.Array, rollout_extras: Any = None) -> Any:
        raw = mean + jax.random.normal(self.rngs.action(), mean.shape)
        loglikelihood = -0.5 * jnp.sum((raw - mean) ** 2, axis=-1)
        output = {"action": raw, "log_likelihood": loglikelihood}
        return StatefulModuleOutput(state, output, jnp.array(0.0), {})


class StubbornSampler(ActionSampler):
    """Faulty: the action is kept, but its carried key draws another one under new parameters."""

    def __init__(self, rngs: nnx.Rngs) -> None:
        self.rngs = rngs

    def initialize_state(self, batch_size: int) -> jax.Array:
        return jax.random.split(self.rngs.action(), batch_size)

    def __call__(self, key: jax.Array, mean: jax.Array, rollout_extras: Any = None) -> Any:
        next_key, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(key)
        raw = mean + jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(use, mean)
        loglikelihood = -0.5 * jnp.sum((raw - mean) ** 2, axis=-1)
        output = {"action": raw, "log_likelihood": loglikelihood}
        return StatefulModuleOutput(next_key, output, jnp.array(0.0), {}, raw)


class UnanimousSampler(ActionSampler):
    """Faulty: one row is drawn for all environments, so they all explore the same way."""

    def __init__(self, rngs: nnx.Rngs) -> None:
        self.rngs = rngs

    def __call__(self, state: Any, mean: jax.Array, rollout_extras: Any = None) -> Any:
        drawn = mean + jax.random.normal(self.rngs.action(), mean.shape[1:])
        raw = drawn if rollout_extras is None else rollout_extras
        loglikelihood = -0.5 * jnp.sum((raw - mean) ** 2, axis=-1)
        output = {"action": raw, "log_likelihood": loglikelihood}
        return StatefulModuleOutput(state, output, jnp.array(0.0), {}, raw)


class Torso(StatefulModule):
    """Faulty: drops the keys that its encoder carries, and the extras that its head emits."""

    def __init__(self, encoder: StatefulModule, head: StatefulModule) -> None:
        self.encoder = encoder
        self.head = head

    def initialize_state(self, batch_size: int) -> tuple[Any, Any]:
        return self.encoder.initialize_state(batch_size), self.head.initialize_state(batch_size)

    def __call__(self, state: tuple[Any, Any], x: jax.Array, rollout_extras: Any = None) -> Any:
        given = (None, None) if rollout_extras is None else rollout_extras
        encoded = self.encoder(state[0], x, given[0])
        out = self.head(state[1], encoded.output)
        extras = (encoded.rollout_extras, None)
        next_state = (state[0], out.next_state)
        return StatefulModuleOutput(next_state, out.output, jnp.array(0.0), {}, extras)


def build(features: int, actions: int, rngs: nnx.Rngs) -> Sequential:
    """The network that a training script would build."""
    return Sequential(
        [
            NoisyDense(features, features, rngs),
            DroppedTorso(features, rngs),
            CarriedNoisyDense(features, actions, rngs),
            BernoulliSampler(rngs),
        ]
    )


def noisy() -> NoisyDense:
    """A layer to be run by `python -m nnx_ppo_ref.oracle examples.noisy_policy:noisy`."""
    return NoisyDense(4, 4, nnx.Rngs(0))
