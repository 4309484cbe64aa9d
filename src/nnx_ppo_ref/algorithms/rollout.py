"""Rollout: the network drives the environments, and everything that the replay needs is kept."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx

from nnx_ppo_ref.algorithms import pure
from nnx_ppo_ref.algorithms.checks import check_carry, check_values
from nnx_ppo_ref.algorithms.evaluation import eval_rollout as eval_rollout
from nnx_ppo_ref.algorithms.resets import reset_where
from nnx_ppo_ref.algorithms.types import EnvState, RLEnv, Transition
from nnx_ppo_ref.networks.types import ModuleState, StatefulModule
from nnx_ppo_ref.trees import like
from nnx_ppo_ref.trees import tree_where as tree_where

Carry = tuple[ModuleState, Any]
"""The network's carry and the environments' states, each `[B, ...]`."""


def unroll_env(
    env: RLEnv,
    env_state: Any,
    networks: StatefulModule,
    network_state: ModuleState,
    unroll_length: int,
    rng_key_for_env_reset: jax.Array,
) -> tuple[ModuleState, Any, Transition]:
    """Takes `unroll_length` steps, T, in all environments.

    What the network writes to its Variables is written to `networks`.

    Args:
        env: The environment.
        env_state: The environments' states, `[B, ...]`.
        networks: The network.
        network_state: Its carry, `[B, ...]`.
        unroll_length: Number of steps, T.
        rng_key_for_env_reset: A key.

    Returns:
        The network's carry and the environments' states after the last step, and the transitions,
        `[T, B, ...]`.

    Raises:
        ValueError: If carried keys do not replay, a leaf of the carry lacks the batch, or value
            estimates and rewards differ in shape.
    """
    parts = pure.split(networks)
    others, carry, transitions = rollout(
        env, parts, (network_state, env_state), unroll_length, rng_key_for_env_reset
    )
    nnx.update(networks, others)
    return *carry, transitions


def rollout(
    env: RLEnv, parts: pure.Split, carry: Carry, length: int, key: jax.Array
) -> tuple[pure.Variables, Carry, Transition]:
    """`unroll_env` as a pure function; also returns the network's other Variables."""
    network_state, env_state = carry
    batch_size = env_state.done.shape[0]
    check_carry(network_state, batch_size)
    step = functools.partial(_step, env, parts)
    (others, carry), transitions = jax.lax.scan(
        step, (parts.others, carry), jax.random.split(key, (length, batch_size))
    )
    check_values(transitions)
    return others, carry, transitions


def _step(
    env: RLEnv, parts: pure.Split, carried: tuple[pure.Variables, Carry], keys: jax.Array
) -> tuple[tuple[pure.Variables, Carry], Transition]:
    others, carry = carried
    others, (following, transition) = pure.apply(
        parts._replace(others=others),
        lambda networks: single_transition(env, networks, carry, keys),
    )
    return (others, like(carry, following)), transition


def single_transition(
    env: RLEnv, networks: StatefulModule, carry: Carry, rng_keys_for_env_reset: jax.Array
) -> tuple[Carry, Transition]:
    """One step of all environments; those that are done start again.

    Args:
        env: The environment.
        networks: The network.
        carry: The network's carry and the environments' states, `[B, ...]`.
        rng_keys_for_env_reset: A key for each environment, `[B]`.

    Returns:
        The carry after the step and any resets, and the transition, `[B, ...]`.
    """
    network_state, env_state = carry
    answer = networks(network_state, env_state.obs)
    stepped: EnvState = jax.vmap(env.step)(env_state, answer.output.actions)
    done = stepped.done.astype(bool)
    truncated = stepped.info.get("truncated", jnp.zeros_like(done)).astype(bool)

    started = jax.vmap(env.reset)(rng_keys_for_env_reset)
    next_network_state, reset_draws = reset_where(networks, done, answer.next_state)
    transition = Transition(
        obs=env_state.obs,
        network_output=answer.output,
        rewards=stepped.reward,
        done=done,
        truncated=truncated,
        next_obs=stepped.obs,
        metrics={"env": stepped.metrics, "net": answer.metrics},
        rollout_extras=answer.rollout_extras,
        reset_draws=reset_draws,
    )
    return (next_network_state, tree_where(done, started, stepped)), transition
