"""Action samplers: the one place where a step may draw from a class-level stream.

PPO needs the likelihood, under the new parameters, of the action that was taken. So the raw action
goes into the rollout extras, and the replay takes it from there instead of drawing again. The
stream advances all the same, as often as in the rollout.
"""

from __future__ import annotations

import abc
from typing import Any

import jax
import jax.numpy as jnp

from nnx_ppo_ref.networks.types import StatefulModule, StatefulModuleOutput


class ActionSampler(StatefulModule, abc.ABC):
    """Makes an action of the parameters of a distribution.

    Output is `{"action": [B, ...], "log_likelihood": [B]}`, the loss is the weighted negative
    entropy, the rollout extras are the raw action. `deterministic`, which `eval()` and `train()`
    of any enclosing module set, replaces the draw by the most likely action.
    """

    deterministic: bool = False

    @abc.abstractmethod
    def __call__(
        self, state: tuple[()], mean_and_std: jax.Array, rollout_extras: jax.Array | None = None
    ) -> StatefulModuleOutput:
        """One step.

        Args:
            state: Empty.
            mean_and_std: The distribution's parameters, `[B, P]`.
            rollout_extras: None to draw an action; in the loss replay the raw action to score.
        """


class NormalTanhSampler(ActionSampler):
    """A diagonal Gaussian squashed by tanh.

    Parameters are `[B, 2 * D]`: mean and pre-softplus deviation. The raw action `[B, D]` is the
    one before tanh.
    """

    def __init__(
        self, rng: Any, entropy_weight: float, min_std: float = 1e-3, std_scale: float = 1.0
    ) -> None:
        """Keeps the stream that every step draws from.

        Args:
            rng: An `nnx.Rngs`, or anything that returns a new key at each call.
            entropy_weight: Weight of the entropy bonus.
            min_std: Added to the standard deviation, before it is scaled.
            std_scale: Factor of the standard deviation.
        """
        self.rng = rng
        self.min_std = min_std
        self.std_scale = std_scale
        self.deterministic = False
        self.entropy_weight = entropy_weight

    def __call__(
        self, state: tuple[()], mean_and_std: jax.Array, rollout_extras: jax.Array | None = None
    ) -> StatefulModuleOutput:
        """One step; two draws, the action's and the entropy's, in either pass.

        Args:
            state: Empty.
            mean_and_std: Mean and pre-softplus deviation, `[B, 2 * D]`.
            rollout_extras: None to draw an action; in the loss replay the raw action, `[B, D]`.
        """
        del state
        mean, pre_std = jnp.split(mean_and_std, 2, axis=-1)
        std = self.std_scale * (jax.nn.softplus(pre_std) + self.min_std)
        # The replay draws too, for the stream's sake, and then scores the action of the rollout.
        drawn = mean if self.deterministic else mean + std * self._noise(mean)
        raw_action = jax.lax.stop_gradient(drawn) if rollout_extras is None else rollout_extras
        # E[log|dtanh/dz|] has no closed form: one more sample estimates it, whose gradient goes
        # through mean and std.
        elsewhere = mean + std * self._noise(mean)
        entropy = _normal_entropy(std) + _log_tanh_slope(elsewhere).sum(axis=-1)
        log_likelihood = _normal_log_density(raw_action, mean, std) - _log_tanh_slope(
            raw_action
        ).sum(axis=-1)
        return StatefulModuleOutput(
            next_state=(),
            output={"action": jnp.tanh(raw_action), "log_likelihood": log_likelihood},
            regularization_loss=-self.entropy_weight * entropy,
            metrics={"mu": mean, "sigma": std},
            rollout_extras=raw_action,
        )

    def _noise(self, like: jax.Array) -> jax.Array:
        """A draw from `N(0, I)` of the same shape, which advances the stream."""
        return jax.random.normal(self.rng(), like.shape)


class CategoricalSampler(ActionSampler):
    """One of n actions, by logits `[B, n]`; raw action and action are its index, `[B]` (int32).

    A logit of minus infinity forbids an action. The most likely action is the first of the largest
    logits.
    """

    def __init__(self, rng: Any, entropy_weight: float) -> None:
        """Keeps the stream that every step draws from.

        Args:
            rng: An `nnx.Rngs`, or anything that returns a new key at each call.
            entropy_weight: Weight of the entropy bonus.
        """
        self.rng = rng
        self.deterministic = False
        self.entropy_weight = entropy_weight

    def __call__(
        self, state: tuple[()], logits: jax.Array, rollout_extras: jax.Array | None = None
    ) -> StatefulModuleOutput:
        """One step; one draw in either pass.

        Args:
            state: Empty.
            logits: Unnormalized log-probabilities, `[B, n]`.
            rollout_extras: None to draw an action; in the loss replay the raw action, `[B]`.
        """
        del state
        log_probs = jax.nn.log_softmax(logits, axis=-1)
        # As above: the replay draws for the stream's sake.
        if self.deterministic:
            drawn = jnp.argmax(logits, axis=-1)
        else:
            drawn = jax.random.categorical(self.rng(), logits, axis=-1)
        raw_action = drawn if rollout_extras is None else rollout_extras
        log_likelihood = jnp.take_along_axis(log_probs, raw_action[..., None], axis=-1)[..., 0]
        entropy = _categorical_entropy(log_probs)
        return StatefulModuleOutput(
            next_state=(),
            output={"action": raw_action, "log_likelihood": log_likelihood},
            regularization_loss=-self.entropy_weight * entropy,
            metrics={"probabilities": jnp.exp(log_probs), "entropy": entropy},
            rollout_extras=raw_action,
        )


def _normal_log_density(value: jax.Array, mean: jax.Array, std: jax.Array) -> jax.Array:
    """Log-density of a diagonal Gaussian, `[B, D]` to `[B]`."""
    standardized = (value - mean) / std
    return -jnp.sum(0.5 * standardized**2 + jnp.log(std) + 0.5 * jnp.log(2 * jnp.pi), axis=-1)


def _normal_entropy(std: jax.Array) -> jax.Array:
    """Entropy of a diagonal Gaussian, `[B, D]` to `[B]`: `sum(log(std) + log(2 pi e) / 2)`."""
    return jnp.sum(jnp.log(std) + 0.5 * (1 + jnp.log(2 * jnp.pi)), axis=-1)


def _log_tanh_slope(z: jax.Array) -> jax.Array:
    """`log(dtanh(z)/dz) = log(1 - tanh(z)²)`, without overflow where tanh saturates.

    Equal to `2 (log 2 - z - softplus(-2 z))`, as in TensorFlow Probability's `Tanh` bijector. The
    change of variables is that of Haarnoja et al. 2018, arXiv:1801.01290, appendix C.
    """
    return 2 * (jnp.log(2.0) - z - jax.nn.softplus(-2 * z))


def _categorical_entropy(log_probs: jax.Array) -> jax.Array:
    """Entropy `-sum(p log p)`, `[B, n]` to `[B]`, with `0 log 0 = 0`, also in the gradient."""
    possible = log_probs > -jnp.inf
    safe = jnp.where(possible, log_probs, 0.0)
    return -jnp.sum(jnp.where(possible, jnp.exp(safe) * safe, 0.0), axis=-1)
