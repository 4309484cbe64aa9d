"""Rewards of a convenient size."""

from __future__ import annotations

from typing import Any

import jax

from nnx_ppo_ref.environments.types import Environment, EnvironmentState
from nnx_ppo_ref.wrappers.wrapper import Wrapper


class RewardScalingWrapper(Wrapper):
    """Multiplies rewards by a constant; nnx-ppo's, for rewards of any structure."""

    def __init__(self, env: Environment, reward_scale: float) -> None:
        """Wraps an environment.

        Args:
            env: The environment.
            reward_scale: What every reward is multiplied by.
        """
        super().__init__(env)
        self.reward_scale = reward_scale

    def reset(self, rng: jax.Array) -> EnvironmentState:
        """Starts an episode with a key `[]`."""
        return self._scaled(self.env.reset(rng))

    def step(self, state: Any, action: Any) -> EnvironmentState:
        """Takes one action in a state of this wrapper."""
        return self._scaled(self.env.step(state, action))

    def _scaled(self, state: EnvironmentState) -> EnvironmentState:
        return state.replace(
            reward=jax.tree.map(lambda reward: self.reward_scale * reward, state.reward)
        )
