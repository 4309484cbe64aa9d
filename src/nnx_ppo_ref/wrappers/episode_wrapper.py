"""Episodes of bounded length."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from nnx_ppo_ref.environments.types import Environment, EnvironmentState
from nnx_ppo_ref.wrappers.wrapper import Wrapper


class EpisodeWrapper(Wrapper):
    """Truncates episodes after a number of steps; nnx-ppo's, without its writes into `info`.

    `info["step_counter"]` starts anywhere in the first half of an episode, so that environments
    which started together do not all end together. As in nnx-ppo, `info["truncated"]` is set on
    the last step even if the episode also terminated there.
    """

    def __init__(self, env: Environment, max_len: int) -> None:
        """Wraps an environment.

        Args:
            env: The environment.
            max_len: Largest number of steps in an episode.

        Raises:
            ValueError: If `max_len` is not positive.
        """
        if max_len < 1:
            raise ValueError(f"max_len must be positive, got {max_len}")
        super().__init__(env)
        self.max_len = max_len

    def reset(self, rng: jax.Array) -> EnvironmentState:
        """Starts an episode with a key `[]`."""
        env_key, counter_key = jax.random.split(rng)
        state = self.env.reset(env_key)
        counter = jax.random.randint(counter_key, (), 0, self.max_len // 2)
        return _with_clock(state, counter, jnp.zeros((), bool))

    def step(self, state: Any, action: Any) -> EnvironmentState:
        """Takes one action in a state of this wrapper."""
        following = self.env.step(state, action)
        counter = state.info["step_counter"] + 1
        truncated = jnp.logical_or(following.info.get("truncated", False), counter >= self.max_len)
        done = jnp.logical_or(following.done, truncated).astype(following.done.dtype)
        return _with_clock(following.replace(done=done), counter, truncated)


def _with_clock(
    state: EnvironmentState, counter: jax.Array, truncated: jax.Array
) -> EnvironmentState:
    return state.replace(info={**state.info, "step_counter": counter, "truncated": truncated})
