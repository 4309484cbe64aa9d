"""The replay computes the rollout again, whatever the minibatch, also across resets."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import flax
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from nnx_ppo_ref.algorithms import pure
from nnx_ppo_ref.algorithms.loss import clipping_fraction, ppo_loss
from nnx_ppo_ref.algorithms.minibatches import take
from nnx_ppo_ref.algorithms.replay import replay, seen
from nnx_ppo_ref.algorithms.rollout import unroll_env
from nnx_ppo_ref.algorithms.types import LoggingLevel
from nnx_ppo_ref.keys import seed_keys, split_keys
from nnx_ppo_ref.networks.types import PPONetworkOutput, StatefulModule, StatefulModuleOutput
from nnx_ppo_ref.trees import clone_keys

from ..networks.libraries import OURS, assert_same, plain
from .kinds import KINDS, Walk, build, unoptimized

ENVS, STEPS = 6, 7
CHOSEN = jnp.array([4, 0, 3])  # neither a head nor in order


@pytest.fixture(autouse=True)
def quick_to_compile() -> Iterator[None]:
    with unoptimized():
        yield


class Noisy(StatefulModule):
    """Shows what it draws as its value and scores it by its parameters.

    Its carry is a key for each environment and a hidden activation, which a reset sets to a
    learned vector.
    """

    learned = True

    def __init__(self, seed: int = 0) -> None:
        self.rngs = nnx.Rngs(seed)
        self.start = nnx.Param(jnp.array([0.5]))
        self.scale = nnx.Param(jnp.array(2.0))

    def __call__(self, state: Any, obs: Any, rollout_extras: Any = None) -> StatefulModuleOutput:
        del rollout_extras
        following, noise = self.draw(state["key"])
        level = state["hidden"][:, 0] + self.scale[...] * noise
        return StatefulModuleOutput(
            next_state={**state, "key": following},
            output=PPONetworkOutput(
                actions=jnp.stack([level, noise], axis=1),
                loglikelihoods=level,
                value_estimates=noise,
            ),
            regularization_loss=jnp.zeros(()),
            metrics={},
        )

    def draw(self, keys: jax.Array) -> tuple[jax.Array, jax.Array]:
        following, use = split_keys(keys)
        return following, jax.vmap(jax.random.normal)(use)

    def initialize_state(self, batch_size: int) -> Any:
        return {"key": seed_keys(self.rngs, batch_size), "hidden": jnp.ones((batch_size, 1))}

    def reset_state(self, prev_state: Any) -> Any:
        hidden = prev_state["hidden"]
        learned = jnp.broadcast_to(self.start[...], hidden.shape) if self.learned else hidden
        return {"key": self.reset_keys(prev_state["key"]), "hidden": learned}

    def reset_keys(self, keys: jax.Array) -> jax.Array:
        return keys


class FoldsIn(Noisy):
    """A reset folds a constant into the carried key, for which no other use is left."""

    def reset_keys(self, keys: jax.Array) -> jax.Array:
        def fold(key: jax.Array) -> jax.Array:
            return jax.random.fold_in(key, 7)

        return jax.vmap(fold)(keys) if keys.ndim else fold(keys)


class DrawsAfresh(Noisy):
    """A reset draws new keys from the module's own stream."""

    def reset_keys(self, keys: jax.Array) -> jax.Array:
        return jax.random.split(self.rngs(), keys.shape)


class DrawsAfreshOnly(DrawsAfresh):
    learned = False


class OwnStream(Noisy):
    """What the rule forbids: a step draws from the module's own stream."""

    def draw(self, keys: jax.Array) -> tuple[jax.Array, jax.Array]:
        return keys, jax.random.normal(self.rngs(), keys.shape)


def start(network: Any, env: Any) -> tuple[Any, Any]:
    return network.initialize_state(ENVS), jax.vmap(env.reset)(
        jax.random.split(jax.random.key(1), ENVS)
    )


def both_passes(network: Any, env: Any) -> tuple[Any, Any]:
    """The rollout of the chosen environments, and its replay."""

    @nnx.jit
    def passes(network: Any) -> Any:
        carry, states = start(network, env)
        *_, transitions = unroll_env(env, states, network, carry, STEPS, jax.random.key(2))
        carry, transitions = clone_keys(take(carry, transitions, CHOSEN))
        return transitions, replay(pure.split(network), carry, seen(transitions)).output

    transitions, output = passes(network)
    assert 0 < float(transitions.done.mean()) < 1
    return transitions, output


@functools.cache
def passes_of(module: type[Noisy]) -> tuple[Any, Any]:
    return both_passes(module(), Walk())


