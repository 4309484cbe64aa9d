"""A reference PPO for stateful modules, with per-environment randomness in the carry.

Names, argument order and output structure are nnx-ppo's, so that a module written for one runs on
the other by changing an import. Needs JAX and Flax: `pip install "flake8-nnx-rng[ref]"`.
"""

from nnx_ppo_ref.networks.adapter import PPOAdapter
from nnx_ppo_ref.networks.containers import Concat, Parallel, Sequential, Splitter
from nnx_ppo_ref.networks.delay import Delay
from nnx_ppo_ref.networks.factories import make_mlp, make_mlp_actor_critic, make_mlp_layers
from nnx_ppo_ref.networks.feedforward import Dense
from nnx_ppo_ref.networks.normalizer import Normalizer, NormalizerStatistics
from nnx_ppo_ref.networks.recurrent import LSTM
from nnx_ppo_ref.networks.sampling_layers import (
    ActionSampler,
    CategoricalSampler,
    NormalTanhSampler,
)
from nnx_ppo_ref.networks.stochastic import BernoulliGate, Dropout, NoisyDense
from nnx_ppo_ref.networks.types import (
    ModuleState,
    PPONetworkOutput,
    StatefulModule,
    StatefulModuleOutput,
)
from nnx_ppo_ref.networks.utils import Filter, Flattener, Map, Merge, Scale
from nnx_ppo_ref.networks.variational import AR1VariationalBottleneck, VariationalBottleneck

__all__ = [
    "LSTM",
    "AR1VariationalBottleneck",
    "ActionSampler",
    "BernoulliGate",
    "CategoricalSampler",
    "Concat",
    "Delay",
    "Dense",
    "Dropout",
    "Filter",
    "Flattener",
    "Map",
    "Merge",
    "ModuleState",
    "NoisyDense",
    "NormalTanhSampler",
    "Normalizer",
    "NormalizerStatistics",
    "PPOAdapter",
    "PPONetworkOutput",
    "Parallel",
    "Scale",
    "Sequential",
    "Splitter",
    "StatefulModule",
    "StatefulModuleOutput",
    "VariationalBottleneck",
    "make_mlp",
    "make_mlp_actor_critic",
    "make_mlp_layers",
]
