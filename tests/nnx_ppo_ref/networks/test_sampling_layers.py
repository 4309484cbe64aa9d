"""Samplers: the action of the rollout is the one that the replay scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from nnx_ppo_ref.networks.adapter import PPOAdapter
from nnx_ppo_ref.networks.feedforward import Dense
from nnx_ppo_ref.networks.sampling_layers import (
    ActionSampler,
    CategoricalSampler,
    NormalTanhSampler,
)

BATCH, SIZE = 5, 4

SAMPLERS: dict[str, Callable[[nnx.Rngs], ActionSampler]] = {
    "NormalTanhSampler": lambda rngs: NormalTanhSampler(rngs, 0.1),
    "CategoricalSampler": lambda rngs: CategoricalSampler(rngs, 0.1),
}
each_sampler = pytest.mark.parametrize("build", SAMPLERS.values(), ids=SAMPLERS)


@pytest.fixture(scope="module")
def x() -> jax.Array:
    return jax.random.normal(jax.random.key(3), (BATCH, SIZE))


def drawn(sampler: Any) -> int:
    return int(sampler.rng.default.count[...])


@each_sampler
def test_the_replay_scores_the_action_of_the_rollout(
    build: Callable[[nnx.Rngs], Any], x: jax.Array
) -> None:
    sampler = build(nnx.Rngs(0))
    out = sampler((), x)
    minibatch = np.array([4, 0, 2])
    replay = sampler((), x[minibatch], out.rollout_extras[minibatch])
    for name in ("action", "log_likelihood"):
        np.testing.assert_allclose(replay.output[name], out.output[name][minibatch], rtol=1e-5)
    moved = sampler((), x + 1.0, out.rollout_extras)
    np.testing.assert_array_equal(moved.rollout_extras, out.rollout_extras)
    np.testing.assert_array_equal(moved.output["action"], out.output["action"])


@each_sampler
@pytest.mark.parametrize("deterministic", [True, False])
def test_the_stream_advances_equally_in_both_passes(
    build: Callable[[nnx.Rngs], Any], x: jax.Array, deterministic: bool
) -> None:
    sampler = build(nnx.Rngs(0))
    if deterministic:
        sampler.eval()
    extras = sampler((), x).rollout_extras
    rollout = drawn(sampler)
    sampler((), x, extras)
    assert drawn(sampler) == 2 * rollout


@each_sampler
def test_actions_differ_between_steps_unless_deterministic(
    build: Callable[[nnx.Rngs], Any],
) -> None:
    sampler = build(nnx.Rngs(0))
    same = jnp.zeros((BATCH, SIZE))

    def actions() -> int:
        steps = [np.asarray(sampler((), same).output["action"]) for _ in range(8)]
        return len(np.unique(np.stack(steps), axis=0))

    assert actions() > 4
    sampler.eval()
    assert actions() == 1


def test_a_category_comes_as_often_as_its_probability_says() -> None:
    probabilities = np.array([0.5, 0.3, 0.2, 0.0], np.float32)
    logits = jnp.broadcast_to(jnp.log(probabilities), (3000, SIZE))
    out = CategoricalSampler(nnx.Rngs(0), 0.1)((), logits)
    assert out.output["action"].dtype == jnp.int32
    assert out.output["action"].shape == (3000,)
    frequencies = np.bincount(out.output["action"], minlength=SIZE) / 3000
    np.testing.assert_allclose(frequencies, probabilities, atol=0.04)
    assert frequencies[3] == 0
    np.testing.assert_allclose(
        out.output["log_likelihood"], np.log(probabilities[out.output["action"]]), rtol=1e-5
    )


def test_the_entropy_of_categories_is_exact_and_draws_nothing(x: jax.Array) -> None:
    sampler = CategoricalSampler(nnx.Rngs(0), 0.1)
    out = sampler((), x)
    probabilities = nnx.softmax(x)
    entropy = -jnp.sum(probabilities * jnp.log(probabilities), axis=-1)
    np.testing.assert_allclose(out.metrics["entropy"], entropy, rtol=1e-5)
    np.testing.assert_allclose(out.regularization_loss, -0.1 * entropy, rtol=1e-5)
    np.testing.assert_allclose(out.metrics["probabilities"], probabilities, rtol=1e-5)
    assert drawn(sampler) == 1


def test_the_likeliest_category_is_taken_in_evaluation(x: jax.Array) -> None:
    sampler: Any = CategoricalSampler(nnx.Rngs(0), 0.1)
    sampler.eval()
    np.testing.assert_array_equal(sampler((), x).output["action"], np.argmax(x, axis=-1))
    assert drawn(sampler) == 0


def test_a_forbidden_category_leaves_every_gradient_finite() -> None:
    sampler = CategoricalSampler(nnx.Rngs(0), 0.1)
    logits = jnp.array([[0.0, -jnp.inf, 1.0]])

    def score(logits: jax.Array) -> Any:
        out = nnx.clone(sampler)((), logits, jnp.array([2]))
        return (out.regularization_loss + out.output["log_likelihood"]).sum()

    assert jnp.isfinite(jax.grad(score)(logits)).all()


def test_the_likelihood_of_squashed_actions_integrates_to_one() -> None:
    sampler = NormalTanhSampler(nnx.Rngs(0), 0.1)
    action = jnp.linspace(-1, 1, 4001)[1:-1]
    given = jnp.broadcast_to(jnp.array([0.3, 0.5]), (len(action), 2))
    out = sampler((), given, jnp.arctanh(action)[:, None])
    density = np.exp(out.output["log_likelihood"])
    np.testing.assert_allclose(np.trapezoid(density, action), 1.0, rtol=1e-3)


def test_categories_go_through_the_adapter() -> None:
    rngs = nnx.Rngs(0)
    net = PPOAdapter(action=CategoricalSampler(rngs, 0.1), value=Dense(SIZE, 1, rngs))
    x = jnp.ones((BATCH, SIZE))
    out = net(net.initialize_state(BATCH), x).output
    assert out.actions.shape == out.loglikelihoods.shape == out.value_estimates.shape == (BATCH,)
