"""A reference PPO for stateful modules, with per-environment randomness in the carry.

Names, argument order and output structure are nnx-ppo's, so that a module written for one runs on
the other by changing an import. Needs JAX and Flax: `pip install "flake8-nnx-rng[ref]"`.
"""

from nnx_ppo_ref.algorithms.advantages import gae
from nnx_ppo_ref.algorithms.checkpointing import (
    make_checkpoint_fn,
    restore_checkpoint,
    save_checkpoint,
)
from nnx_ppo_ref.algorithms.config import EvalConfig, PPOConfig, TrainConfig, TrainResult
from nnx_ppo_ref.algorithms.evaluation import eval_rollout
from nnx_ppo_ref.algorithms.initial import new_training_state
from nnx_ppo_ref.algorithms.loss import ppo_loss
from nnx_ppo_ref.algorithms.metrics import compute_metrics, log_weight_stats
from nnx_ppo_ref.algorithms.rollout import single_transition, tree_where, unroll_env
from nnx_ppo_ref.algorithms.sharding import env_mesh, shard
from nnx_ppo_ref.algorithms.step import ppo_step
from nnx_ppo_ref.algorithms.training import default_config, train_ppo
from nnx_ppo_ref.algorithms.types import EnvState, LoggingLevel, RLEnv, TrainingState, Transition
from nnx_ppo_ref.environments.gymnax import GymnaxEnv
from nnx_ppo_ref.environments.playground import PlaygroundEnv
from nnx_ppo_ref.environments.types import TimeStep
from nnx_ppo_ref.keys import seed_keys, split_keys
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
from nnx_ppo_ref.wrappers.episode_wrapper import EpisodeWrapper
from nnx_ppo_ref.wrappers.mask_observation import MaskObservation
from nnx_ppo_ref.wrappers.reward_scaling_wrapper import RewardScalingWrapper

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
    "EnvState",
    "EpisodeWrapper",
    "EvalConfig",
    "Filter",
    "Flattener",
    "GymnaxEnv",
    "LoggingLevel",
    "Map",
    "MaskObservation",
    "Merge",
    "ModuleState",
    "NoisyDense",
    "NormalTanhSampler",
    "Normalizer",
    "NormalizerStatistics",
    "PPOAdapter",
    "PPOConfig",
    "PPONetworkOutput",
    "Parallel",
    "PlaygroundEnv",
    "RLEnv",
    "RewardScalingWrapper",
    "Scale",
    "Sequential",
    "Splitter",
    "StatefulModule",
    "StatefulModuleOutput",
    "TimeStep",
    "TrainConfig",
    "TrainResult",
    "TrainingState",
    "Transition",
    "VariationalBottleneck",
    "compute_metrics",
    "default_config",
    "env_mesh",
    "eval_rollout",
    "gae",
    "log_weight_stats",
    "make_checkpoint_fn",
    "make_mlp",
    "make_mlp_actor_critic",
    "make_mlp_layers",
    "new_training_state",
    "ppo_loss",
    "ppo_step",
    "restore_checkpoint",
    "save_checkpoint",
    "seed_keys",
    "shard",
    "single_transition",
    "split_keys",
    "train_ppo",
    "tree_where",
    "unroll_env",
]
