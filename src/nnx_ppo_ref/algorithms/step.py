"""One step of proximal policy optimization (Schulman et al. 2017, arXiv:1707.06347, alg. 1)."""

from __future__ import annotations

import dataclasses
import functools
import operator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from flax import nnx

from nnx_ppo_ref.algorithms import pure
from nnx_ppo_ref.algorithms.checks import check_state, check_step
from nnx_ppo_ref.algorithms.learner import Definitions, Learner, layout, take_apart, write_back
from nnx_ppo_ref.algorithms.loss import LossSettings, Scalar, loss
from nnx_ppo_ref.algorithms.metrics import Percentiles, compute_metrics, log_weight_stats
from nnx_ppo_ref.algorithms.minibatches import minibatch_indices, take
from nnx_ppo_ref.algorithms.rollout import rollout
from nnx_ppo_ref.algorithms.static import Static
from nnx_ppo_ref.algorithms.types import LoggingLevel, RLEnv, TrainingState, Transition
from nnx_ppo_ref.networks.types import ModuleState


@dataclasses.dataclass(frozen=True)
class StepSettings:
    """Settings that a compiled step is specialised to, as in `PPOConfig`."""

    n_envs: int
    rollout_length: int
    n_epochs: int
    n_minibatches: int
    normalize_advantages: bool
    combine_advantages: bool
    logging_level: LoggingLevel = LoggingLevel.LOSSES
    logging_percentiles: Percentiles = None


class StepScalars(NamedTuple):
    """Settings that may change from step to step, as in `PPOConfig`."""

    gae_lambda: Scalar
    discounting_factor: Scalar
    clip_range: Scalar
    critic_loss_weight: Scalar


def ppo_step(
    env: RLEnv,
    training_state: TrainingState,
    n_envs: int,
    rollout_length: int,
    gae_lambda: Scalar,
    discounting_factor: Scalar,
    clip_range: Scalar,
    normalize_advantages: bool,
    combine_advantages: bool,
    n_epochs: int,
    n_minibatches: int,
    critic_loss_weight: Scalar = 1.0,
    logging_level: LoggingLevel = LoggingLevel.LOSSES,
    logging_percentiles: Percentiles = None,
) -> tuple[TrainingState, dict[str, Any]]:
    """A rollout, and updates on its shuffled minibatches.

    Compiled at the first call for an environment, a network and settings. The modules of
    `training_state` are changed in place, as nnx-ppo's are.

    Args:
        env: The environment.
        training_state: Where to start.
        n_envs: Number of environments, B.
        rollout_length: Number of steps, T.
        gae_lambda: Generalized advantage estimation's lambda.
        discounting_factor: The discount, gamma.
        clip_range: The surrogate's epsilon.
        normalize_advantages: Whether each minibatch's advantages get mean 0 and deviation 1.
        combine_advantages: Whether the advantages of several rewards are summed.
        n_epochs: Passes over the rollout.
        n_minibatches: Updates in each pass.
        critic_loss_weight: The critic's share of the loss.
        logging_level: Which metrics to return.
        logging_percentiles: Percentiles to log, or None for mean and standard deviation.

    Returns:
        The state after the step, and metrics by name.

    Raises:
        ValueError: If the sizes do not fit, or the carry does not replay.
    """
    check_step(n_envs, rollout_length, n_epochs, n_minibatches)
    check_state(training_state, n_envs)
    settings = StepSettings(
        n_envs,
        rollout_length,
        n_epochs,
        n_minibatches,
        normalize_advantages,
        combine_advantages,
        logging_level,
        logging_percentiles,
    )
    scalars = StepScalars(gae_lambda, discounting_factor, clip_range, critic_loss_weight)
    definitions, learner = take_apart(training_state)
    learner, metrics, _ = compiled_step(Static(env), definitions, settings, scalars, learner)
    return write_back(learner, training_state), metrics


@functools.partial(jax.jit, static_argnums=(0, 1, 2))
def compiled_step(
    env: Static[RLEnv],
    definitions: Definitions,
    settings: StepSettings,
    scalars: StepScalars,
    learner: Learner,
) -> tuple[Learner, dict[str, Any], jax.Array]:
    """`ppo_step` on arrays; also returns the mean reward of a step."""
    next_key, reset_key, shuffle_key = jax.random.split(learner.rng_key, 3)
    carry = (learner.network_states, learner.env_states)
    others, (network_states, env_states), transitions = rollout(
        env.value,
        definitions.parts(learner.params, learner.others),
        carry,
        settings.rollout_length,
        reset_key,
    )
    # The replay starts from the carry of before the rollout, which `learner` still holds.
    trained = _Trained(learner.params, others, learner.optimizer)
    trained, loss_metrics = _updates(
        definitions, settings, scalars, trained, learner.network_states, transitions, shuffle_key
    )
    steps_taken = learner.steps_taken + settings.rollout_length * settings.n_envs
    metrics = compute_metrics(
        loss_metrics, transitions, settings.logging_level, settings.logging_percentiles
    )
    metrics["total_steps"] = steps_taken

    def finish(networks: Any) -> None:
        if LoggingLevel.WEIGHTS in settings.logging_level:
            log_weight_stats(metrics, networks, settings.logging_percentiles)
        networks.update_statistics(transitions.rollout_extras)

    others, _ = pure.apply(definitions.parts(trained.params, trained.others), finish)
    learner = Learner(
        params=trained.params,
        others=others,
        optimizer=trained.optimizer,
        network_states=network_states,
        env_states=env_states,
        rng_key=next_key,
        steps_taken=steps_taken,
    )
    if definitions.mesh is not None:  # or the compiler might place the results elsewhere
        learner = jax.lax.with_sharding_constraint(learner, layout(learner, definitions.mesh))
    return learner, metrics, jnp.mean(jax.tree.reduce(operator.add, transitions.rewards))


def _updates(
    definitions: Definitions,
    settings: StepSettings,
    scalars: StepScalars,
    trained: _Trained,
    network_states: ModuleState,
    transitions: Transition,
    shuffle_key: jax.Array,
) -> tuple[_Trained, dict[str, Any]]:
    """All updates of one step; metrics are stacked over them."""
    loss_settings = LossSettings(
        **scalars._asdict(),
        normalize_advantages=settings.normalize_advantages,
        combine_advantages=settings.combine_advantages,
        logging_level=settings.logging_level,
    )

    def update(trained: _Trained, indices: jax.Array) -> tuple[_Trained, dict[str, Any]]:
        minibatch = take(network_states, transitions, indices)

        def minibatch_loss(params: pure.Variables) -> Any:
            return loss(definitions.parts(params, trained.others), *minibatch, loss_settings)

        gradients, (others, metrics) = jax.grad(minibatch_loss, has_aux=True)(trained.params)
        if LoggingLevel.GRAD_NORM in settings.logging_level:
            squares = [jnp.sum(leaf**2) for leaf in jax.tree.leaves(gradients)]
            metrics["grad_norm"] = jnp.sqrt(sum(squares))
        optimizer = nnx.merge(definitions.optimizer.graph, trained.optimizer, copy=True)
        after, _ = pure.applied(
            definitions.parts(trained.params, others),
            lambda networks: optimizer.update(networks, gradients),
        )
        return _Trained(after.params, after.others, nnx.state(optimizer)), metrics

    indices = minibatch_indices(
        shuffle_key, settings.n_envs, settings.n_epochs, settings.n_minibatches
    )
    return jax.lax.scan(update, trained, indices)


class _Trained(NamedTuple):
    """What an update changes."""

    params: pure.Variables
    others: pure.Variables
    optimizer: pure.Variables
