"""Layers that are noisy inside: each environment draws from a key of its own in the carry.

Rollout and replay see the same noise, whatever the minibatch, and the gradient sees how the
parameters act on it. The policy that PPO improves is then the one given the noise, as if the noise
were part of the observation.

`eval()` sets `deterministic` and turns the noise off. It is a mode of evaluation, never of one of
PPO's two passes: both run in the mode that the network is in. The keys advance in either mode, so
an evaluation in between does not shift the noise that follows.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx

from nnx_ppo_ref.keys import seed_keys, split_keys
from nnx_ppo_ref.networks.types import StatefulModule, StatefulModuleOutput
from nnx_ppo_ref.networks.variational import standard_normal


class NoisyDense(StatefulModule):
    """A dense layer of noisy units: `activation(x @ kernel + bias + scale * eps)`.

    `eps ~ N(0, I)` is drawn for each environment and step, and `scale = softplus(pre_scale)` is
    learned for each unit by reparameterisation. It is the noisy layer of Fortunato et al. 2018
    (arXiv:1706.10295, equation 9) with noise in the bias alone. Noise in the kernel would be one
    draw for the batch, or a kernel for each environment; noise in what the unit computes is local
    to an environment at no cost (Kingma, Salimans and Welling 2015, arXiv:1506.02557).
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        rngs: nnx.Rngs,
        activation: Callable[[jax.Array], jax.Array] | None = None,
        initial_scale: float = 0.1,
        **linear_kwargs: Any,
    ) -> None:
        """Draws the parameters and keeps the stream for `initialize_state`.

        Args:
            in_features: Size of the input.
            out_features: Size of the output.
            rngs: Where the parameters, and later the carried keys, are drawn from.
            activation: Applied after the noise, or None.
            initial_scale: Standard deviation that the noise starts with.
            **linear_kwargs: More arguments of `nnx.Linear`.

        Raises:
            ValueError: If the scale is not positive.
        """
        if initial_scale <= 0:
            raise ValueError(f"initial_scale must be positive, not {initial_scale}")
        self.in_features = in_features
        self.out_features = out_features
        self.linear = nnx.Linear(in_features, out_features, rngs=rngs, **linear_kwargs)
        # The inverse of softplus, in the form that does not overflow.
        pre_scale = initial_scale + math.log(-math.expm1(-initial_scale))
        self.pre_scale = nnx.Param(jnp.full(out_features, pre_scale))
        self.activation = activation
        self.rng = rngs
        self.deterministic = False

    def __call__(
        self, keys: jax.Array, x: jax.Array, rollout_extras: Any = None
    ) -> StatefulModuleOutput:
        """One step: `[B, in_features]` to `[B, out_features]`.

        Args:
            keys: One key for each environment, `[B]`.
            x: The input.
            rollout_extras: Not needed: the carry alone reproduces the noise.
        """
        del rollout_extras
        next_keys, use = split_keys(keys)
        y = self.linear(x)
        scale = jax.nn.softplus(self.pre_scale[...])
        if not self.deterministic:
            y = y + scale * standard_normal(use, self.out_features)
        if self.activation is not None:
            y = self.activation(y)
        return StatefulModuleOutput(next_keys, y, jnp.zeros(()), {"noise_scale": scale})

    def initialize_state(self, batch_size: int) -> jax.Array:
        """One key for each environment, `[B]`.

        Raises:
            ValueError: If the stream's keys are of an implementation that does not replay.
        """
        return seed_keys(self.rng, batch_size)


