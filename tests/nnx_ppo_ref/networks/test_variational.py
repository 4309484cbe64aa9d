"""The bottlenecks: their losses and carries.

That they do what nnx-ppo's do is in `test_same_as_nnx_ppo`, what all noisy layers share in
`test_stochastic`.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from nnx_ppo_ref.networks.variational import (
    AR1VariationalBottleneck,
    VariationalBottleneck,
    gaussian_divergence,
)

BATCH, LATENT = 6, 3


def test_a_reset_leaves_the_keys_as_they_are() -> None:
    layer = VariationalBottleneck(LATENT, nnx.Rngs(0))
    keys = layer.initialize_state(BATCH)
    assert layer.reset_state(keys) is keys


def test_the_divergence_of_the_prior_from_itself_is_zero() -> None:
    divergence = gaussian_divergence(jnp.zeros((BATCH, LATENT)), jnp.ones((BATCH, LATENT)))
    np.testing.assert_array_equal(divergence, np.zeros(BATCH))


def two_steps(layer: AR1VariationalBottleneck, x: jax.Array) -> tuple[jax.Array, jax.Array]:
    first = layer(layer.initialize_state(BATCH), x)
    second = layer(first.next_state, 2 * x)
    return first.metrics["l2_diff"], second.metrics["l2_diff"]


def test_only_the_first_step_of_an_episode_moves_for_free() -> None:
    layer = AR1VariationalBottleneck(LATENT, nnx.Rngs(0))
    first, second = two_steps(layer, jnp.ones((BATCH, 2 * LATENT)))
    np.testing.assert_array_equal(first, np.zeros(BATCH))
    assert (second > 0).all()


def test_a_reset_forgets_the_latent_and_keeps_the_keys() -> None:
    layer = AR1VariationalBottleneck(LATENT, nnx.Rngs(0))
    carry = layer(layer.initialize_state(BATCH), jnp.ones((BATCH, 2 * LATENT))).next_state
    reset = layer.reset_state(carry)
    assert reset["keys"] is carry["keys"]
    assert jnp.isnan(reset["last_z"]).all()
    assert layer(reset, jnp.ones((BATCH, 2 * LATENT))).metrics["l2_diff"].max() == 0


@pytest.mark.parametrize("through_time", [True, False])
def test_movement_draws_the_last_latent_only_if_asked(through_time: bool) -> None:
    layer = AR1VariationalBottleneck(LATENT, nnx.Rngs(0), backprop_through_time=through_time)
    keys = layer.initialize_state(BATCH)["keys"]

    def loss(last_z: jax.Array) -> Any:
        carry = {"keys": keys, "last_z": last_z}
        return layer(carry, jnp.ones((BATCH, 2 * LATENT))).regularization_loss.sum()

    assert bool(jnp.any(jax.grad(loss)(jnp.zeros((BATCH, LATENT))) != 0)) is through_time


def test_no_gradient_is_nan_where_there_is_no_latent_yet() -> None:
    layer = AR1VariationalBottleneck(LATENT, nnx.Rngs(0))
    carry = layer.initialize_state(BATCH)
    slope = jax.grad(lambda x: layer(carry, x).regularization_loss.sum())
    assert jnp.isfinite(slope(jnp.ones((BATCH, 2 * LATENT)))).all()
