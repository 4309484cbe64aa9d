"""Training: steps of PPO, with evaluations, checkpoints and logging in between."""

from __future__ import annotations

import dataclasses
import functools
import time
from collections.abc import Callable
from typing import Any

import jax
from flax import nnx

from nnx_ppo_ref.algorithms import pure
from nnx_ppo_ref.algorithms.checks import check_config, check_fit, check_state
from nnx_ppo_ref.algorithms.config import PPOConfig, TrainConfig, TrainResult
from nnx_ppo_ref.algorithms.evaluation import evaluate
from nnx_ppo_ref.algorithms.initial import new_training_state
from nnx_ppo_ref.algorithms.interrupt import Interrupt
from nnx_ppo_ref.algorithms.learner import Learner, take_apart, write_back
from nnx_ppo_ref.algorithms.progress import TrainingProgress
from nnx_ppo_ref.algorithms.static import Static
from nnx_ppo_ref.algorithms.step import StepScalars, StepSettings, compiled_step
from nnx_ppo_ref.algorithms.types import LoggingLevel, RLEnv, TrainingState
from nnx_ppo_ref.networks.types import StatefulModule

LogFn = Callable[[dict[str, Any], int], None]
CheckpointFn = Callable[[TrainingState, int], None]


def default_config() -> TrainConfig:
    """The default settings."""
    return TrainConfig()


def train_ppo(
    env: RLEnv,
    networks: StatefulModule,
    config: TrainConfig | None = None,
    *,
    total_steps: int | None = None,
    seed: int | None = None,
    log_fn: LogFn | None = None,
    checkpoint_fn: CheckpointFn | None = None,
    eval_env: RLEnv | None = None,
    initial_state: TrainingState | None = None,
) -> TrainResult:
    """Trains a network; on a terminal a line shows steps, steps per second and return.

    Ctrl-C ends training after the step under way, with the result so far; a second one
    interrupts at once.

    Args:
        env: The environment.
        networks: The network, changed in place; after an error too.
        config: Settings, `TrainConfig()` by default.
        total_steps: Instead of `config.ppo.total_steps`.
        seed: Instead of `config.seed`.
        log_fn: Called as `log_fn(metrics, steps)` after each step of PPO; `networks` is up to date
            then, which costs a few milliseconds.
        checkpoint_fn: Called as `checkpoint_fn(training_state, steps)` at the start and every
            `config.checkpoint_every_steps`.
        eval_env: Environment for evaluations, `env` by default.
        initial_state: Where to go on from.

    Raises:
        ValueError: If a setting is impossible, or network and environment do not fit; before
            anything is compiled.
    """
    config = _overridden(config or default_config(), total_steps, seed)
    check_config(config, networks)
    state = initial_state
    if state is None:
        state = new_training_state(
            env,
            networks,
            config.ppo.n_envs,
            config.seed,
            config.ppo.learning_rate,
            config.ppo.gradient_clipping,
            config.ppo.weight_decay,
        )
    elif state.networks is not networks:
        raise ValueError("initial_state must hold the network that is given as networks")
    else:
        check_state(state, config.ppo.n_envs)
        check_fit(env, pure.split(networks), state.network_states, state.env_states)
    run = _Run(env, eval_env or env, config, state, log_fn, checkpoint_fn)
    with Interrupt() as interrupt:
        return run.until(config.ppo.total_steps, interrupt)


