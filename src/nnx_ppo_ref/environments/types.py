"""What an environment of this package returns, and what wrappers ask of any environment."""

from __future__ import annotations

import dataclasses
from typing import Any, Protocol, Self, runtime_checkable

import jax


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class TimeStep:
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

    def replace(self, **changes: Any) -> Self:
        """A copy with some fields changed."""
        return dataclasses.replace(self, **changes)


@runtime_checkable
class EnvironmentState(Protocol):
    """A state that can be copied with changes: nnx-ppo's `EnvState` and `replace`."""

    @property
    def obs(self) -> Any:
        """What the network sees."""

    @property
    def reward(self) -> Any:
        """Reward of the step, `[]` or a pytree of `[]`."""

    @property
    def done(self) -> Any:
        """Whether the episode ended, `[]` bool or float."""

    @property
    def info(self) -> dict[str, Any]:
        """What else is known of the step."""

    @property
    def metrics(self) -> dict[str, Any]:
        """What is logged."""

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
