"""Noisy layers: the same noise in the replay, new noise everywhere else, and what the noise is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from nnx_ppo_ref.networks.containers import Parallel, Sequential
from nnx_ppo_ref.networks.feedforward import Dense
from nnx_ppo_ref.networks.stochastic import BernoulliGate, Dropout, NoisyDense
from nnx_ppo_ref.networks.variational import AR1VariationalBottleneck, VariationalBottleneck

from .libraries import assert_same, clone, variables

BATCH, SIZE, STEPS = 6, 32, 4

LAYERS: dict[str, Callable[[nnx.Rngs], Any]] = {
    "NoisyDense": lambda rngs: NoisyDense(SIZE, SIZE, rngs),
    "Dropout": lambda rngs: Dropout(0.5, rngs),
    "BernoulliGate": lambda rngs: BernoulliGate(rngs),
    "VariationalBottleneck": lambda rngs: VariationalBottleneck(SIZE // 2, rngs),
    "AR1VariationalBottleneck": lambda rngs: AR1VariationalBottleneck(SIZE // 2, rngs),
    "all in containers": lambda rngs: Sequential(
        [
            NoisyDense(SIZE, SIZE, rngs, nnx.tanh),
            Parallel(a=BernoulliGate(rngs), b=Dropout(0.5, rngs)),
        ]
    ),
}
each_layer = pytest.mark.parametrize("build", LAYERS.values(), ids=LAYERS)
SWITCHED = {name: LAYERS[name] for name in ("NoisyDense", "Dropout", "BernoulliGate")}
each_switched_layer = pytest.mark.parametrize("build", SWITCHED.values(), ids=SWITCHED)


def run(layer: Any, carry: Any, xs: jax.Array, done: jax.Array) -> Any:
    """Outputs `[T, B, ...]`, resetting the environments that are done."""

    def reset(done: jax.Array, carry: Any) -> Any:
        # A key that a reset leaves alone is not chosen between itself and itself: JAX would take
        # that for two uses.
        return jax.tree.map(
            lambda new, old: new if new is old else jnp.where(done[:, None], new, old),
            layer.reset_state(carry),
            carry,
        )

    @jax.jit
    def rollout(carry: Any, xs: jax.Array, done: jax.Array) -> Any:
        def step(carry: Any, inputs: Any) -> Any:
            out = layer(carry, inputs[0])
            return reset(inputs[1], out.next_state), out.output

        return jax.lax.scan(step, carry, (xs, done))[1]

    return rollout(carry, xs, done)


def switch_off(layer: Any) -> None:
    """Puts a layer into evaluation mode the way that a whole network is put into it."""
    Sequential([layer]).eval()  # type: ignore[no-untyped-call]


def rows(outputs: Any) -> Any:
    """What every environment got at every step, one row each."""
    flat = [np.asarray(leaf).reshape(-1, leaf.shape[-1]) for leaf in jax.tree.leaves(outputs)]
    return np.concatenate(flat, axis=-1)


@each_layer
def test_a_permuted_minibatch_replays_the_rollout(build: Callable[[nnx.Rngs], Any]) -> None:
    layer = build(nnx.Rngs(0))
    xs = jax.random.normal(jax.random.key(3), (STEPS, BATCH, SIZE))
    done = jnp.zeros((STEPS, BATCH), bool).at[1, 2].set(True).at[2, 5].set(True)
    carry = layer.initialize_state(BATCH)
    minibatch = np.array([5, 0, 2])
    again = jax.tree.map(lambda leaf: leaf[minibatch], clone(carry))
    rollout = run(layer, carry, xs, done)
    replay = run(layer, again, xs[:, minibatch], done[:, minibatch])
    assert_same(replay, jax.tree.map(lambda leaf: leaf[:, minibatch], rollout))


@each_layer
def test_noise_differs_between_steps_environments_and_rollouts(
    build: Callable[[nnx.Rngs], Any],
) -> None:
    layer = build(nnx.Rngs(0))
    xs, done = jnp.ones((STEPS, BATCH, SIZE)), jnp.ones((STEPS, BATCH), bool)
    outputs = [rows(run(layer, layer.initialize_state(BATCH), xs, done)) for _ in range(2)]
    assert len(np.unique(np.concatenate(outputs), axis=0)) == 2 * STEPS * BATCH


@each_layer
def test_a_step_leaves_the_module_as_it_was(build: Callable[[nnx.Rngs], Any]) -> None:
    layer = build(nnx.Rngs(0))
    carry = layer.initialize_state(BATCH)
    before = variables(layer)
    layer(carry, jnp.ones((BATCH, SIZE)))
    assert_same(variables(layer), before)


@each_layer
def test_keys_that_do_not_replay_are_refused(build: Callable[[nnx.Rngs], Any]) -> None:
    layer = build(nnx.Rngs(jax.random.key(0, impl="rbg")))
    with pytest.raises(ValueError, match="rbg"):
        layer.initialize_state(BATCH)


@each_switched_layer
def test_evaluation_is_without_noise_and_shifts_none(build: Callable[[nnx.Rngs], Any]) -> None:
    layer = build(nnx.Rngs(0))
    carry, x = layer.initialize_state(BATCH), jnp.ones((BATCH, SIZE))
    after_training = layer(clone(carry), x).next_state
    switch_off(layer)
    out = layer(carry, x)
    assert len(np.unique(np.asarray(out.output), axis=0)) == 1
    assert_same(out.next_state, after_training)


def test_noise_of_a_dense_layer_has_the_learned_scale() -> None:
    layer = NoisyDense(2, 3, nnx.Rngs(0), initial_scale=0.5)
    layer.pre_scale[...] = layer.pre_scale[...] + jnp.arange(3.0)
    x = jnp.ones((4000, 2))
    out = layer(layer.initialize_state(4000), x)
    noise = np.asarray(out.output - layer.linear(x))
    scale = out.metrics["noise_scale"]
    np.testing.assert_allclose(scale[0], 0.5, rtol=1e-5)
    np.testing.assert_allclose(noise.std(axis=0), scale, rtol=0.05)
    np.testing.assert_allclose(noise.mean(axis=0) / scale, np.zeros(3), atol=0.05)
    correlations = np.corrcoef(noise.T) - np.eye(3)
    np.testing.assert_allclose(correlations, np.zeros((3, 3)), atol=0.06)


def test_a_dense_layer_without_noise_is_a_dense_layer() -> None:
    noisy = NoisyDense(2, 3, nnx.Rngs(0), nnx.tanh, use_bias=False)
    dense = Dense(2, 3, nnx.Rngs(0), nnx.tanh, use_bias=False)
    switch_off(noisy)
    x = jnp.ones((BATCH, 2))
    np.testing.assert_array_equal(
        noisy(noisy.initialize_state(BATCH), x).output, dense((), x).output
    )


def test_the_scale_learns_from_the_noise() -> None:
    layer = NoisyDense(2, 3, nnx.Rngs(0), initial_scale=0.5)
    carry, x = layer.initialize_state(BATCH), jnp.ones((BATCH, 2))
    eps = (layer(clone(carry), x).output - layer.linear(x)) / 0.5
    slopes = nnx.grad(lambda layer: layer(carry, x).output.sum())(layer)
    # d softplus(p) / dp = sigmoid(p), and sigmoid(p) = 1 - exp(-softplus(p)).
    expected = eps.sum(axis=0) * (1 - np.exp(-0.5))
    np.testing.assert_allclose(slopes["pre_scale"][...], expected, rtol=1e-4)


@pytest.mark.parametrize("scale", [1e-6, 0.1, 100.0])
def test_noise_starts_at_the_scale_asked_for(scale: float) -> None:
    layer = NoisyDense(1, 1, nnx.Rngs(0), initial_scale=scale)
    np.testing.assert_allclose(nnx.softplus(layer.pre_scale[...]), scale, rtol=1e-5)


@pytest.mark.parametrize("scale", [0.0, -1.0])
def test_noise_without_a_positive_scale_is_refused(scale: float) -> None:
    with pytest.raises(ValueError, match="positive"):
        NoisyDense(1, 1, nnx.Rngs(0), initial_scale=scale)


def test_dropout_drops_at_its_rate_and_keeps_the_mean() -> None:
    layer = Dropout(0.3, nnx.Rngs(0))
    x = jnp.full((2000, 4), 2.0)
    output = np.asarray(layer(layer.initialize_state(2000), x).output)
    np.testing.assert_allclose((output == 0).mean(axis=0), np.full(4, 0.3), atol=0.04)
    np.testing.assert_allclose(output[output != 0], 2 / 0.7, rtol=1e-6)
    np.testing.assert_allclose(output.mean(), 2.0, rtol=0.03)


def test_dropout_passes_the_gradient_of_what_it_keeps() -> None:
    layer = Dropout(0.5, nnx.Rngs(0))
    carry, x = layer.initialize_state(BATCH), jnp.ones((BATCH, 2, 3))
    slope = jax.grad(lambda x: layer(clone(carry), x).output.sum())(x)
    np.testing.assert_allclose(slope, layer(carry, x).output)


def test_dropout_at_a_rate_of_zero_draws_nothing() -> None:
    rngs = nnx.Rngs(0)
    layer = Dropout(0.0, rngs)
    carry, x = layer.initialize_state(BATCH), jnp.ones((BATCH, 3))
    out = layer(carry, x)
    assert out.output is x
    assert carry == out.next_state == layer.reset_state(carry) == ()
    assert rngs.default.count[...] == 0


@pytest.mark.parametrize("rate", [-0.1, 1.0, float("nan")])
def test_dropout_at_a_rate_that_leaves_nothing_is_refused(rate: float) -> None:
    with pytest.raises(ValueError, match="rate"):
        Dropout(rate, nnx.Rngs(0))


def gated(logits: list[float], batch: int) -> tuple[BernoulliGate, jax.Array]:
    """A gate and an input with values of 2."""
    x = jnp.concatenate([jnp.full(len(logits), 2.0), jnp.asarray(logits)])
    return BernoulliGate(nnx.Rngs(0)), jnp.broadcast_to(x, (batch, 2 * len(logits)))


def test_a_gate_opens_with_the_probability_of_its_logit() -> None:
    layer, x = gated([-100.0, -1.0, 0.0, 2.0, 100.0], 2000)
    out = layer(layer.initialize_state(2000), x)
    assert set(np.unique(out.output)) == {0.0, 2.0}
    probability = nnx.sigmoid(x[0, 5:])
    np.testing.assert_allclose(np.mean(out.output / 2, axis=0), probability, atol=0.04)
    np.testing.assert_allclose(out.metrics["probability"][0], probability)


def test_a_gates_gradient_goes_straight_through() -> None:
    layer, x = gated([-1.0, 0.0, 2.0], BATCH)
    carry = layer.initialize_state(BATCH)
    values, logits = jnp.split(jax.grad(lambda x: layer(clone(carry), x).output.sum())(x), 2, -1)
    np.testing.assert_allclose(values, layer(carry, x).output / 2)
    probability = nnx.sigmoid(x[:, 3:])
    np.testing.assert_allclose(logits, 2 * probability * (1 - probability), rtol=1e-5)


def test_a_gate_in_evaluation_is_the_likelier_of_open_and_shut() -> None:
    layer, x = gated([-1.0, 0.1, 2.0], BATCH)
    switch_off(layer)
    out = layer(layer.initialize_state(BATCH), x)
    np.testing.assert_array_equal(out.output[0], [0, 2, 2])
