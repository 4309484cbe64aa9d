"""The algorithms have nnx-ppo's names, arguments and defaults."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
from typing import Any

import pytest

pytest.importorskip("nnx_ppo")

FUNCTIONS = {
    "config": ("PPOConfig", "EvalConfig", "TrainResult"),
    "metrics": ("compute_metrics", "log_weight_stats"),
    "ppo": ("default_config", "gae", "new_training_state", "ppo_loss", "ppo_step"),
    "rollout": ("eval_rollout", "single_transition", "tree_where", "unroll_env"),
    "types": ("TrainingState",),
}
SAME = [(module, name) for module, names in FUNCTIONS.items() for name in names]


def pair(module: str, name: str) -> tuple[Any, Any]:
    ours, theirs = (
        getattr(importlib.import_module(f"{package}.algorithms.{module}"), name)
        for package in ("nnx_ppo_ref", "nnx_ppo")
    )
    return ours, theirs


def plain(default: Any) -> Any:
    """Defaults of the two libraries' own types are equal if they print the same."""
    return str(default)


def arguments(called: Any) -> list[tuple[Any, ...]]:
    parameters = inspect.signature(called).parameters.values()
    return [(p.name, p.kind, plain(p.default)) for p in parameters]


def without(parameters: list[tuple[Any, ...]], *names: str) -> list[tuple[Any, ...]]:
    return [parameter for parameter in parameters if parameter[0] not in names]


@pytest.mark.parametrize(("module", "name"), SAME)
def test_it_takes_the_same_arguments(module: str, name: str) -> None:
    ours, theirs = pair(module, name)
    assert arguments(ours) == arguments(theirs)


def test_training_takes_the_same_arguments_but_for_video() -> None:
    ours, theirs = pair("ppo", "train_ppo")
    expected = without(arguments(theirs), "video_fn")
    assert [p for p in arguments(ours) if p in expected] == expected


def test_the_settings_are_the_same_but_for_video() -> None:
    ours, theirs = pair("config", "TrainConfig")
    names = [[f.name for f in dataclasses.fields(cls)] for cls in (ours, theirs)]
    assert names[0] == [name for name in names[1] if name != "video"]
    for field in dataclasses.fields(ours):
        mine, yours = getattr(ours(), field.name), getattr(theirs(), field.name)
        if dataclasses.is_dataclass(mine):
            assert repr(mine) == repr(yours)
        else:
            assert mine == yours


def test_a_transition_has_one_field_more_and_needs_none() -> None:
    ours, theirs = pair("types", "Transition")
    assert arguments(ours)[:-1] == arguments(theirs)
    assert arguments(ours)[-1][0] == "reset_draws"
    assert arguments(ours)[-1][2] == "None"


def test_logging_levels_have_the_same_values() -> None:
    ours, theirs = pair("types", "LoggingLevel")
    assert {name: level.value for name, level in ours.__members__.items()} == {
        name: level.value for name, level in theirs.__members__.items()
    }


@pytest.mark.parametrize("name", ["EnvState", "RLEnv"])
def test_protocols_ask_for_the_same(name: str) -> None:
    ours, theirs = pair("types", name)
    assert members(ours) == members(theirs)


def members(protocol: Any) -> set[str]:
    return {name for name in vars(protocol) if not name.startswith("_")}