class _Run:
    """A training run; arrays stay apart from their modules between its steps."""

    def __init__(
        self,
        env: RLEnv,
        eval_env: RLEnv,
        config: TrainConfig,
        state: TrainingState,
        log_fn: LogFn | None,
        checkpoint_fn: CheckpointFn | None,
    ) -> None:
        self.config = config
        self.log_fn = log_fn
        self.checkpoint_fn = checkpoint_fn
        self.template = state
        self.definitions, self.learner = take_apart(state)
        self.step = functools.partial(
            compiled_step, Static(env), self.definitions, _settings(config.ppo)
        )
        self.scalars = _scalars(config.ppo)
        self.evaluate = _evaluator(eval_env, state.networks, config)
        self.steps = int(state.steps_taken)
        self.iterations = 0
        self.metrics: dict[str, Any] = {}
        self.history: list[dict[str, Any]] = []

    def until(self, total_steps: int, interrupt: Interrupt) -> TrainResult:
        """Steps until so many environment steps have been taken."""
        try:
            self._until(total_steps, interrupt)
        finally:  # after an error too, the modules hold the last whole step
            state = write_back(self.learner, self.template)
        return TrainResult(state, self.metrics, self.history, self.steps, self.iterations)

    def _until(self, total_steps: int, interrupt: Interrupt) -> None:
        measured = LoggingLevel.THROUGHPUT in self.config.ppo.logging_level
        with TrainingProgress(total_steps, self.steps) as progress:
            self._between(progress, None)
            if self.metrics:
                self._log()
            while self.steps < total_steps and not interrupt.requested:
                began, before = time.perf_counter(), self.steps
                self.learner, self.metrics, reward = self.step(self.scalars, self.learner)
                self.steps = int(self.learner.steps_taken)  # waits for the device
                self.iterations += 1
                speed = (self.steps - before) / (time.perf_counter() - began)
                if measured:
                    self.metrics["throughput/train_sps"] = speed
                progress.stepped(self.steps, speed, float(reward))
                self._between(progress, before)
                self._log()
            if interrupt.requested:
                progress.say(f"interrupted after {self.steps:,} steps; the result so far is kept")

    def _log(self) -> None:
        if self.log_fn is not None:
            write_back(self.learner, self.template)
            self.log_fn(self.metrics, self.steps)

    def _between(self, progress: TrainingProgress, before: int | None) -> None:
        """Evaluates and saves if it is time."""
        evaluation = self.config.eval
        if evaluation.enabled and _is_due(self.steps, before, evaluation.every_steps):
            found = self.evaluate(self.learner)
            self.metrics = {**self.metrics, **found}
            self.history.append({"step": self.steps, **found})
            progress.evaluated(float(found["eval/episode_reward/mean"]))
        every = self.config.checkpoint_every_steps
        if self.checkpoint_fn is not None and every > 0 and _is_due(self.steps, before, every):
            self.checkpoint_fn(write_back(self.learner, self.template), self.steps)


def _is_due(steps: int, before: int | None, every: int) -> bool:
    """Whether a multiple of `every` was passed; at the start, before any step, it is due."""
    return before is None or (every > 0 and steps // every > before // every)


def _evaluator(
    env: RLEnv, networks: StatefulModule, config: TrainConfig
) -> Callable[[Learner], dict[str, Any]]:
    """Makes a function that evaluates a learner's network, without a trace on training."""
    # A copy, because the flags that `eval` sets are part of a module's structure.
    copy = nnx.clone(networks)
    copy.eval()  # type: ignore[no-untyped-call]
    definition = pure.split(copy).definition
    settings = config.eval
    measured = LoggingLevel.THROUGHPUT in config.ppo.logging_level

    def run(learner: Learner) -> dict[str, Any]:
        began = time.perf_counter()
        _, found = evaluate(
            Static(env),
            settings.n_envs,
            settings.max_episode_length,
            settings.logging_percentiles,
            settings.logging_level,
            pure.Split(definition, learner.params, learner.others),
            # The first two of the seed's children are the training's own.
            jax.random.fold_in(jax.random.key(config.seed), 2),
        )
        metrics: dict[str, Any] = dict(jax.block_until_ready(found))
        if measured:
            steps = settings.n_envs * settings.max_episode_length
            metrics["throughput/eval_sps"] = steps / (time.perf_counter() - began)
        return metrics

    return run


def _settings(config: PPOConfig) -> StepSettings:
    return StepSettings(
        **{field.name: getattr(config, field.name) for field in dataclasses.fields(StepSettings)}
    )


def _scalars(config: PPOConfig) -> StepScalars:
    return StepScalars(*(getattr(config, name) for name in StepScalars._fields))


def _overridden(config: TrainConfig, total_steps: int | None, seed: int | None) -> TrainConfig:
    if total_steps is not None:
        ppo = dataclasses.replace(config.ppo, total_steps=total_steps)
        config = dataclasses.replace(config, ppo=ppo)
    if seed is not None:
        config = dataclasses.replace(config, seed=seed)
    return config