@pytest.mark.parametrize(
    "module",
    [
        Noisy,
        DrawsAfresh,
        pytest.param(FoldsIn, marks=pytest.mark.slow),
        pytest.param(DrawsAfreshOnly, marks=pytest.mark.slow),
    ],
)
def test_draws_are_the_same_to_the_last_bit(module: type[Noisy]) -> None:
    rolled, replayed = passes_of(module)
    np.testing.assert_array_equal(replayed.value_estimates, rolled.network_output.value_estimates)
    ratios = jnp.exp(replayed.loglikelihoods - rolled.network_output.loglikelihoods)
    np.testing.assert_allclose(ratios, 1.0, rtol=1e-5)


def test_a_fresh_key_is_another_one_for_each_environment_and_reset() -> None:
    rolled, _ = passes_of(DrawsAfresh)
    noise = np.asarray(rolled.network_output.value_estimates)
    assert len(np.unique(noise)) == noise.size


@pytest.mark.slow
def test_noise_of_the_modules_own_stream_does_not_replay() -> None:
    rolled, replayed = passes_of(OwnStream)
    new, old = replayed.loglikelihoods, rolled.network_output.loglikelihoods
    assert clipping_fraction(new, old, 0.2) > 0.5
    rolled, replayed = passes_of(Noisy)
    new, old = replayed.loglikelihoods, rolled.network_output.loglikelihoods
    assert clipping_fraction(new, old, 0.2) == 0


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_ratios_are_one_at_unchanged_parameters(kind: str) -> None:
    rolled, replayed = both_passes(build(KINDS[kind], OURS), Walk())
    ratios = jnp.exp(replayed.loglikelihoods - rolled.network_output.loglikelihoods)
    np.testing.assert_allclose(ratios, 1.0, rtol=1e-5)
    np.testing.assert_allclose(
        replayed.value_estimates, rolled.network_output.value_estimates, rtol=1e-5, atol=1e-6
    )
    np.testing.assert_allclose(replayed.actions, rolled.network_output.actions, rtol=1e-5)


@pytest.mark.parametrize("module", [DrawsAfresh, pytest.param(Noisy, marks=pytest.mark.slow)])
def test_a_learned_first_carry_has_its_gradient(module: type[Noisy]) -> None:
    env = Walk()

    @nnx.jit
    def slope(network: Any) -> Any:
        carry, states = start(network, env)
        *_, transitions = unroll_env(env, states, network, carry, STEPS, jax.random.key(2))
        parts = pure.split(network)

        def total(params: Any) -> Any:
            given = clone_keys((carry, seen(transitions)))
            found = replay(parts._replace(params=params), *given)
            return found.output.loglikelihoods.sum()

        return jax.grad(total)(parts.params), transitions.done, transitions.network_output

    slopes, done, output = slope(module())
    after_a_reset = np.cumsum(done, axis=0)[:-1] > 0
    np.testing.assert_allclose(slopes["start"][...], [after_a_reset.sum()])
    np.testing.assert_allclose(slopes["scale"][...], output.value_estimates.sum(), rtol=1e-4)


def losses(rollout: Any, of: Callable[..., Any], network: Any, level: Any) -> Any:
    """Transitions, and gradients and metrics of the loss, by nnx-ppo or by us."""
    env = Walk()

    @nnx.jit
    def run(network: Any) -> Any:
        carry, states = start(network, env)
        *_, transitions = rollout(env, states, network, carry, STEPS, jax.random.key(2))
        slopes, metrics = nnx.grad(of, has_aux=True)(
            network, clone_keys(carry), transitions, 0.2, True, False, 0.9, 0.9, 0.5, level
        )
        return transitions, slopes, metrics

    transitions, slopes, metrics = run(network)
    return plain(transitions), nnx.to_pure_dict(slopes), metrics


def theirs(network: Any) -> Any:
    ppo = pytest.importorskip("nnx_ppo.algorithms.ppo")
    level = pytest.importorskip("nnx_ppo.algorithms.types").LoggingLevel.ALL
    with jax.debug_key_reuse(False):
        return losses(ppo.rollout.unroll_env, ppo.ppo_loss, network, level)


@pytest.mark.slow
def test_transitions_loss_and_gradients_equal_nnx_ppos_across_resets() -> None:
    expected = theirs(FoldsIn())
    ours = losses(unroll_env, ppo_loss, FoldsIn(), LoggingLevel.ALL)
    del ours[0]["reset_draws"]
    assert_same(ours, expected)
    assert abs(float(ours[1]["start"][0])) > 1e-3


def test_nnx_ppo_cannot_replay_a_reset_that_draws_from_the_modules_stream() -> None:
    with pytest.raises(flax.errors.TraceContextError):
        theirs(DrawsAfresh())
