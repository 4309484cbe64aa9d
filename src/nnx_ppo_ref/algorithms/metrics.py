"""Names for what a step measured."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx

from nnx_ppo_ref.algorithms.types import LoggingLevel, Transition
from nnx_ppo_ref.networks.types import StatefulModule

Percentiles = tuple[int, ...] | None


def compute_metrics(
    loss_metrics: dict[str, Any],
    rollout_data: Transition,
    logging_level: LoggingLevel,
    percentile_levels: Percentiles = None,
) -> dict[str, Any]:
    """The metrics of one PPO step, scalars by name.

    Args:
        loss_metrics: What the loss returned, stacked over the updates.
        rollout_data: The transitions, `[T, B, ...]`.
        logging_level: Which of them.
        percentile_levels: Percentiles to log, or None for mean and standard deviation.
    """
    output = rollout_data.network_output
    sources: dict[LoggingLevel, dict[str, Callable[[], Any]]] = {
        LoggingLevel.ENV_METRICS: {"env": lambda: rollout_data.metrics["env"]},
        LoggingLevel.NETWORK_METRICS: {"net": lambda: rollout_data.metrics["net"]},
        LoggingLevel.ROLLOUT_STATS: {
            "rollout_batch/reward": lambda: rollout_data.rewards,
            "rollout_batch/action": lambda: output.actions,
        },
        LoggingLevel.ROLLOUT_OBS: {"rollout_batch/obs": lambda: rollout_data.obs},
        LoggingLevel.ACTOR_EXTRA: {"loglikelihood": lambda: output.loglikelihoods},
        LoggingLevel.CRITIC_EXTRA: {"losses/predicted_value": lambda: output.value_estimates},
    }
    metrics: dict[str, Any] = {}
    for name, value in loss_metrics.items():
        log_metric(metrics, name, value, percentile_levels)
    for level, named in sources.items():
        if level in logging_level:
            for name, read in named.items():
                log_metric(metrics, name, read(), percentile_levels)
    if LoggingLevel.ROLLOUT_STATS in logging_level:
        metrics["rollout_batch/done_rate"] = rollout_data.done.mean()
        metrics["rollout_batch/truncation_rate"] = rollout_data.truncated.mean()
    return metrics


def log_metric(
    metrics: dict[str, Any], name: str, value: Any, percentile_levels: Percentiles = None
) -> None:
    """Adds a value to `metrics`: `name/mean` and `name/std`, or `name/p5` and so on.

    Mappings are followed, with `name/key`; of flags the share that is true is logged as `name`.
    """
    if isinstance(value, Mapping):
        for key, inner in value.items():
            log_metric(metrics, f"{name}/{key}", inner, percentile_levels)
    elif jnp.issubdtype(jnp.result_type(value), jnp.bool_):
        metrics[name] = jnp.mean(value)
    else:
        metrics.update(distribution(name, value, percentile_levels))


def distribution(name: str, value: Any, percentile_levels: Percentiles) -> dict[str, jax.Array]:
    """Mean and standard deviation of an array, or its percentiles, by name."""
    if not percentile_levels:
        return {f"{name}/mean": jnp.mean(value), f"{name}/std": jnp.std(value)}
    percentiles = jnp.percentile(value, jnp.array(percentile_levels))
    return {
        f"{name}/p{int(level)}": percentile
        for level, percentile in zip(percentile_levels, percentiles, strict=True)
    }


def log_weight_stats(
    metrics: dict[str, Any], networks: StatefulModule, percentile_levels: Percentiles = None
) -> None:
    """Adds the distribution of all parameters to `metrics`, as `weights/...`."""
    leaves = jax.tree.leaves(nnx.state(networks, nnx.Param))
    if not leaves:
        warnings.warn("the network has no nnx.Param, so no weights are logged", stacklevel=2)
        return
    log_metric(
        metrics, "weights", jnp.concatenate([leaf.ravel() for leaf in leaves]), percentile_levels
    )
