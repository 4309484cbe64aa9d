"""PPO's loss on one minibatch."""

from __future__ import annotations

import functools
import operator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from flax import nnx

from nnx_ppo_ref.algorithms import pure
from nnx_ppo_ref.algorithms.advantages import gae
from nnx_ppo_ref.algorithms.replay import replay, seen
from nnx_ppo_ref.algorithms.types import LoggingLevel, Transition
from nnx_ppo_ref.networks.types import ModuleState, PPONetworkOutput, StatefulModule
from nnx_ppo_ref.trees import clone_keys

Scalar = float | jax.Array


class LossSettings(NamedTuple):
    """The loss's settings, as in `PPOConfig`."""

    clip_range: Scalar
    normalize_advantages: bool
    combine_advantages: bool
    discounting_factor: Scalar
    gae_lambda: Scalar
    critic_loss_weight: Scalar
    logging_level: LoggingLevel


def ppo_loss(
    networks: StatefulModule,
    network_state: ModuleState,
    rollout_data: Transition,
    clip_range: Scalar,
    normalize_advantages: bool,
    combine_advantages: bool,
    discounting_factor: Scalar,
    gae_lambda: Scalar,
    critic_loss_weight: Scalar,
    logging_level: LoggingLevel,
) -> tuple[jax.Array, dict[str, Any]]:
    """PPO's loss (Schulman et al. 2017, arXiv:1707.06347, equation 9, with regularization).

    `L = actor + critic_loss_weight * critic + regularization`; an entropy bonus is part of the
    regularization, which the network itself computes.

    Args:
        networks: The network; differentiate in its parameters, as with `nnx.grad`.
        network_state: Its carry at the start of the rollout, `[B, ...]`.
        rollout_data: Transitions of the same environments, `[T, B, ...]`.
        clip_range: The surrogate's epsilon.
        normalize_advantages: Whether advantages get mean 0 and deviation 1.
        combine_advantages: Whether the advantages of several rewards are summed.
        discounting_factor: The discount, gamma.
        gae_lambda: Generalized advantage estimation's lambda.
        critic_loss_weight: The critic's share.
        logging_level: Which metrics to return.

    Returns:
        The loss, a scalar, and metrics.
    """
    parts = pure.split(networks)
    settings = LossSettings(
        clip_range,
        normalize_advantages,
        combine_advantages,
        discounting_factor,
        gae_lambda,
        critic_loss_weight,
        logging_level,
    )
    total, (others, metrics) = loss(parts, network_state, rollout_data, settings)
    nnx.update(networks, others)
    return total, metrics


def loss(
    parts: pure.Split, network_state: ModuleState, rollout_data: Transition, settings: LossSettings
) -> tuple[jax.Array, tuple[pure.Variables, dict[str, Any]]]:
    """`ppo_loss` as a pure function; also returns the network's other Variables."""
    rollout_data = jax.lax.stop_gradient(rollout_data)
    # Each key is used a second time here, on purpose: a replay is to see the rollout's noise.
    replayed = replay(parts, clone_keys(network_state), clone_keys(seen(rollout_data)))
    output: PPONetworkOutput = replayed.output

    last_obs = jax.tree.map(lambda leaf: leaf[-1], rollout_data.next_obs)
    # One call more for the value after the last step; its actions are not used.
    others, answer = pure.apply(
        parts._replace(others=replayed.others),
        lambda networks: networks(replayed.network_state, last_obs),
    )
    advantages = _advantages(
        rollout_data, output.value_estimates, answer.output.value_estimates, settings
    )
    targets = jax.lax.stop_gradient(jax.tree.map(jnp.add, output.value_estimates, advantages))
    policy_advantages = _policy_advantages(advantages, output.loglikelihoods, settings)

    old_loglikelihoods = rollout_data.network_output.loglikelihoods
    actor = jax.tree.map(
        functools.partial(clipped_surrogate, clip_range=settings.clip_range),
        output.loglikelihoods,
        old_loglikelihoods,
        policy_advantages,
    )
    critic = jax.tree.map(
        lambda value, target: 0.5 * jnp.mean((value - target) ** 2), output.value_estimates, targets
    )
    regularization = jax.tree.map(jnp.mean, replayed.regularization_loss)
    total = (
        jax.tree.reduce(operator.add, actor)
        + settings.critic_loss_weight * jax.tree.reduce(operator.add, critic)
        + jax.tree.reduce(operator.add, regularization)
    )

    metrics: dict[str, Any] = {}
    if LoggingLevel.LOSSES in settings.logging_level:
        metrics["losses/actor"] = actor
        metrics["losses/critic"] = critic
        metrics["losses/regularization"] = regularization
    if LoggingLevel.ACTOR_EXTRA in settings.logging_level:
        metrics["losses/clipping_fraction"] = jax.tree.map(
            functools.partial(clipping_fraction, clip_range=settings.clip_range),
            output.loglikelihoods,
            old_loglikelihoods,
        )
    if LoggingLevel.CRITIC_EXTRA in settings.logging_level:
        metrics["losses/advantages"] = policy_advantages
        metrics["losses/critic_R^2"] = jax.tree.map(explained_variance, critic, targets)
    return total, (others, metrics)


def clipped_surrogate(
    new: jax.Array, old: jax.Array, advantages: jax.Array, clip_range: Scalar
) -> jax.Array:
    """The clipped surrogate objective, negated (arXiv:1707.06347, equation 7).

    Args:
        new: Log-likelihoods under the policy to be updated, `[T, B]`.
        old: Log-likelihoods in the rollout, `[T, B]`.
        advantages: `[T, B]`.
        clip_range: Epsilon.
    """
    ratios = jnp.exp(new - old)
    clipped = jnp.clip(ratios, 1 - clip_range, 1 + clip_range)
    return -jnp.mean(jnp.minimum(ratios * advantages, clipped * advantages))


def clipping_fraction(new: jax.Array, old: jax.Array, clip_range: Scalar) -> jax.Array:
    """The share of importance ratios outside the clip range; 0 before the first update."""
    return jnp.mean(jnp.abs(jnp.exp(new - old) - 1.0) > clip_range)


def explained_variance(critic_loss: jax.Array, targets: jax.Array) -> jax.Array:
    """The critic's coefficient of determination, 1 if it is perfect."""
    return 1.0 - 2 * critic_loss / (jnp.var(targets) + 1e-8)


def _advantages(
    rollout_data: Transition, values: Any, last_values: Any, settings: LossSettings
) -> Any:
    """The advantages of each reward, `[T, B]`."""
    done, truncated = rollout_data.done, rollout_data.truncated
    if isinstance(done, jax.Array):  # one end of the episode for all rewards
        done = jax.tree.map(lambda _: done, rollout_data.rewards)
        truncated = jax.tree.map(lambda _: truncated, rollout_data.rewards)
    estimate = functools.partial(
        gae, lambda_=settings.gae_lambda, gamma=settings.discounting_factor
    )
    advantages = jax.tree.map(estimate, rollout_data.rewards, values, last_values, done, truncated)
    return jax.lax.stop_gradient(advantages)


def _policy_advantages(advantages: Any, loglikelihoods: Any, settings: LossSettings) -> Any:
    """The advantages as the actor's loss wants them, one for each log-likelihood."""
    if settings.combine_advantages:
        total = jax.tree.reduce(operator.add, advantages)
        advantages = jax.tree.map(lambda _: total, loglikelihoods)
    if settings.normalize_advantages:
        advantages = jax.tree.map(lambda a: (a - a.mean()) / (a.std() + 1e-8), advantages)
    return advantages
