"""Short training runs, and what it means that two of them ended in the same state."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
from flax import nnx

from nnx_ppo_ref.algorithms.config import EvalConfig, PPOConfig, TrainConfig
from nnx_ppo_ref.algorithms.learner import take_apart
from nnx_ppo_ref.algorithms.types import TrainingState
from nnx_ppo_ref.keys import is_key
from nnx_ppo_ref.networks.adapter import PPOAdapter
from nnx_ppo_ref.networks.containers import Sequential
from nnx_ppo_ref.networks.feedforward import Dense
from nnx_ppo_ref.networks.normalizer import Normalizer
from nnx_ppo_ref.networks.recurrent import LSTM
from nnx_ppo_ref.networks.sampling_layers import NormalTanhSampler
from nnx_ppo_ref.networks.variational import VariationalBottleneck

from ..dummies import PointMass

ENV = PointMass()
"""One environment for all runs, so that equal networks and settings are compiled once."""

STEP = 8 * 4
"""Environment steps in one step of PPO with `settings`."""


def network(seed: int = 0, features: int = 2, latent: int = 2) -> PPOAdapter:
    """Everything that there is to keep: statistics, memory, carried keys, a stream."""
    rngs = nnx.Rngs(seed)
    actor = [
        Normalizer(features),
        LSTM(features, 4, rngs),
        Dense(4, 2 * latent, rngs),
        VariationalBottleneck(latent, rngs, kl_weight=1e-3),
        Dense(latent, 4, rngs),
        NormalTanhSampler(rngs, entropy_weight=1e-3),
    ]
    return PPOAdapter(Sequential(actor), Dense(features, 1, rngs))


def plain_network(seed: int = 0, features: int = 2, values: int = 1) -> PPOAdapter:
    """The least that PPO can train."""
    rngs = nnx.Rngs(seed)
    actor = [Dense(features, 4, rngs), NormalTanhSampler(rngs, entropy_weight=1e-3)]
    return PPOAdapter(Sequential(actor), Dense(features, values, rngs))


def settings(steps: int = 3, **changes: Any) -> TrainConfig:
    """A run of so many steps of PPO without evaluations, other than `changes` to its sections."""
    parts: dict[str, Any] = {
        "ppo": {
            "n_envs": 8,
            "rollout_length": 4,
            "total_steps": steps * STEP,
            "learning_rate": 1e-2,
            "n_epochs": 2,
            "n_minibatches": 2,
        },
        "eval": {"enabled": False, "n_envs": 4, "max_episode_length": 5},
    }
    for name, changed in changes.items():
        parts[name] = {**parts[name], **changed} if isinstance(changed, dict) else changed
    ppo, evaluation = PPOConfig(**parts.pop("ppo")), EvalConfig(**parts.pop("eval"))
    return TrainConfig(ppo=ppo, eval=evaluation, **parts)


def weights(modules: PPOAdapter) -> np.ndarray:
    """The critic's weights."""
    critic: Any = modules.value
    return np.asarray(critic.linear.kernel[...])


def contents(state: TrainingState) -> dict[str, np.ndarray]:
    """Every number of a training state by its path; keys as their numbers."""
    _, learner = take_apart(state)
    return {
        jax.tree_util.keystr(path): np.asarray(jax.random.key_data(leaf) if is_key(leaf) else leaf)
        for path, leaf in jax.tree.leaves_with_path(learner)
    }


def assert_identical(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> None:
    """Asserts that two `contents` are the same to the last bit."""
    assert one.keys() == other.keys()
    for name in one:
        np.testing.assert_array_equal(one[name], other[name], name)
        assert one[name].dtype == other[name].dtype, name
