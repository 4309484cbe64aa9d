"""Training: what is called when, what is left behind, and what is refused."""

from __future__ import annotations

import dataclasses
import importlib
import logging
import math
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np
import pytest

from nnx_ppo_ref.algorithms.evaluation import eval_rollout
from nnx_ppo_ref.algorithms.initial import new_training_state
from nnx_ppo_ref.algorithms.step import ppo_step
from nnx_ppo_ref.algorithms.training import default_config, train_ppo
from nnx_ppo_ref.algorithms.types import LoggingLevel
from nnx_ppo_ref.networks.adapter import PPOAdapter
from nnx_ppo_ref.networks.containers import Sequential
from nnx_ppo_ref.networks.types import StatefulModule, StatefulModuleOutput

from ..dummies import Counter, DictTask, PointMass
from .kinds import unoptimized
from .runs import ENV, STEP, assert_identical, contents, network, plain_network, settings, weights

slow = pytest.mark.slow


@pytest.fixture(autouse=True)
def quick_to_compile() -> Iterator[None]:
    with unoptimized():
        yield


SCHEDULES = [(STEP, 2 * STEP, True), (2 * STEP - 5, 0, True), (0, STEP + 1, True), (1, 7, False)]
"""Steps between evaluations, steps between checkpoints, whether to evaluate."""


