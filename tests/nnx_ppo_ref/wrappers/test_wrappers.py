"""Wrappers: nnx-ppo's two, and the one that hides."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nnx_ppo_ref.environments import Environment
from nnx_ppo_ref.wrappers import EpisodeWrapper, MaskObservation, RewardScalingWrapper

from ..contract import assert_types_are_fixed
from ..dummies import Counter, DictTask, PointMass


def _trajectory(env: Environment, steps: int) -> Any:
    """Every state, from a reset on, stacked; without the keys, which are used by then."""

    step = jax.jit(env.step)
    state: Any = jax.jit(env.reset)(jax.random.key(5))
    states = [state.replace(key=())]
    for _ in range(steps):
        state = step(state, jnp.zeros(2))
        states.append(state.replace(key=()))
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *states)


@pytest.mark.parametrize(
    ("module", "ours", "arguments"),
    [
        ("episode_wrapper", EpisodeWrapper, {"max_len": 6}),
        ("reward_scaling_wrapper", RewardScalingWrapper, {"reward_scale": 0.1}),
    ],
)
def test_a_wrapper_of_nnx_ppos_does_the_same_here(
    module: str, ours: Any, arguments: dict[str, Any]
) -> None:
    wrappers = pytest.importorskip(f"nnx_ppo.wrappers.{module}")
    theirs = getattr(wrappers, ours.__name__)
    for env in (PointMass(), Counter(3, truncates=False), Counter(3)):
        here = _trajectory(ours(env, **arguments), 6)
        there = _trajectory(theirs(env, **arguments), 6)
        for field in dataclasses.fields(here):
            ours_, theirs_ = getattr(here, field.name), getattr(there, field.name)
            jax.tree.map(np.testing.assert_array_equal, ours_, theirs_)


def test_episodes_end_at_their_length_and_start_anywhere_in_the_first_half() -> None:
    env = EpisodeWrapper(Counter(100), max_len=10)
    states = jax.jit(jax.vmap(env.reset))(jax.random.split(jax.random.key(0), 64))
    assert set(np.asarray(states.info["step_counter"]).tolist()) == set(range(5))
    step = jax.jit(jax.vmap(env.step))
    for _ in range(10):
        states = step(states, jnp.zeros((64, 1)))
        over = states.info["step_counter"] >= 10
        assert np.array_equal(states.info["truncated"], over)
        assert np.array_equal(states.done, over)


@pytest.mark.parametrize(
    "wrap",
    [
        lambda env: EpisodeWrapper(env, 5),
        lambda env: RewardScalingWrapper(env, 0.5),
        lambda env: MaskObservation(env, (0,)),
        lambda env: EpisodeWrapper(MaskObservation(RewardScalingWrapper(env, 0.5), (1,)), 5),
    ],
)
def test_a_wrapped_environment_keeps_the_contract(wrap: Any) -> None:
    types = pytest.importorskip("nnx_ppo.algorithms.types")
    env = wrap(PointMass())
    assert isinstance(env, types.RLEnv)
    assert env.action_size == 2
    assert isinstance(assert_types_are_fixed(env, jnp.zeros(2)), types.EnvState)


@pytest.mark.parametrize(
    "wrap",
    [
        lambda env: EpisodeWrapper(env, 5),
        lambda env: RewardScalingWrapper(env, 0.5),
        lambda env: MaskObservation(env, (0,)),
    ],
)
def test_a_wrapper_writes_into_no_state(wrap: Any) -> None:
    base = PointMass()
    env = wrap(base)
    inner, kept = base.reset(jax.random.key(0)), {}
    kept.update(inner.info)
    base.reset = lambda rng: inner  # type: ignore[method-assign]
    start = env.reset(jax.random.key(0))
    assert inner.info == kept
    before = dict(start.info)
    env.step(start, jnp.zeros(2))
    assert all(start.info[name] is value for name, value in before.items())


def test_rewards_of_any_structure_are_scaled() -> None:
    plain: Any = DictTask()
    scaled: Any = RewardScalingWrapper(DictTask(), 0.5)
    key = jax.random.key(0)
    action = {"left": jnp.ones(1), "right": jnp.zeros(1)}
    whole = plain.step(plain.reset(key), action).reward
    half = scaled.step(scaled.reset(jax.random.clone(key)), action).reward
    assert {side: float(reward) / 2 for side, reward in whole.items()} == half


def test_hidden_entries_do_not_reach_the_network_but_the_environment() -> None:
    class Accelerating(PointMass):
        """Reads the observation in its step, as an environment may."""

        def step(self, state: Any, action: jax.Array) -> Any:
            return super().step(state.replace(state=state.obs * 2), action)

    masked, whole = MaskObservation(Accelerating(), (1,)), Accelerating()
    key = jax.random.key(0)
    seen: Any = masked.reset(key)
    full: Any = whole.reset(jax.random.clone(key))
    for _ in range(3):
        assert np.array_equal(seen.obs, full.obs[1:])
        seen, full = masked.step(seen, jnp.zeros(2)), whole.step(full, jnp.zeros(2))
    assert masked.observation_size == 1


def test_masks_can_be_stacked() -> None:
    class Three(PointMass):
        observation_size = 3

        def reset(self, rng: jax.Array) -> Any:
            return super().reset(rng).replace(obs=jnp.arange(3.0))

        def step(self, state: Any, action: jax.Array) -> Any:
            assert state.obs.shape == (3,)
            return super().step(state, action).replace(obs=state.obs + 10)

    env = MaskObservation(MaskObservation(Three(), (2, 0)), (1,))
    state = env.step(env.step(env.reset(jax.random.key(0)), jnp.zeros(2)), jnp.zeros(2))
    assert np.array_equal(state.obs, [20.0])
    assert env.observation_size == 1


def test_entries_of_a_dict_are_kept_by_name() -> None:
    env = MaskObservation(DictTask(), ("goal",))
    state = env.reset(jax.random.key(0))
    state = env.step(state, {"left": jnp.ones(1), "right": jnp.ones(1)})
    assert list(state.obs) == ["goal"]
    assert env.observation_size == {"goal": 2}


@pytest.mark.parametrize("keep", [(), (0, 0)])
def test_a_mask_keeps_something_and_nothing_twice(keep: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="each once"):
        MaskObservation(PointMass(), keep)


def test_an_episode_has_a_positive_length() -> None:
    with pytest.raises(ValueError, match="positive, got 0"):
        EpisodeWrapper(PointMass(), 0)
