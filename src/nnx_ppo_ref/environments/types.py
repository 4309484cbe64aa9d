"""What PPO and wrappers ask of an environment, and what those of this package return."""

from __future__ import annotations

import dataclasses
from typing import Any, Protocol, Self, runtime_checkable

import jax

from nnx_ppo_ref.replaceable import Replaceable


@runtime_checkable
class EnvState(Protocol):
    """What PPO reads of an environment's state: any PyTree with these fields.

    `info["truncated"]`, if there, tells that the episode was cut off rather than ended.
    """

    @property
    def obs(self) -> Any:
        """PyTree of observations."""

    @property
    def done(self) -> jax.Array:
        """Whether the episode is over, a bool or a float."""

    @property
    def reward(self) -> Any:
        """The reward, or a PyTree of rewards."""

    @property
    def info(self) -> dict[str, Any]:
        """Anything else."""

    @property
    def metrics(self) -> dict[str, Any]:
        """Anything to log."""


@runtime_checkable
class RLEnv(Protocol):
    """An environment: two pure functions for one copy of it, which PPO maps over `[B]`."""

    def reset(self, rng: jax.Array) -> Any:
        """The state at the start of an episode, an `EnvState`."""

    def step(self, state: Any, action: Any) -> Any:
        """The state after an action, an `EnvState`."""


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class TimeStep(Replaceable):
    """One environment after a reset or a step; under `vmap`, every leaf gains a leading `[B]`.

    Attributes:
        obs: What the network sees, any pytree.
        reward: Reward of the step, `[]` float; zero after a reset.
        done: Whether the episode ended with this step, `[]` bool.
        info: `truncated` `[]` bool (it ended by the clock alone) and what the environment adds.
        metrics: What is logged, a dict of `[]` arrays.
        state: The environment's own state, any pytree.
        key: The key that the next step splits, `[]`.
    """

    obs: Any
    reward: jax.Array
    done: jax.Array
    info: dict[str, Any]
    metrics: dict[str, Any]
    state: Any
    key: jax.Array


@runtime_checkable
class EnvironmentState(EnvState, Protocol):
    """An `EnvState` that can be copied with changes, which wrappers need."""

    def replace(self, **changes: Any) -> Self:
        """A copy with some fields changed."""


@runtime_checkable
class Environment(Protocol):
    """An environment that a wrapper can wrap: nnx-ppo's `RLEnv` with states that can be replaced.

    Neither method resets a finished episode by itself: the rollout does, with a key of its own.
    """

    def reset(self, rng: jax.Array) -> EnvironmentState:
        """Starts an episode with a key `[]`."""

    def step(self, state: Any, action: Any) -> EnvironmentState:
        """Takes one action in a state."""