@slow
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_everything_is_called_when_nnx_ppo_calls_it(
    schedule: tuple[int, int, bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = pytest.importorskip("nnx_ppo.algorithms.ppo")

    def only_count(env: Any, state: Any, n_envs: int, length: int, *_: Any) -> Any:
        return state.replace(steps_taken=state.steps_taken + n_envs * length), {}

    monkeypatch.setattr(theirs, "ppo_step", only_count)
    here, there = _both(schedule)
    # The rest of the metrics is another test's.
    assert [(what, steps) for what, steps, _ in here] == [(what, steps) for what, steps, _ in there]
    for (_, _, ours), (_, _, expected) in zip(here, there, strict=True):
        assert {n for n in ours if n.startswith("eval/")} == set(expected)


@slow
def test_metrics_have_the_names_that_nnx_ppo_gives_them() -> None:
    pytest.importorskip("nnx_ppo.algorithms.ppo")
    here, there = _both(SCHEDULES[0], steps=1)
    assert here == there


def _both(schedule: tuple[int, int, bool], steps: int = 4) -> Any:
    """What both libraries call in a run: what, at which step, with which metrics."""
    eval_every, save_every, enabled = schedule
    theirs = importlib.import_module("nnx_ppo.algorithms.ppo")
    classes = importlib.import_module("nnx_ppo.algorithms.config")
    config = settings(
        steps,
        eval={"every_steps": eval_every, "enabled": enabled},
        checkpoint_every_steps=save_every,
    )
    twin = classes.TrainConfig(
        ppo=_as(classes.PPOConfig, config.ppo),
        eval=_as(classes.EvalConfig, config.eval),
        seed=config.seed,
        checkpoint_every_steps=save_every,
    )
    calls, results = [], []
    for train, given in ((train_ppo, config), (theirs.train_ppo, twin)):
        made: list[tuple[str, int, frozenset[str]]] = []

        def log(metrics: dict[str, Any], step: int, made: Any = made) -> None:
            made.append(("log", step, frozenset(metrics)))

        def save(state: Any, step: int, made: Any = made) -> None:
            made.append(("save", int(state.steps_taken), frozenset()))
            assert made[-1][1] == step

        with jax.debug_key_reuse(train is train_ppo):  # nnx-ppo uses keys twice
            result = train(ENV, plain_network(), given, log_fn=log, checkpoint_fn=save)
        calls.append(made)
        results.append(result)
    ours, expected = results
    assert [found["step"] for found in ours.eval_history] == [
        found["step"] for found in expected.eval_history
    ]
    assert (ours.total_steps, ours.total_iterations) == (
        expected.total_steps,
        expected.total_iterations,
    )
    return calls


def _as(cls: Any, config: Any) -> Any:
    """The same settings as nnx-ppo's class."""
    values = {field.name: getattr(config, field.name) for field in dataclasses.fields(config)}
    values["logging_level"] = type(cls().logging_level)(values["logging_level"].value)
    return cls(**values)


@slow
def test_the_result_holds_the_state_the_last_metrics_and_the_evaluations() -> None:
    modules = plain_network()
    config = settings(3, eval={"enabled": True, "every_steps": 2 * STEP})
    result = train_ppo(ENV, modules, config)
    assert result.training_state.networks is modules
    assert (result.total_steps, result.total_iterations) == (3 * STEP, 3)
    assert int(result.training_state.steps_taken) == 3 * STEP
    assert [found["step"] for found in result.eval_history] == [0, 2 * STEP]
    assert all("eval/episode_reward/mean" in found for found in result.eval_history)
    assert int(result.final_metrics["total_steps"]) == 3 * STEP
    assert not any(name.startswith("eval/") for name in result.final_metrics)


@slow
def test_train_ppo_does_what_as_many_calls_of_ppo_step_do() -> None:
    result = train_ppo(ENV, network(), settings(3))
    ppo = settings().ppo
    state = new_training_state(ENV, network(), ppo.n_envs, default_config().seed, ppo.learning_rate)
    for _ in range(3):
        state, metrics = ppo_step(
            ENV,
            state,
            ppo.n_envs,
            ppo.rollout_length,
            ppo.gae_lambda,
            ppo.discounting_factor,
            ppo.clip_range,
            ppo.normalize_advantages,
            ppo.combine_advantages,
            ppo.n_epochs,
            ppo.n_minibatches,
        )
    assert_identical(contents(result.training_state), contents(state))
    assert result.final_metrics.keys() == metrics.keys()


@slow
def test_evaluations_leave_no_trace_on_training() -> None:
    without = train_ppo(ENV, network(), settings(3))
    config = settings(3, eval={"enabled": True, "every_steps": STEP})
    evaluated = train_ppo(ENV, network(), config)
    assert len(evaluated.eval_history) == 4
    assert_identical(contents(without.training_state), contents(evaluated.training_state))
    assert evaluated.training_state.networks.action[5].deterministic is False


@slow
def test_evaluations_measure_the_weights_of_their_time() -> None:
    config = settings(3, eval={"enabled": True, "every_steps": STEP})
    modules = plain_network()
    result = train_ppo(ENV, modules, config)
    returns = [float(found["eval/episode_reward/mean"]) for found in result.eval_history]
    assert len(set(returns)) == 4
    modules.eval()  # type: ignore[no-untyped-call]
    key = jax.random.fold_in(jax.random.key(config.seed), 2)
    again = eval_rollout(ENV, modules, config.eval.n_envs, config.eval.max_episode_length, key)
    assert float(again["eval/episode_reward/mean"]) == pytest.approx(returns[-1], rel=1e-5)


@slow
def test_training_goes_on_from_an_initial_state() -> None:
    whole = train_ppo(ENV, network(), settings(4))
    modules = network()
    half = train_ppo(ENV, modules, settings(2))
    rest = train_ppo(ENV, modules, settings(4), initial_state=half.training_state)
    assert (rest.total_steps, rest.total_iterations) == (4 * STEP, 2)
    assert_identical(contents(whole.training_state), contents(rest.training_state))


@slow
def test_total_steps_and_seed_can_be_given_apart_from_the_settings() -> None:
    config = settings(4)
    short = train_ppo(ENV, plain_network(), config, total_steps=2 * STEP, seed=3)
    same = train_ppo(ENV, plain_network(), settings(2, seed=3))
    other = train_ppo(ENV, plain_network(), settings(2, seed=4))
    assert short.total_steps == 2 * STEP
    assert_identical(contents(short.training_state), contents(same.training_state))
    assert not np.array_equal(
        short.training_state.env_states.obs, other.training_state.env_states.obs
    )
    assert config.ppo.total_steps == 4 * STEP
    assert config.seed == default_config().seed


@slow
def test_an_evaluation_can_have_an_environment_of_its_own() -> None:
    class Kind(PointMass):
        def step(self, state: Any, action: jax.Array) -> Any:
            stepped = super().step(state, action)
            return stepped.replace(reward=0 * stepped.reward + 7.0)

    config = settings(1, eval={"enabled": True, "max_episode_length": 1, "every_steps": STEP})
    result = train_ppo(ENV, plain_network(), config, eval_env=Kind())
    assert [float(each["eval/episode_reward/mean"]) for each in result.eval_history] == [7.0, 7.0]


@slow
def test_throughput_is_measured_if_it_is_asked_for() -> None:
    level = LoggingLevel.LOSSES | LoggingLevel.THROUGHPUT
    config = settings(1, ppo={"logging_level": level}, eval={"enabled": True, "every_steps": STEP})
    result = train_ppo(ENV, plain_network(), config)
    assert result.final_metrics["throughput/train_sps"] > 0
    assert result.final_metrics["throughput/eval_sps"] > 0


@slow
def test_training_compiles_one_step_and_another_run_of_the_same_settings_none(
    compiled: list[str],
) -> None:
    env = PointMass()
    train_ppo(env, plain_network(), settings(3))
    assert compiled.count("compiled_step") == 1
    train_ppo(env, plain_network(1), settings(3, seed=2))
    assert compiled.count("compiled_step") == 1
    train_ppo(env, plain_network(), settings(3, ppo={"clip_range": 0.1, "gae_lambda": 0.9}))
    assert compiled.count("compiled_step") == 1


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The names of the functions that are compiled."""
    names: list[str] = []

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            message = record.getMessage()
            if message.startswith("Finished XLA compilation of jit("):
                names.append(message.split("(")[1].split(")")[0])

    logger, handler = logging.getLogger("jax._src.dispatch"), Handler()
    level, propagate = logger.level, logger.propagate
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    logger.propagate = False
    yield names
    logger.removeHandler(handler)
    logger.setLevel(level)
    logger.propagate = propagate


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ppo": {"n_minibatches": 3}}, r"n_envs \(8\) must be a multiple of n_minibatches \(3\)"),
        ({"ppo": {"n_envs": -8}}, "n_envs must be at least 1, got -8"),
        ({"ppo": {"rollout_length": 0}}, "rollout_length must be at least 1, got 0"),
        ({"ppo": {"n_epochs": -1}}, "n_epochs must be at least 1"),
        ({"ppo": {"n_minibatches": 0}}, "n_minibatches must be at least 1"),
        ({"ppo": {"total_steps": -1}}, "ppo.total_steps must be in"),
        ({"ppo": {"gae_lambda": 1.5}}, r"ppo.gae_lambda must be in \[0, 1\], got 1.5"),
        ({"ppo": {"discounting_factor": -0.1}}, "ppo.discounting_factor"),
        ({"ppo": {"clip_range": -0.1}}, "ppo.clip_range"),
        ({"ppo": {"learning_rate": math.nan}}, "ppo.learning_rate"),
        ({"eval": {"n_envs": 0}}, "eval.n_envs"),
        ({"eval": {"max_episode_length": 0}}, "eval.max_episode_length"),
    ],
)
def test_an_impossible_setting_is_refused_by_its_name_before_anything_is_compiled(
    changes: Any, message: str, compiled: list[str]
) -> None:
    modules = plain_network()
    compiled.clear()
    with pytest.raises(ValueError, match=message):
        train_ppo(ENV, modules, settings(1, **changes))
    assert compiled == []


class _Nothing(StatefulModule):
    """Has no parameters."""

    def __call__(self, state: Any, x: Any, rollout_extras: Any = None) -> StatefulModuleOutput:
        return StatefulModuleOutput(state, x, 0.0, {})


def _another_network(features: int = 2, values: int = 1) -> Any:
    return lambda: plain_network(features=features, values=values)


@pytest.mark.parametrize(
    ("env", "build", "message"),
    [
        (ENV, lambda: PPOAdapter(Sequential([]), Sequential([])), "networks has no nnx.Param"),
        (ENV, _Nothing, "networks has no nnx.Param"),
        (ENV, lambda: network().action, "networks must end in a PPONetworkOutput"),
        (ENV, _another_network(features=3), r"cannot take the environment's observations.*\[8,2\]"),
        (ENV, _another_network(values=2), r"value estimates have shapes \(8, 2\)"),
        (DictTask(), plain_network, "cannot take the environment's observations"),
        (Counter(), plain_network, "cannot take the environment's observations"),
    ],
)
def test_a_network_that_does_not_fit_is_refused_before_a_step_is_compiled(
    env: Any, build: Any, message: str, compiled: list[str]
) -> None:
    with pytest.raises(ValueError, match=message):
        train_ppo(env, build(), settings(1))
    assert not {"compiled_step", "evaluate"} & set(compiled)


def test_an_initial_state_that_does_not_fit_is_refused_before_a_step_is_compiled(
    compiled: list[str],
) -> None:
    modules = plain_network()
    state = new_training_state(ENV, modules, 4, 0)
    with pytest.raises(ValueError, match="n_envs is 8, but the training state has 4 environments"):
        train_ppo(ENV, modules, settings(1), initial_state=state)
    with pytest.raises(ValueError, match="initial_state must hold the network"):
        train_ppo(ENV, plain_network(), settings(1, ppo={"n_envs": 4}), initial_state=state)
    assert not {"compiled_step", "evaluate"} & set(compiled)


def test_nothing_is_done_if_all_steps_have_been_taken() -> None:
    modules = plain_network()
    result = train_ppo(ENV, modules, settings(0))
    assert (result.total_steps, result.total_iterations) == (0, 0)
    assert (result.final_metrics, result.eval_history) == ({}, [])
    np.testing.assert_array_equal(weights(modules), weights(plain_network()))


@slow
def test_a_log_sees_the_weights_of_its_step() -> None:
    modules, seen = plain_network(), []
    train_ppo(ENV, modules, settings(2), log_fn=lambda _, step: seen.append(weights(modules)))
    assert len(seen) == 2
    assert (seen[0] != seen[1]).any()
    np.testing.assert_array_equal(seen[1], weights(modules))


@slow
def test_a_learning_rate_may_be_a_schedule() -> None:
    plain, scheduled, stopped = plain_network(), plain_network(), plain_network()
    before = weights(stopped)
    train_ppo(ENV, plain, settings(1, ppo={"learning_rate": 1e-2}))
    train_ppo(ENV, scheduled, settings(1, ppo={"learning_rate": lambda count: 1e-2}))
    train_ppo(ENV, stopped, settings(1, ppo={"learning_rate": lambda count: 0.0 * count}))
    np.testing.assert_allclose(weights(scheduled), weights(plain), rtol=1e-5)
    np.testing.assert_array_equal(weights(stopped), before)


@slow
def test_a_state_of_another_environment_is_refused_before_the_step_is_compiled() -> None:
    modules = plain_network()
    state = new_training_state(ENV, modules, 8, 0)
    with pytest.raises(ValueError, match="env cannot take"):
        train_ppo(DictTask(), modules, settings(1), initial_state=state)
