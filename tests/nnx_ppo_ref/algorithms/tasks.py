"""Tasks that PPO learns, with networks that draw: for tests and for `benchmarks/learning.py`.

Both libraries have the same names, so a task is written once. What nnx-ppo does not have, the
sampler of discrete actions, runs there too.
"""

from __future__ import annotations

import dataclasses
import importlib
import itertools
from collections.abc import Callable
from typing import Any

import jax
from flax import nnx

from nnx_ppo_ref.environments import gymnax
from nnx_ppo_ref.networks.sampling_layers import CategoricalSampler
from nnx_ppo_ref.networks.types import StatefulModule, StatefulModuleOutput
from nnx_ppo_ref.networks.variational import gaussian, gaussian_divergence
from nnx_ppo_ref.wrappers import RewardScalingWrapper

from ..dummies import Memory
from ..networks.libraries import OURS, Library


class StreamBottleneck(StatefulModule):
    """The faulty twin of a `VariationalBottleneck`: its steps draw from the module's stream."""

    def __init__(self, latent_size: int, rngs: nnx.Rngs, kl_weight: float) -> None:
        self.latent_size = latent_size
        self.rngs = rngs
        self.kl_weight = kl_weight

    def __call__(
        self, state: tuple[()], x: jax.Array, rollout_extras: Any = None
    ) -> StatefulModuleOutput:
        mean, std = gaussian(x, 1e-6)
        z = mean + std * jax.random.normal(self.rngs(), mean.shape)
        divergence = gaussian_divergence(mean, std)
        return StatefulModuleOutput(state, z, self.kl_weight * divergence, {})


@dataclasses.dataclass(frozen=True)
class Task:
    """What to learn and how.

    Attributes:
        env: Makes the environment for training, and the one for evaluations.
        observation_size: Size of an observation.
        action_size: Size of an action, or the number of discrete ones.
        discrete: Whether actions are discrete.
        kl_weight: Of the bottleneck.
        min_std: Of the sampler of continuous actions.
        head_scale: Variance of the actor's last layer, relative to its inputs.
        hidden: Sizes of the hidden layers.
        recurrent: Whether an LSTM follows them.
        episode: Length of an evaluation's episodes.
        settings: PPO's settings that differ between tasks.
    """

    env: Callable[[], tuple[Any, Any]]
    observation_size: int
    action_size: int
    discrete: bool
    kl_weight: float
    episode: int
    settings: dict[str, Any]
    min_std: float = 1e-2
    head_scale: float = 0.01
    hidden: tuple[int, ...] = (64, 64)
    recurrent: bool = False

    def network(self, seed: int, library: Library = OURS, *, stream: bool = False) -> Any:
        """An actor with a bottleneck, and a critic.

        Args:
            seed: Of parameters and draws.
            library: Whose classes to use.
            stream: Whether the bottleneck is the faulty twin.
        """
        rngs = nnx.Rngs(seed)

        def dense(*sizes: int, activation: Any = jax.nn.tanh, **more: Any) -> list[Any]:
            return [
                library.Dense(before, after, rngs, activation=activation, **more)
                for before, after in itertools.pairwise(sizes)
            ]

        def trunk() -> list[Any]:
            layers = dense(self.observation_size, *self.hidden)
            if self.recurrent:
                layers.append(library.LSTM(self.hidden[-1], self.hidden[-1], rngs))
            return layers

        width = self.hidden[-1]
        bottleneck = StreamBottleneck if stream else library.VariationalBottleneck
        small = nnx.initializers.variance_scaling(self.head_scale, "fan_in", "uniform")
        if self.discrete:
            sampler: Any = CategoricalSampler(rngs, entropy_weight=1e-3)
        else:
            sampler = library.NormalTanhSampler(rngs, entropy_weight=1e-3, min_std=self.min_std)
        size = self.action_size if self.discrete else 2 * self.action_size
        actor = [
            *trunk(),
            *dense(width, 16, activation=None),
            bottleneck(8, rngs, kl_weight=self.kl_weight),
            *dense(8, width),
            *dense(width, size, activation=None, kernel_init=small),
            sampler,
        ]
        critic = [*trunk(), *dense(width, 1, activation=None)]
        return library.PPOAdapter(library.Sequential(actor), library.Sequential(critic))

    def config(
        self, seed: int, library: Library = OURS, evaluations: int = 1, **changes: Any
    ) -> Any:
        """The settings of a run."""
        settings: dict[str, Any] = {
            "learning_rate": 1e-3,
            "gae_lambda": 0.95,
            "clip_range": 0.2,
            "gradient_clipping": 0.5,
            "n_epochs": 8,
            "n_minibatches": 4,
            **self.settings,
            **changes,
        }
        config = importlib.import_module(f"{library.containers}.algorithms.config")
        return config.TrainConfig(
            ppo=config.PPOConfig(**settings),
            eval=config.EvalConfig(
                every_steps=settings["total_steps"] // evaluations,
                n_envs=128,
                max_episode_length=self.episode,
            ),
            seed=seed,
        )

    def returns(
        self, seed: int, library: Library = OURS, *, stream: bool = False, **more: Any
    ) -> list[float]:
        """Trains a network; returns the mean return of every evaluation but the first."""
        env, eval_env = self.env()
        ppo = importlib.import_module(f"{library.containers}.algorithms.ppo")
        result = ppo.train_ppo(
            env,
            self.network(seed, library, stream=stream),
            self.config(seed, library, **more),
            eval_env=eval_env,
        )
        return [float(found["eval/episode_reward/mean"]) for found in result.eval_history[1:]]


def _pendulum() -> tuple[Any, Any]:
    env = gymnax.make("Pendulum-v1")
    return RewardScalingWrapper(env, 0.1), env


def _memory() -> tuple[Any, Any]:
    env = Memory(delay=4)
    return env, env


def _cart_pole() -> tuple[Any, Any]:
    env = gymnax.make("CartPole-v1")
    return env, env


CART_POLE = Task(
    env=_cart_pole,
    observation_size=4,
    action_size=2,
    discrete=True,
    kl_weight=1e-3,
    episode=500,
    settings={
        "n_envs": 64,
        "rollout_length": 32,
        "discounting_factor": 0.99,
        "total_steps": 122_880,
    },
)
PENDULUM = Task(
    env=_pendulum,
    observation_size=3,
    action_size=1,
    discrete=False,
    kl_weight=0.1,
    episode=200,
    settings={
        "n_envs": 256,
        "rollout_length": 32,
        "discounting_factor": 0.95,
        "total_steps": 327_680,
    },
)
MEMORY = Task(
    env=_memory,
    observation_size=2,
    action_size=2,
    discrete=True,
    kl_weight=1e-3,
    hidden=(32,),
    recurrent=True,
    episode=5,
    settings={
        "n_envs": 64,
        "rollout_length": 16,
        "discounting_factor": 0.99,
        "total_steps": 24_576,
    },
)
MEMORYLESS = dataclasses.replace(MEMORY, recurrent=False)
