"""The settings of a training run, with nnx-ppo 0.3.0's names and defaults."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from nnx_ppo_ref.algorithms.types import LoggingLevel, TrainingState


@dataclasses.dataclass
class PPOConfig:
    """PPO's own settings (Schulman et al. 2017, arXiv:1707.06347, table 3).

    Attributes:
        n_envs: Parallel environments, B; a multiple of `n_minibatches`.
        rollout_length: Steps of each environment between updates, T.
        total_steps: Environment steps of the whole run.
        gae_lambda: Generalized advantage estimation's lambda.
        discounting_factor: The discount, gamma.
        clip_range: The surrogate's epsilon.
        learning_rate: Adam's, or a function from the number of the update to it.
        normalize_advantages: Whether each minibatch's advantages get mean 0 and deviation 1.
        combine_advantages: Whether the advantages of several rewards are summed.
        n_epochs: Passes over a rollout.
        n_minibatches: Updates in each pass.
        critic_loss_weight: The critic's share of the loss.
        gradient_clipping: Largest global norm of a gradient, or None.
        weight_decay: AdamW's decay; True means its default, None means Adam.
        logging_level: Which metrics to compute.
        logging_percentiles: Percentiles to log, or None for mean and standard deviation.
    """

    n_envs: int = 256
    rollout_length: int = 20
    total_steps: int = 512_000
    gae_lambda: float = 0.95
    discounting_factor: float = 0.99
    clip_range: float = 0.2
    learning_rate: float | Callable[[Any], Any] = 1e-4
    normalize_advantages: bool = True
    combine_advantages: bool = False
    n_epochs: int = 4
    n_minibatches: int = 4
    critic_loss_weight: float = 1.0
    gradient_clipping: float | None = None
    weight_decay: float | None = None
    logging_level: LoggingLevel = LoggingLevel.LOSSES
    logging_percentiles: tuple[int, ...] | None = None


@dataclasses.dataclass
class EvalConfig:
    """How the policy is evaluated while it trains.

    Attributes:
        enabled: Whether at all.
        every_steps: Environment steps from one evaluation to the next.
        n_envs: Episodes, run side by side.
        max_episode_length: Steps after which an episode is cut off.
        logging_level: Which metrics beside return and lifespan.
        logging_percentiles: Percentiles to log, or None for mean and standard deviation.
    """

    enabled: bool = True
    every_steps: int = 50_000
    n_envs: int = 64
    max_episode_length: int = 1000
    logging_level: LoggingLevel = LoggingLevel.NONE
    logging_percentiles: tuple[int, ...] | None = (0, 25, 50, 75, 100)


@dataclasses.dataclass
class TrainConfig:
    """All settings of `train_ppo`.

    Attributes:
        ppo: PPO's own.
        eval: Evaluation's.
        seed: Seeds the environments, the shuffling and the evaluations.
        checkpoint_every_steps: Environment steps from one checkpoint to the next.
    """

    ppo: PPOConfig = dataclasses.field(default_factory=PPOConfig)
    eval: EvalConfig = dataclasses.field(default_factory=EvalConfig)
    seed: int = 17
    checkpoint_every_steps: int = 500_000


@dataclasses.dataclass
class TrainResult:
    """What a training run leaves behind.

    Attributes:
        training_state: The state after the last whole step; training can go on from it.
        final_metrics: The last step's metrics.
        eval_history: Every evaluation's metrics, with their `"step"`.
        total_steps: Environment steps taken; fewer than asked for after an interrupt.
        total_iterations: Calls of `ppo_step`.
    """

    training_state: TrainingState
    final_metrics: dict[str, Any]
    eval_history: list[dict[str, Any]]
    total_steps: int
    total_iterations: int