class Dropout(StatefulModule):
    """Zeroes features at random and scales the others up: `x * mask / (1 - rate)`.

    Inverted dropout (Srivastava et al. 2014, JMLR 15:1929) with `mask ~ Bernoulli(1 - rate)` for
    each feature, environment and step. The mask of the rollout must come back in the loss
    (Hausknecht and Wagener 2022, arXiv:2202.11818, "consistent dropout"); there it is stored, here
    the carried key makes it again. With a rate of 0 the layer is the identity: it carries nothing
    and draws nothing, not even a seed.
    """

    def __init__(self, rate: float, rng: Any) -> None:
        """Keeps the stream for `initialize_state`; no step reads it.

        Args:
            rate: Probability that a feature is zeroed.
            rng: An `nnx.Rngs`, or anything that returns a key when called.

        Raises:
            ValueError: If the rate is not in `[0, 1)`.
        """
        if not 0 <= rate < 1:
            raise ValueError(f"rate must be in [0, 1), not {rate}")
        self.rate = rate
        self.rng = rng
        self.deterministic = False

    def __call__(self, keys: Any, x: jax.Array, rollout_extras: Any = None) -> StatefulModuleOutput:
        """One step, on `[B, ...]`.

        Args:
            keys: One key for each environment, `[B]`; nothing if the rate is 0.
            x: The input.
            rollout_extras: Not needed: the carry alone reproduces the mask.
        """
        del rollout_extras
        if self.rate == 0:
            return StatefulModuleOutput(keys, x, jnp.zeros(()), {})
        next_keys, use = split_keys(keys)
        if not self.deterministic:
            x = jax.vmap(self._drop)(use, x)
        return StatefulModuleOutput(next_keys, x, jnp.zeros(()), {})

    def _drop(self, key: jax.Array, x: jax.Array) -> jax.Array:
        """Dropout for one environment."""
        mask = jax.random.bernoulli(key, 1 - self.rate, x.shape)
        return jnp.where(mask, x / (1 - self.rate), 0)

    def initialize_state(self, batch_size: int) -> jax.Array | tuple[()]:
        """One key for each environment, `[B]`; nothing if the rate is 0.

        Raises:
            ValueError: If the stream's keys are of an implementation that does not replay.
        """
        return () if self.rate == 0 else seed_keys(self.rng, batch_size)


class BernoulliGate(StatefulModule):
    """Lets each feature through or not, with a probability that the network computes.

    The input `[B, 2 * D]` holds values and logits, the output `[B, D]` is `values * gate` with
    `gate ~ Bernoulli(sigmoid(logits))` for each feature, environment and step. The gate has no
    derivative, so the straight-through estimator of Bengio, Leonard and Courville 2013
    (arXiv:1308.3432, section 4) stands in for it: `d gate / d logits := d sigmoid / d logits`, the
    variant with the sigmoid's slope. The estimate is biased; the forward pass is exact.

    In evaluation the gate is its mode, `logits > 0`, so that what follows still sees a binary gate.
    """

    def __init__(self, rng: Any) -> None:
        """Keeps the stream for `initialize_state`; no step reads it.

        Args:
            rng: An `nnx.Rngs`, or anything that returns a key when called.
        """
        self.rng = rng
        self.deterministic = False

    def __call__(
        self, keys: jax.Array, x: jax.Array, rollout_extras: Any = None
    ) -> StatefulModuleOutput:
        """One step: `[B, 2 * D]` to `[B, D]`.

        Args:
            keys: One key for each environment, `[B]`.
            x: Values and logits.
            rollout_extras: Not needed: the carry alone reproduces the gate.
        """
        del rollout_extras
        next_keys, use = split_keys(keys)
        values, logits = jnp.split(x, 2, axis=-1)
        probability = jax.nn.sigmoid(logits)
        if self.deterministic:
            gate = logits > 0
        else:
            gate = jax.vmap(jax.random.bernoulli)(use, jax.lax.stop_gradient(probability))
        # The second term is exactly zero and carries the derivative.
        through = gate + (probability - jax.lax.stop_gradient(probability))
        return StatefulModuleOutput(
            next_state=next_keys,
            output=values * through,
            regularization_loss=jnp.zeros(()),
            metrics={"probability": probability},
        )

    def initialize_state(self, batch_size: int) -> jax.Array:
        """One key for each environment, `[B]`.

        Raises:
            ValueError: If the stream's keys are of an implementation that does not replay.
        """
        return seed_keys(self.rng, batch_size)
