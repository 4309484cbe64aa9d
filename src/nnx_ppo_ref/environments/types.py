"""What an environment of this package returns, and what wrappers ask of any environment."""

from __future__ import annotations

import dataclasses
from typing import Any, Protocol, Self, TypeVar, runtime_checkable

import jax
import jax.numpy as jnp

T = TypeVar("T")


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


def strongly_typed(tree: T) -> T:
    """The same values without weak types.

    A weakly typed scalar that a step turns into a strongly typed one changes the type of the state,
    so that whatever was compiled for the first state is compiled again for the second.
    """
    strong: T = jax.tree.map(_strong, tree)
    return strong


def cast_like(tree: T, spec: Any) -> T:
    """The same values with the dtypes of a tree of arrays or shapes; the result has no weak types.

    Raises:
        ValueError: If the trees differ in structure.
    """
    cast: T = jax.tree.map(lambda leaf, like: _convert(leaf, like.dtype), tree, spec)
    return cast


def _strong(leaf: Any) -> Any:
    return _convert(leaf, jnp.result_type(leaf))


def _convert(leaf: Any, dtype: Any) -> Any:
    if jnp.issubdtype(dtype, jax.dtypes.extended):  # keys: never weak, and not to be converted
        return leaf
    return jax.lax.convert_element_type(leaf, dtype)
