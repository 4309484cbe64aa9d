"""What can go wrong with keys that are carried, and with state that is not.

The modules have one key for each environment in their state, as they should; the faulty ones seed,
split, return or reset it in a way that PPO does not bear.
"""

from typing import Any

import jax
import jax.numpy as jnp
from elsewhere import perturbed
from flax import nnx
from nnx_ppo.networks.types import StatefulModule, StatefulModuleOutput


def split_each(keys: jax.Array) -> tuple[jax.Array, jax.Array]:
    """The next key and one to draw from, for every environment."""
    following, use = jax.vmap(lambda key: tuple(jax.random.split(key)))(keys)
    return following, use


class NoisyMemory(StatefulModule):
    """Sound: noise from a carried key, and a mean that is forgotten when an episode ends."""

    def __init__(self, rngs: nnx.Rngs) -> None:
        self.rngs = rngs

    def initialize_state(self, batch_size: int) -> dict[str, jax.Array]:
        key = jax.random.split(self.rngs.noise(), batch_size)
        return {"key": key, "mean": jnp.zeros(batch_size)}

    def reset_state(self, prev_state: dict[str, jax.Array]) -> dict[str, jax.Array]:
        return prev_state | {"mean": jnp.zeros_like(prev_state["mean"])}

    def __call__(self, state: Any, x: jax.Array, rollout_extras: Any = None) -> Any:
        key, use = split_each(state["key"])
        y = x + jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(use, x)
        state = {"key": key, "mean": 0.9 * state["mean"] + 0.1 * y.mean(-1)}
        return StatefulModuleOutput(state, y, jnp.array(0.0), {})


class Forgetful(NoisyMemory):
    """Faulty: a reset zeroes the keys as well, so all environments that end go on alike."""

    def reset_state(self, prev_state: dict[str, jax.Array]) -> dict[str, jax.Array]:
        return jax.tree.map(jnp.zeros_like, prev_state)


class FreshAtReset(NoisyMemory):
    """Faulty: the rollout resets the keys of all environments, and `fold_in` takes one."""

    def reset_state(self, prev_state: dict[str, jax.Array]) -> dict[str, jax.Array]:
        return {"key": jax.random.fold_in(prev_state["key"], 0), "mean": prev_state["mean"]}


class Stuck(StatefulModule):
    """Faulty three times: all share one key, which is drawn from as a batch and never moves on."""

    def __init__(self, rngs: nnx.Rngs) -> None:
        self.rngs = rngs

    def initialize_state(self, batch_size: int) -> jax.Array:
        return jnp.broadcast_to(self.rngs.noise(), (batch_size,))

    def __call__(self, keys: jax.Array, x: jax.Array, rollout_extras: Any = None) -> Any:
        y = x + jax.random.normal(keys[0], x.shape)
        return StatefulModuleOutput(keys, y, jnp.array(0.0), {})


class FastGenerator(StatefulModule):
    """Faulty: keys of `rbg` draw by the position in the batch, which a minibatch changes."""

    def initialize_state(self, batch_size: int) -> jax.Array:
        return jax.random.split(jax.random.key(0, impl="rbg"), batch_size)

    def __call__(self, keys: jax.Array, x: jax.Array, rollout_extras: Any = None) -> Any:
        keys, use = split_each(keys)
        y = x + jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(use, x)
        return StatefulModuleOutput(keys, y, jnp.array(0.0), {})


class Normalised(StatefulModule):
    """Faulty twice: statistics that move in the pass, and a stream for code that nobody sees."""

    def __init__(self, features: int, rngs: nnx.Rngs) -> None:
        self.norm = nnx.BatchNorm(features, rngs=rngs)
        self.rngs = rngs

    def __call__(self, state: Any, x: jax.Array, rollout_extras: Any = None) -> Any:
        y = perturbed(self.norm(x), rngs=self.rngs)
        return StatefulModuleOutput(state, y, jnp.array(0.0), {})
