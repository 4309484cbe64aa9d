"""Variational information bottlenecks with their noise in the carry."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from nnx_ppo_ref.keys import seed_keys, split_keys
from nnx_ppo_ref.networks.types import StatefulModule, StatefulModuleOutput

AR1State = dict[str, jax.Array]
"""`{"keys": [B], "last_z": [B, latent_size]}`, the latent NaN where there is none yet."""


class VariationalBottleneck(StatefulModule):
    """Samples a latent from a learned Gaussian and charges its divergence from the prior.

    The input `[B, 2 * latent_size]` holds mean and pre-softplus deviation; the output is the
    sample `[B, latent_size]` by the reparameterisation trick (Kingma and Welling 2014,
    arXiv:1312.6114, section 2.4). The carry is one key for each environment, `[B]`.
    """

    def __init__(
        self, latent_size: int, rng: Any, kl_weight: float = 1.0, min_std: float = 1e-6
    ) -> None:
        """Keeps the stream for `initialize_state`; no step reads it.

        Args:
            latent_size: Size of the latent.
            rng: An `nnx.Rngs`, or anything that returns a key when called.
            kl_weight: Weight of the divergence in the regularization loss.
            min_std: Added to the standard deviation.
        """
        self.latent_size = latent_size
        self.rng = rng
        self.kl_weight = kl_weight
        self.min_std = min_std

    def __call__(
        self, key: jax.Array, x: jax.Array, rollout_extras: Any = None
    ) -> StatefulModuleOutput:
        """One step: `z = mean + std * eps` with `eps ~ N(0, I)` per environment.

        Args:
            key: One key for each environment, `[B]`.
            x: Mean and pre-softplus deviation, `[B, 2 * latent_size]`.
            rollout_extras: Not needed: the carry alone reproduces the sample.
        """
        del rollout_extras
        mean, std = gaussian(x, self.min_std)
        # One split for both uses: a key that is drawn from is never used again.
        next_key, use = split_keys(key)
        divergence = gaussian_divergence(mean, std)
        return StatefulModuleOutput(
            next_state=next_key,
            output=mean + std * standard_normal(use, self.latent_size),
            regularization_loss=self.kl_weight * divergence,
            metrics={"mu": mean, "sigma": std, "kl_divergence": divergence},
        )

    def initialize_state(self, batch_size: int) -> jax.Array:
        """One key for each environment, `[B]`.

        Raises:
            ValueError: If the stream's keys are of an implementation that does not replay.
        """
        return seed_keys(self.rng, batch_size)


class AR1VariationalBottleneck(StatefulModule):
    """A variational bottleneck that also charges the latent for moving.

    Adds `ar1_weight * mean((z[t] - z[t-1])²)` to the loss of `VariationalBottleneck`: up to a
    constant the negative log-likelihood of a first-order autoregressive (random walk) prior. The
    first step of an episode is free. The carry holds keys and the last latent.
    """

    def __init__(
        self,
        latent_size: int,
        rng: Any,
        kl_weight: float = 1.0,
        min_std: float = 1e-6,
        ar1_weight: float = 1.0,
        backprop_through_time: bool = True,
    ) -> None:
        """Keeps the stream for `initialize_state`; no step reads it.

        Args:
            latent_size: Size of the latent.
            rng: An `nnx.Rngs`, or anything that returns a key when called.
            kl_weight: Weight of the divergence in the regularization loss.
            min_std: Added to the standard deviation.
            ar1_weight: Weight of the latent's movement in the regularization loss.
            backprop_through_time: Whether the movement's gradient also reaches the last latent;
                if not, only the new latent is drawn to the last one.
        """
        self.latent_size = latent_size
        self.rng = rng
        self.kl_weight = kl_weight
        self.min_std = min_std
        self.ar1_weight = ar1_weight
        self.backprop_through_time = backprop_through_time

    def __call__(
        self, state: AR1State, x: jax.Array, rollout_extras: Any = None
    ) -> StatefulModuleOutput:
        """One step: `z = mean + std * eps` with `eps ~ N(0, I)` per environment.

        Args:
            state: Keys `[B]` and last latents `[B, latent_size]`.
            x: Mean and pre-softplus deviation, `[B, 2 * latent_size]`.
            rollout_extras: Not needed: the carry alone reproduces the sample.
        """
        del rollout_extras
        mean, std = gaussian(x, self.min_std)
        next_keys, use = split_keys(state["keys"])
        z = mean + std * standard_normal(use, self.latent_size)
        last_z = state["last_z"]
        if not self.backprop_through_time:
            last_z = jax.lax.stop_gradient(last_z)
        # NaN is replaced before the difference is taken: masked after it, it would still reach
        # the gradient.
        last_z = jnp.where(jnp.isnan(last_z), z, last_z)
        movement = jnp.mean(jnp.square(z - last_z), axis=-1)
        divergence = gaussian_divergence(mean, std)
        return StatefulModuleOutput(
            next_state={"keys": next_keys, "last_z": z},
            output=z,
            regularization_loss=self.kl_weight * divergence + self.ar1_weight * movement,
            metrics={"mu": mean, "sigma": std, "kl_divergence": divergence, "l2_diff": movement},
        )

    def initialize_state(self, batch_size: int) -> AR1State:
        """One key for each environment, `[B]`, and no latent.

        Raises:
            ValueError: If the stream's keys are of an implementation that does not replay.
        """
        return {
            "keys": seed_keys(self.rng, batch_size),
            "last_z": jnp.full((batch_size, self.latent_size), jnp.nan),
        }

    def reset_state(self, prev_state: AR1State) -> AR1State:
        """The keys go on, the latent is forgotten."""
        return {
            "keys": prev_state["keys"],
            "last_z": jnp.full_like(prev_state["last_z"], jnp.nan),
        }


def gaussian(x: jax.Array, min_std: float) -> tuple[jax.Array, jax.Array]:
    """Mean and standard deviation, both `[B, D]`, from a layer's output `[B, 2 * D]`."""
    mean, pre_std = jnp.split(x, 2, axis=-1)
    return mean, jax.nn.softplus(pre_std) + min_std


def standard_normal(keys: jax.Array, size: int) -> jax.Array:
    """A draw from `N(0, I)` for each environment, keys `[B]` to `[B, size]`."""
    return jax.vmap(lambda key: jax.random.normal(key, (size,)))(keys)


def gaussian_divergence(mean: jax.Array, std: jax.Array) -> jax.Array:
    """Kullback-Leibler divergence of `N(mean, std²)` from `N(0, I)`, `[B, D]` to `[B]`.

    Kingma and Welling 2014, arXiv:1312.6114, appendix B.
    """
    return 0.5 * jnp.sum(mean**2 + std**2 - 2 * jnp.log(std) - 1, axis=-1)
