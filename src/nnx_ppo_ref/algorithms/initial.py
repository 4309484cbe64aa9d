"""The state that training starts from."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import optax
from flax import nnx

from nnx_ppo_ref.algorithms import pure
from nnx_ppo_ref.algorithms.checks import check_carry, check_fit
from nnx_ppo_ref.algorithms.static import Static
from nnx_ppo_ref.algorithms.types import RLEnv, TrainingState
from nnx_ppo_ref.networks.types import StatefulModule
from nnx_ppo_ref.trees import strong, widen


def new_training_state(
    env: RLEnv,
    networks: StatefulModule,
    n_envs: int,
    seed: int | jax.Array,
    learning_rate: float | optax.Schedule = 1e-4,
    gradient_clipping: float | None = None,
    weight_decay: float | None = None,
) -> TrainingState:
    """Resets the environments, seeds the network's carry, and makes an optimizer.

    Args:
        env: The environment.
        networks: The network; the state refers to it, not to a copy.
        n_envs: Number of environments, B.
        seed: Seeds the environments and the shuffling.
        learning_rate: Adam's, or a function from the number of the update to it.
        gradient_clipping: Largest global norm of a gradient, or None.
        weight_decay: AdamW's decay; True means its default, None means Adam.

    Raises:
        ValueError: If network and environment do not fit together, or the carry does not replay.
    """
    if n_envs < 1:
        raise ValueError(f"n_envs must be at least 1, got {n_envs}")
    env_key, training_key = jax.random.split(jax.random.key(seed))
    env_states = _reset(Static(env), jax.random.split(env_key, n_envs))
    network_states = strong(networks.initialize_state(n_envs))
    check_carry(network_states, n_envs)
    stepped = check_fit(env, pure.split(networks), network_states, env_states)
    rate = learning_rate if callable(learning_rate) else float(learning_rate)
    transformation = _transformation(rate, gradient_clipping, weight_decay)
    optimizer = nnx.Optimizer(networks, transformation, wrt=nnx.Param)
    return TrainingState(
        networks=networks,
        network_states=network_states,
        env_states=widen(env_states, stepped),
        optimizer=optimizer,
        rng_key=training_key,
        steps_taken=jnp.array(0.0),
    )


@functools.partial(jax.jit, static_argnums=0)
def _reset(env: Static[RLEnv], keys: jax.Array) -> Any:
    """The environments' first states, `[B, ...]`; compiled, which is faster than op by op."""
    return strong(jax.vmap(env.value.reset)(keys))


@functools.lru_cache(typed=True)  # equal settings, equal optimizers: compiled only once
def _transformation(
    learning_rate: float | optax.Schedule,
    gradient_clipping: float | None,
    weight_decay: float | None,
) -> optax.GradientTransformation:
    links: list[Any] = []
    if gradient_clipping is not None:
        links.append(optax.clip_by_global_norm(gradient_clipping))
    if weight_decay is None:
        links.append(optax.adam(learning_rate))
    elif weight_decay is True:
        links.append(optax.adamw(learning_rate))
    else:
        links.append(optax.adamw(learning_rate, weight_decay=weight_decay))
    return optax.chain(*links)
