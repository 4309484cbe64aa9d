"""nnx-ppo's own tests of its algorithms, run against ours."""

from __future__ import annotations

from typing import Any

import pytest

from ..upstream import Case, cases
from .kinds import Walk

ALGORITHMS = ("algorithms.ppo_test", "algorithms.rollout_test")
RECORDING = ("nnx_ppo.algorithms.rollout.record_activations_rollout",)
OTHERWISE = {
    "test_minibatching": "repeats test_ppo_step_jit",
    "test_returns_stacked_activations_and_dones": "recording stays out",
    "test_first_step_matches_manual_call": "recording stays out",
}


@pytest.mark.parametrize("case", cases("algorithms.metrics_test"))
def test_metrics_pass_nnx_ppos_tests(case: Case) -> None:
    case.run()


LONGEST = (
    "test_ppo_move_to_center_env",
    "test_ppo_normalize_obs_counter",
    "test_ppo_step_jit",
    "test_ppo_step_twice",
    "test_train_ppo",
)
"""Ten to fifteen seconds each."""


def _marked(case: Any) -> Any:
    is_long = case.id.endswith(LONGEST)
    return pytest.param(*case.values, id=case.id, marks=pytest.mark.thorough) if is_long else case


@pytest.mark.slow
@pytest.mark.parametrize("case", [_marked(case) for case in cases(*ALGORITHMS, stays=RECORDING)])
def test_algorithms_pass_nnx_ppos_tests(case: Case) -> None:
    if case.method is not None:
        name = case.method.id().rpartition(".")[2]
        if name in OTHERWISE:
            pytest.skip(OTHERWISE[name])
        give_environment(case.method)
    case.run()


def give_environment(method: Any) -> None:
    """Lets a test load one of our environments where it asks for one of MuJoCo Playground's."""
    names = type(method).setUp.__globals__ if "setUp" in vars(type(method)) else {}
    if "mujoco_playground" in names:
        names["mujoco_playground"].registry.load = lambda *_, **__: Walk(flag=float)
