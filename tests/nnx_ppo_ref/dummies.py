"""Environments for tests: small, quick to compile, and known exactly."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from nnx_ppo_ref.environments.types import TimeStep
from nnx_ppo_ref.trees import strong


def _time_step(
    obs: Any,
    state: Any,
    key: jax.Array,
    reward: Any = None,
    terminated: jax.Array | None = None,
    truncated: jax.Array | None = None,
) -> TimeStep:
    """A time step whose missing parts are those after a reset."""
    no = jnp.zeros((), bool)
    terminated = no if terminated is None else terminated
    truncated = no if truncated is None else truncated
    step = TimeStep(
        obs=obs,
        reward=jnp.zeros(()) if reward is None else reward,
        done=terminated | truncated,
        info={"truncated": truncated & ~terminated},
        metrics={},
        state=state,
        key=key,
    )
    return strong(step)


class PointMass:
    """A point `[2]` that is pushed to the origin against noise; it terminates 1.5 away from it."""

    observation_size = 2
    action_size = 2

    def reset(self, rng: jax.Array) -> TimeStep:
        use, key = jax.random.split(rng)
        position = jax.random.uniform(use, (2,), minval=-1.0, maxval=1.0)
        return _time_step(position, position, key)

    def step(self, state: TimeStep, action: jax.Array) -> TimeStep:
        use, key = jax.random.split(state.key)
        push = 0.2 * jnp.clip(action, -1.0, 1.0) + 0.1 * jax.random.normal(use, (2,))
        position = state.state + push
        distance = jnp.sum(position**2)
        return _time_step(position, position, key, -distance, distance > 1.5**2)


class Counter:
    """Sees the number of steps taken `[1]`; ends after some, by the clock or by a fall."""

    observation_size = 1
    action_size = 1

    def __init__(self, length: int = 5, *, truncates: bool = True) -> None:
        self.length = length
        self.truncates = truncates

    def reset(self, rng: jax.Array) -> TimeStep:
        return _time_step(jnp.zeros(1), jnp.zeros((), jnp.int32), rng)

    def step(self, state: TimeStep, action: jax.Array) -> TimeStep:
        del action
        count = state.state + 1
        over = count >= self.length
        fell = over & (not self.truncates)
        obs = count.astype(jnp.float32)[None]
        return _time_step(obs, count, state.key, jnp.ones(()), fell, over)


class DictTask:
    """Dicts everywhere: two bodies `[1]`, each of which must reach a goal of its own.

    Observations are `{"position": [2], "goal": [2]}`, actions `{"left": [1], "right": [1]}`,
    rewards `{"left": [], "right": []}`.
    """

    sides = ("left", "right")
    observation_size = {"position": 2, "goal": 2}  # noqa: RUF012 - read only
    action_size = {"left": 1, "right": 1}  # noqa: RUF012 - read only

    def reset(self, rng: jax.Array) -> TimeStep:
        use, key = jax.random.split(rng)
        goal = jax.random.uniform(use, (2,), minval=-1.0, maxval=1.0)
        none = dict.fromkeys(self.sides, jnp.zeros(()))
        return _time_step({"position": jnp.zeros(2), "goal": goal}, (), key, none)

    def step(self, state: TimeStep, action: dict[str, jax.Array]) -> TimeStep:
        push = jnp.concatenate([action[side] for side in self.sides])
        position = state.obs["position"] + 0.3 * push
        error = jnp.abs(position - state.obs["goal"])
        obs = {**state.obs, "position": position}
        reward = {side: -error[index] for index, side in enumerate(self.sides)}
        return _time_step(obs, (), state.key, reward, jnp.max(error) > 2.0)


class Memory:
    """Shows a cue at reset and asks for it some steps later; a network without memory guesses.

    The observation is `[2]`: the cue, -1 or 1, at reset and 0 later; and 1 when the answer is due.
    The answer is a discrete action: 1 for the cue 1, 0 for -1. The return is 1 if it is right and 0
    otherwise, so the best network with memory gets 1 and the best one without it 0.5.
    """

    observation_size = 2
    action_size = 2

    def __init__(self, delay: int = 4) -> None:
        self.delay = delay

    def reset(self, rng: jax.Array) -> TimeStep:
        use, key = jax.random.split(rng)
        cue = jax.random.bernoulli(use).astype(jnp.int32)
        shown = jnp.stack([2.0 * cue - 1.0, jnp.zeros(())])
        return _time_step(shown, (cue, jnp.zeros((), jnp.int32)), key)

    def step(self, state: TimeStep, action: jax.Array) -> TimeStep:
        cue, count = state.state
        asked = count == self.delay
        right = asked & (action.reshape(()) == cue)
        due = (count + 1 == self.delay).astype(jnp.float32)
        obs = jnp.stack([jnp.zeros(()), due])
        return _time_step(obs, (cue, count + 1), state.key, right.astype(jnp.float32), asked)


@dataclasses.dataclass(frozen=True, eq=False)
class Probe:
    """An episode of few steps whose best actions and their values are known exactly.

    The idea is that of the debugging environments in Andy Jones, "Debugging RL, Without the
    Agonizing Pain" (2021), which rejax's tests use too: each probe adds one thing to the last.

    Attributes:
        contexts: Observations at reset, one of which is drawn.
        length: Number of steps; the observation goes up by one with each of them.
        reward: Reward from the observation and the action, both `[]`.
        observations: Every observation there is, K of them, as the network sees them: `[K, 1]`.
        actions: The best action for each of them, `[K]`; None if the action makes no difference.
        values: The value of each under the best actions, `[K]`, for a discount factor.
        discrete: Whether actions are 0 and 1, standing for -0.5 and 0.5, or `[1]` floats.
    """

    contexts: tuple[float, ...]
    length: int
    reward: Callable[[jax.Array, jax.Array], jax.Array]
    observations: jax.Array
    actions: jax.Array | None
    values: Callable[[float], jax.Array]
    discrete: bool = False

    @property
    def observation_size(self) -> int:
        return 1

    @property
    def action_size(self) -> int:
        return 2 if self.discrete else 1

    def reset(self, rng: jax.Array) -> TimeStep:
        use, key = jax.random.split(rng)
        obs = jax.random.choice(use, jnp.array(self.contexts), (1,))
        return _time_step(obs, jnp.zeros((), jnp.int32), key)

    def step(self, state: TimeStep, action: jax.Array) -> TimeStep:
        taken = action.reshape(()) - (0.5 if self.discrete else 0.0)
        reward = self.reward(state.obs[0], taken)
        count = state.state + 1
        return _time_step(state.obs + 1.0, count, state.key, reward, count >= self.length)


def constant_reward() -> Probe:
    """The value is 1. Fails if the critic does not learn at all."""
    return Probe(
        contexts=(0.0,),
        length=1,
        reward=lambda obs, action: jnp.ones(()),
        observations=jnp.zeros((1, 1)),
        actions=None,
        values=lambda discount: jnp.ones(1),
    )


def observed_reward() -> Probe:
    """The value is the observation. Fails if the critic does not see it."""
    return Probe(
        contexts=(-1.0, 1.0),
        length=1,
        reward=lambda obs, action: obs,
        observations=jnp.array([[-1.0], [1.0]]),
        actions=None,
        values=lambda discount: jnp.array([-1.0, 1.0]),
    )


def delayed_reward() -> Probe:
    """The second of two steps is rewarded. Fails if the discount or the bootstrap is wrong."""
    return Probe(
        contexts=(0.0,),
        length=2,
        reward=lambda obs, action: obs,
        observations=jnp.array([[0.0], [1.0]]),
        actions=None,
        values=lambda discount: jnp.array([discount, 1.0]),
    )


def rewarded_action(*, discrete: bool = False) -> Probe:
    """The action 0.5 is best. Fails if advantages do not reach the policy."""
    return Probe(
        contexts=(0.0,),
        length=1,
        reward=lambda obs, action: 1.0 - (action - 0.5) ** 2,
        observations=jnp.zeros((1, 1)),
        actions=jnp.array([1]) if discrete else jnp.array([0.5]),
        values=lambda discount: jnp.ones(1),
        discrete=discrete,
    )


def observed_action(*, discrete: bool = False) -> Probe:
    """The observation is the best action. Fails if observations and actions are paired wrongly."""
    return Probe(
        contexts=(-0.5, 0.5),
        length=1,
        reward=lambda obs, action: 1.0 - (action - obs) ** 2,
        observations=jnp.array([[-0.5], [0.5]]),
        actions=jnp.array([0, 1]) if discrete else jnp.array([-0.5, 0.5]),
        values=lambda discount: jnp.ones(2),
        discrete=discrete,
    )
