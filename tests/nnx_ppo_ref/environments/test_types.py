"""Time steps, and the dummies that make them."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import pytest

from nnx_ppo_ref.environments import Environment, TimeStep

from ..contract import assert_types_are_fixed
from ..dummies import (
    Counter,
    DictTask,
    Memory,
    PointMass,
    Probe,
    constant_reward,
    delayed_reward,
    observed_action,
    observed_reward,
    rewarded_action,
)

PROBES = [
    constant_reward(),
    observed_reward(),
    delayed_reward(),
    rewarded_action(),
    rewarded_action(discrete=True),
    observed_action(),
    observed_action(discrete=True),
]
DUMMIES = [PointMass(), Counter(), DictTask(), Memory(), *PROBES]


def test_a_time_step_is_a_pytree_that_can_be_changed_only_by_copying() -> None:
    start = Counter().reset(jax.random.key(0))
    copy = jax.tree.map(lambda leaf: leaf, start)
    assert isinstance(copy, TimeStep)
    assert start.replace(reward=jnp.ones(())).reward == 1.0
    assert start.reward == 0.0
    with pytest.raises(AttributeError):
        start.reward = jnp.ones(())  # type: ignore[misc]


@pytest.mark.parametrize("env", DUMMIES, ids=lambda env: type(env).__name__)
def test_the_dummies_keep_the_contract(env: Environment) -> None:
    types = pytest.importorskip("nnx_ppo.algorithms.types")
    assert isinstance(env, types.RLEnv)
    start = assert_types_are_fixed(env, _action(env))
    assert isinstance(start, types.EnvState)


def _action(env: Any) -> Any:
    if getattr(env, "discrete", isinstance(env, Memory)):
        return jnp.zeros((), jnp.int32)
    return jax.tree.map(lambda size: jnp.zeros(size), env.action_size)


@pytest.mark.parametrize("probe", PROBES)
def test_the_values_of_a_probe_are_those_of_its_best_actions(probe: Probe) -> None:
    discount = 0.7
    reset, step = jax.jit(probe.reset), jax.jit(probe.step)
    for index, obs in enumerate(probe.observations):
        # What is no context is seen one step after one.
        taken = 0 if float(obs[0]) in probe.contexts else 1
        state = reset(jax.random.key(0))
        state = state.replace(obs=obs, state=state.state + taken)
        value, weight = 0.0, 1.0
        while not state.done:
            action = jnp.zeros(1) if probe.actions is None else probe.actions[index]
            state = step(state, action)
            value, weight = value + weight * float(state.reward), weight * discount
        assert value == pytest.approx(float(probe.values(discount)[index]))


@pytest.mark.parametrize("discrete", [False, True])
def test_other_actions_than_the_best_give_less(discrete: bool) -> None:
    probe = observed_action(discrete=discrete)
    assert probe.actions is not None
    for obs, best in zip(probe.observations, probe.actions, strict=True):
        worse = 1 - best if discrete else best + 0.1
        start = probe.reset(jax.random.key(0)).replace(obs=obs)
        rewards = [
            probe.step(start.replace(key=jax.random.clone(start.key)), a).reward
            for a in (best, worse)
        ]
        assert rewards[0] > rewards[1]


def test_the_memory_task_asks_for_the_cue_after_the_delay() -> None:
    env = Memory(delay=3)
    reset, step = jax.jit(env.reset), jax.jit(env.step)
    for seed in range(4):
        state = reset(jax.random.key(seed))
        cue = state.obs[0]
        rewards = []
        for _ in range(3):
            assert state.obs[1] == 0.0
            state = step(state, jnp.int32(cue > 0))
            assert state.obs[0] == 0.0
            rewards.append(float(state.reward))
            assert not state.done
        assert state.obs[1] == 1.0
        wrong = step(state.replace(key=jax.random.clone(state.key)), jnp.int32(cue < 0))
        right = step(state, jnp.int32(cue > 0))
        assert (rewards, float(wrong.reward), float(right.reward)) == ([0.0, 0.0, 0.0], 0.0, 1.0)
        assert right.done
        assert not right.info["truncated"]


@pytest.mark.parametrize("truncates", [False, True])
def test_the_counter_ends_by_the_clock_or_by_a_fall(truncates: bool) -> None:
    state = (env := Counter(3, truncates=truncates)).reset(jax.random.key(0))
    ends = []
    for _ in range(3):
        state = env.step(state, jnp.zeros(1))
        ends.append((bool(state.done), bool(state.info["truncated"])))
    assert ends == [(False, False), (False, False), (True, truncates)]
