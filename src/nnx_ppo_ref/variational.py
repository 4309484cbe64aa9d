"""A variational information bottleneck with its noise in the carry."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from nnx_ppo_ref.types import StatefulModule, StatefulModuleOutput


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
        """One step: `z = mean + std * eps` with `eps ~ N(0, I)` per environment."""
        del rollout_extras  # the carry alone reproduces the sample
        mean, pre_std = jnp.split(x, 2, axis=-1)
        std = jax.nn.softplus(pre_std) + self.min_std
        # One split for both uses: a key that is drawn from is never used again.
        next_key, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(key)
        eps = jax.vmap(lambda k: jax.random.normal(k, (self.latent_size,)))(use)
        divergence = gaussian_divergence(mean, std)
        return StatefulModuleOutput(
            next_state=next_key,
            output=mean + std * eps,
            regularization_loss=self.kl_weight * divergence,
            metrics={"mu": mean, "sigma": std, "kl_divergence": divergence},
        )

    def initialize_state(self, batch_size: int) -> jax.Array:
        """One key for each environment, `[B]`."""
        return jax.random.split(self.rng(), batch_size)


def gaussian_divergence(mean: jax.Array, std: jax.Array) -> jax.Array:
    """Kullback-Leibler divergence of `N(mean, std²)` from `N(0, I)`, `[B, D]` to `[B]`.

    Kingma and Welling 2014, arXiv:1312.6114, appendix B.
    """
    return 0.5 * jnp.sum(mean**2 + std**2 - 2 * jnp.log(std) - 1, axis=-1)
