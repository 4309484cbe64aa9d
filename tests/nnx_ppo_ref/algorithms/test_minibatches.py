"""Every epoch sees every environment once, in an order of its own."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nnx_ppo_ref.algorithms.minibatches import minibatch_indices, take
from nnx_ppo_ref.algorithms.types import Transition
from nnx_ppo_ref.networks.types import PPONetworkOutput


@pytest.mark.parametrize(
    ("n_envs", "n_epochs", "n_minibatches"), [(12, 3, 4), (6, 2, 1), (5, 2, 5)]
)
def test_every_epoch_sees_each_environment_once(
    n_envs: int, n_epochs: int, n_minibatches: int
) -> None:
    found = minibatch_indices(jax.random.key(0), n_envs, n_epochs, n_minibatches)
    assert found.shape == (n_epochs * n_minibatches, n_envs // n_minibatches)
    epochs = np.asarray(found).reshape(n_epochs, n_envs)
    np.testing.assert_array_equal(np.sort(epochs), np.tile(np.arange(n_envs), (n_epochs, 1)))
    assert len(np.unique(epochs, axis=0)) == n_epochs


def test_a_minibatch_keeps_the_order_of_steps() -> None:
    steps = jnp.arange(20).reshape(4, 5)
    carry = {"k": jax.random.split(jax.random.key(0), 5), "h": jnp.arange(5)}
    chosen = jnp.array([3, 1])
    rollout = Transition(
        obs=steps,
        network_output=PPONetworkOutput(steps, steps, steps),
        rewards=steps,
        done=steps > 7,
        truncated=steps > 7,
        next_obs=steps,
        metrics={"net": jnp.zeros(4), "env": {}},  # one number a step, for all environments
    )
    state, transitions = take(carry, rollout, chosen)
    np.testing.assert_array_equal(transitions.obs, [[3, 1], [8, 6], [13, 11], [18, 16]])
    assert transitions.metrics == {}
    np.testing.assert_array_equal(state["h"], chosen)
    assert state["k"].shape == (2,)
