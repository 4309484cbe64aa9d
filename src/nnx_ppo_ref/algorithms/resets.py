"""Resets of the network's carry, drawn in the rollout and put back in the replay."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from nnx_ppo_ref.networks.types import ModuleState, StatefulModule
from nnx_ppo_ref.trees import tree_where


def reset_where(
    networks: StatefulModule, done: jax.Array, state: ModuleState, reset_draws: Any = None
) -> tuple[ModuleState, Any]:
    """Resets the carry of the environments that are done.

    A reset may draw from the module's own stream, which gives other numbers each time it is
    called. So the rollout keeps what has no gradient, such as the keys that the reset made, and
    the replay puts it back. The rest is computed anew, for the gradients of a learned initial
    state; so floating-point noise in it must be drawn from a carried key.

    Args:
        networks: The network.
        done: Whether an environment's episode has ended, bool `[B]`.
        state: The carry after a step, `[B, ...]`.
        reset_draws: None in the rollout; in the replay what this returned there.

    Returns:
        The carry, `[B, ...]`, and what the replay must put back, by position among the leaves.
    """
    leaves, structure = jax.tree.flatten(state)
    fresh = jax.tree.leaves(networks.reset_state(state))
    if reset_draws is None:
        reset_draws = {
            str(position): leaf
            for position, (leaf, old) in enumerate(zip(fresh, leaves, strict=True))
            # An untouched leaf, as of a key chain that survives resets, is the same object.
            if leaf is not old and not jnp.issubdtype(jnp.result_type(leaf), jnp.inexact)
        }
    fresh = [reset_draws.get(str(position), leaf) for position, leaf in enumerate(fresh)]
    return tree_where(done, jax.tree.unflatten(structure, fresh), state), reset_draws
