"""Reference modules for PPO with per-environment randomness in the carry.

Names, argument order and output structure are nnx-ppo's, so that a module written for one runs on
the other by changing an import. Needs JAX and Flax: `pip install flake8-nnx-rng[ref]`.
"""

from nnx_ppo_ref.types import (
    ModuleState,
    PPONetworkOutput,
    StatefulModule,
    StatefulModuleOutput,
)
from nnx_ppo_ref.variational import VariationalBottleneck

__all__ = [
    "ModuleState",
    "PPONetworkOutput",
    "StatefulModule",
    "StatefulModuleOutput",
    "VariationalBottleneck",
]
