"""Shuffled minibatches of environments; each keeps its whole rollout, in order."""

from __future__ import annotations

import jax

from nnx_ppo_ref.algorithms.types import Transition
from nnx_ppo_ref.networks.types import ModuleState


def minibatch_indices(key: jax.Array, n_envs: int, n_epochs: int, n_minibatches: int) -> jax.Array:
    """Which environments each update sees, `[n_epochs * n_minibatches, n_envs / n_minibatches]`.

    Every epoch is a new permutation of all environments.
    """
    keys = jax.random.split(key, n_epochs)
    orders = jax.vmap(lambda k: jax.random.permutation(k, n_envs))(keys)
    return orders.reshape(n_epochs * n_minibatches, n_envs // n_minibatches)


def take(
    network_state: ModuleState, rollout_data: Transition, indices: jax.Array
) -> tuple[ModuleState, Transition]:
    """The carry `[b, ...]` and the transitions `[T, b, ...]` of some environments.

    Metrics are left out: the loss does not read them, and they need not have environments.
    """
    return (
        jax.tree.map(lambda leaf: leaf[indices], network_state),
        jax.tree.map(lambda leaf: leaf[:, indices], rollout_data.replace(metrics={})),
    )
