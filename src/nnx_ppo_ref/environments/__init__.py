"""Environments for PPO: adapters that leave the resets to the rollout.

gymnax and MuJoCo Playground are imported only when an environment is made by its name.
"""

from nnx_ppo_ref.environments.gymnax import GymnaxEnv
from nnx_ppo_ref.environments.playground import PlaygroundEnv
from nnx_ppo_ref.environments.types import (
    Environment,
    EnvironmentState,
    TimeStep,
)

__all__ = [
    "Environment",
    "EnvironmentState",
    "GymnaxEnv",
    "PlaygroundEnv",
    "TimeStep",
]
