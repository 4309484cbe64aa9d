"""The bottleneck: same arithmetic as nnx-ppo's, replayable noise, no key used twice."""

from __future__ import annotations

from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from nnx_ppo_ref import VariationalBottleneck
from nnx_ppo_ref.variational import gaussian_divergence

BATCH, LATENT, STEPS = 6, 3, 4


@pytest.fixture(autouse=True)
def key_reuse_is_an_error() -> Iterator[None]:
    with jax.debug_key_reuse(True):
        yield


@pytest.fixture(scope="module")
def observations() -> jax.Array:
    return jax.random.normal(jax.random.key(3), (STEPS, BATCH, 2 * LATENT))


def run(layer: VariationalBottleneck, key: jax.Array, xs: jax.Array) -> jax.Array:
    def step(carry: jax.Array, x: jax.Array) -> tuple[jax.Array, jax.Array]:
        output = layer(carry, x)
        return output.next_state, output.output

    return jax.lax.scan(step, key, xs)[1]


def test_a_permuted_minibatch_replays_the_rollout(observations: jax.Array) -> None:
    layer = VariationalBottleneck(LATENT, nnx.Rngs(0))
    keys = layer.initialize_state(BATCH)
    minibatch = np.array([5, 0, 2])
    again = jax.random.clone(keys)  # a replay is the one place where a key is meant to come twice
    rollout = run(layer, keys, observations)
    replay = run(layer, again[minibatch], observations[:, minibatch])
    np.testing.assert_allclose(replay, rollout[:, minibatch], atol=1e-6)


def test_noise_differs_between_steps_environments_and_rollouts() -> None:
    layer = VariationalBottleneck(LATENT, nnx.Rngs(0))
    same = jnp.zeros((STEPS, BATCH, 2 * LATENT))
    samples = np.concatenate(
        [run(layer, layer.initialize_state(BATCH), same).reshape(-1, LATENT) for _ in range(2)]
    )
    assert len(np.unique(samples, axis=0)) == 2 * STEPS * BATCH


def test_everything_but_the_noise_is_nnx_ppos(observations: jax.Array) -> None:
    theirs = pytest.importorskip("nnx_ppo.networks.variational").VariationalBottleneck
    x = observations[0]
    keys = jax.random.split(jax.random.key(1), BATCH)
    with jax.debug_key_reuse(False):  # theirs draws from a key and then splits it
        expected = theirs(LATENT, nnx.Rngs(0), kl_weight=0.3, min_std=0.01)(keys, x)
    ours = VariationalBottleneck(LATENT, nnx.Rngs(0), kl_weight=0.3, min_std=0.01)(keys, x)
    np.testing.assert_allclose(ours.regularization_loss, expected.regularization_loss, rtol=1e-5)
    assert ours.metrics.keys() == expected.metrics.keys()
    for name, value in ours.metrics.items():
        np.testing.assert_allclose(value, expected.metrics[name], rtol=1e-5)
    assert ours.output.shape == expected.output.shape
    assert ours.rollout_extras is None


def test_a_reset_leaves_the_keys_as_they_are() -> None:
    layer = VariationalBottleneck(LATENT, nnx.Rngs(0))
    keys = layer.initialize_state(BATCH)
    assert layer.reset_state(keys) is keys


def test_the_divergence_of_the_prior_from_itself_is_zero() -> None:
    divergence = gaussian_divergence(jnp.zeros((BATCH, LATENT)), jnp.ones((BATCH, LATENT)))
    np.testing.assert_array_equal(divergence, np.zeros(BATCH))
