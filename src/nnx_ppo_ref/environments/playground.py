"""Environments of MuJoCo Playground (https://github.com/google-deepmind/mujoco_playground).

Their states fit PPO as they are. Missing are the end of an episode by the clock, which Playground
leaves to its training wrappers, and types that stay the same from reset to step.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp

from nnx_ppo_ref.environments.types import EnvironmentState
from nnx_ppo_ref.trees import strong

EXTRA = 'pip install "flake8-nnx-rng[playground]"'


class PlaygroundEnv:
    """A Playground environment whose episodes end after a number of steps.

    `done` keeps Playground's dtype, float32, and `info` gains `episode_step` `[]` int32 and
    `truncated` `[]` bool: the episode ended by the clock and not by a fall. Keys are Playground's
    own affair (`info["rng"]`). Actions are passed on as they are; Playground's lie in [-1, 1].

    An instance is hashed by identity and never changes: it may be a static argument of `jit`.

    Attributes:
        env: The Playground environment.
        episode_length: Number of steps after which an episode is truncated.
    """

    def __init__(self, env: Any, episode_length: int) -> None:
        """Adapts an environment.

        Args:
            env: A `mujoco_playground` environment.
            episode_length: Number of steps after which an episode is truncated.

        Raises:
            ValueError: If `episode_length` is not positive.
        """
        if episode_length < 1:
            raise ValueError(f"episode_length must be positive, got {episode_length}")
        self.env = env
        self.episode_length = episode_length

    def reset(self, rng: jax.Array) -> EnvironmentState:
        """Starts an episode with a key `[]`."""
        state = self.env.reset(rng)
        return _with_clock(state, jnp.zeros((), jnp.int32), jnp.zeros((), bool))

    def step(self, state: Any, action: Any) -> EnvironmentState:
        """Takes one action; a finished episode is not reset.

        Args:
            state: What `reset` or `step` returned.
            action: `[A]` float.
        """
        # Playground's environments write into the dicts of the state that they are given.
        own = jax.tree.map(lambda leaf: leaf, state)
        following = self.env.step(own, action)
        count = state.info["episode_step"] + 1
        over = count >= self.episode_length
        fell = following.done.astype(bool)
        done = jnp.logical_or(fell, over).astype(following.done.dtype)
        return _with_clock(following.replace(done=done), count, over & ~fell)

    @property
    def observation_size(self) -> Any:
        """Playground's: length of a flat observation, or a dict of shapes."""
        return self.env.observation_size

    @property
    def action_size(self) -> int:
        """Number of entries of the action."""
        return int(self.env.action_size)


def make(
    name: str,
    *,
    episode_length: int | None = None,
    config_overrides: Mapping[str, Any] | None = None,
) -> PlaygroundEnv:
    """Loads a Playground environment by its name.

    Args:
        name: The name in Playground's registry, such as `CartpoleBalance`.
        episode_length: Number of steps in an episode; the configuration's if None.
        config_overrides: What to change in the environment's configuration, by dotted names.
            `{"impl": "jax"}` runs where MuJoCo Warp, Playground's default, does not.

    Raises:
        ImportError: If Playground is not installed.
        ValueError: If Playground does not know the name.
    """
    try:
        registry = importlib.import_module("mujoco_playground").registry
    except ImportError as error:
        raise ImportError(f"{name} needs MuJoCo Playground ({error}): {EXTRA}") from error
    if name not in registry.ALL_ENVS:
        raise ValueError(
            f"MuJoCo Playground has no environment {name!r}; it has "
            f"{', '.join(sorted(registry.ALL_ENVS))}"
        )
    if episode_length is None:
        episode_length = int(registry.get_default_config(name).episode_length)
    env = registry.load(name, config_overrides=dict(config_overrides or {}))
    return PlaygroundEnv(env, episode_length)


def _with_clock(state: Any, count: jax.Array, truncated: jax.Array) -> EnvironmentState:
    clocked: EnvironmentState = strong(
        state.replace(info={**state.info, "episode_step": count, "truncated": truncated})
    )
    return clocked
