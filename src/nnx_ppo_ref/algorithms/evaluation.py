"""Evaluation: one episode in each of some environments."""

from __future__ import annotations

import functools
import operator
from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx

from nnx_ppo_ref.algorithms import pure
from nnx_ppo_ref.algorithms.metrics import Percentiles, distribution, log_metric
from nnx_ppo_ref.algorithms.static import Static
from nnx_ppo_ref.algorithms.types import LoggingLevel, RLEnv
from nnx_ppo_ref.networks.types import StatefulModule
from nnx_ppo_ref.trees import expand, like, strong, widen


def eval_rollout(
    env: RLEnv,
    networks: StatefulModule,
    n_envs: int,
    max_episode_length: int,
    key: jax.Array,
    logging_percentiles: Percentiles = None,
    logging_level: LoggingLevel = LoggingLevel.NONE,
) -> dict[str, jax.Array]:
    """Runs one episode in each environment and measures it.

    Args:
        env: The environment.
        networks: The network; call its `eval()` first for actions without exploration.
        n_envs: Number of environments, B.
        max_episode_length: Steps after which an episode is cut off.
        key: A key for the resets.
        logging_percentiles: Percentiles to log, or None for mean and standard deviation.
        logging_level: `ENV_METRICS` and `NETWORK_METRICS` add those metrics, averaged over an
            episode.

    Returns:
        Scalars under `eval/`: `eval/episode_reward/mean` and `/std` (and percentiles), `/<name>`
        for each of several rewards, `eval/lifespan`, `eval/env`, `eval/net`.
    """
    parts = pure.split(networks)
    metrics: dict[str, jax.Array]
    others, metrics = evaluate(
        Static(env), n_envs, max_episode_length, logging_percentiles, logging_level, parts, key
    )
    nnx.update(networks, others)
    return metrics


@functools.partial(jax.jit, static_argnums=(0, 1, 2, 3, 4))
def evaluate(
    env: Static[RLEnv],
    n_envs: int,
    max_episode_length: int,
    percentiles: Percentiles,
    level: LoggingLevel,
    parts: pure.Split,
    key: jax.Array,
) -> tuple[pure.Variables, dict[str, jax.Array]]:
    """`eval_rollout` as a pure function; also returns the network's other Variables."""
    wanted = [name for flag, name in EXTRA.items() if flag in level]
    others, totals = _episode_totals(env.value, parts, n_envs, max_episode_length, key, wanted)

    metrics: dict[str, Any] = {}
    episode_return = jax.tree.reduce(operator.add, totals["reward"])
    # Mean and deviation always, for they tell that an evaluation was run.
    metrics.update(distribution("eval/episode_reward", episode_return, None))
    if percentiles:
        metrics.update(distribution("eval/episode_reward", episode_return, percentiles))
    if isinstance(totals["reward"], Mapping):
        log_metric(metrics, "eval/episode_reward", totals["reward"], percentiles)
    log_metric(metrics, "eval/lifespan", totals["lifespan"], percentiles)
    steps = jnp.maximum(totals["lifespan"], 1.0)
    for name in wanted:
        average = jax.tree.map(lambda total: total / expand(steps, total), totals[name])
        log_metric(metrics, f"eval/{name}", average, percentiles)
    return others, metrics


EXTRA = {LoggingLevel.NETWORK_METRICS: "net", LoggingLevel.ENV_METRICS: "env"}
"""Metrics that are summed only if they are asked for."""


def _episode_totals(
    env: RLEnv,
    parts: pure.Split,
    n_envs: int,
    length: int,
    key: jax.Array,
    wanted: list[str],
) -> tuple[pure.Variables, dict[str, Any]]:
    """Sums over each environment's episode, `[B, ...]`, and the network's other Variables."""

    def step(carry: Any) -> tuple[Any, dict[str, Any]]:
        others, network_state, env_state, over = carry
        others, answer = pure.apply(
            parts._replace(others=others), lambda networks: networks(network_state, env_state.obs)
        )
        stepped = like(env_state, jax.vmap(env.step)(env_state, answer.output.actions))
        # An episode that is over stays over, whatever the environment says afterwards.
        over_now = over | stepped.done.astype(bool)
        found = {"net": answer.metrics, "env": stepped.metrics}
        counted = {"reward": stepped.reward, **{name: found[name] for name in wanted}}
        counted = jax.tree.map(lambda leaf: jnp.where(expand(over, leaf), 0, leaf), counted)
        counted["lifespan"] = jnp.where(over_now, 0.0, 1.0)
        return (others, answer.next_state, stepped, over_now), counted

    def add(carry: tuple[Any, Any], _: None) -> tuple[tuple[Any, Any], None]:
        following, counted = step(carry[0])
        return (following, jax.tree.map(jnp.add, carry[1], counted)), None

    others, network_state = pure.apply(parts, lambda networks: networks.initialize_state(n_envs))
    env_state = strong(jax.vmap(env.reset)(jax.random.split(key, n_envs)))
    over = env_state.done.astype(bool)
    (_, _, stepped, _), counted = jax.eval_shape(step, (others, network_state, env_state, over))
    nothing = jax.tree.map(jnp.zeros_like, counted)
    start = (others, network_state, widen(env_state, stepped), over)
    ((others, *_), totals), _ = jax.lax.scan(add, (start, nothing), length=length)
    return others, totals
