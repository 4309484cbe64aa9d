"""nnx-ppo's own tests of its networks, run against ours."""

from __future__ import annotations

from typing import Any

import pytest

from ..upstream import Case, cases

QUICK = (
    "networks.containers_test",
    "networks.delay_test",
    "networks.utils_test",
    "networks.variational_test",
)
SLOW = (
    "networks.adapter_test",
    "networks.ar1_rollout_test",
    "networks.factories_test",
    "networks.normalizer_test",
    "networks.recurrent_test",
)
TRAIN = ("test_no_nan_in_gradients_during_ppo_step", "test_ppo_step_with_lstm")
ROLL_OUT = ("test_no_nan_leakage_during_rollout", "test_rollout_with_resets")
"""The tests that show that ours also run under nnx-ppo's algorithms."""


@pytest.mark.parametrize("case", cases(*QUICK))
def test_networks_pass_nnx_ppos_tests(case: Case) -> None:
    case.run()


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize("case", cases(*SLOW))
def test_networks_pass_nnx_ppos_longer_tests(case: Case) -> None:
    case.run()


def under_theirs(*names: str) -> Any:
    return cases(*SLOW, only=names, stays=("nnx_ppo.algorithms",))


@pytest.mark.slow
@pytest.mark.parametrize("case", under_theirs(*ROLL_OUT))
def test_networks_roll_out_under_nnx_ppos_algorithms(case: Case) -> None:
    case.run()


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize("case", under_theirs(*TRAIN))
def test_networks_train_under_nnx_ppos_algorithms(case: Case) -> None:
    case.run()


def test_no_test_of_nnx_ppos_is_missing() -> None:
    missing = [case.missing for case in (p.values[0] for p in cases(*QUICK, *SLOW)) if case.missing]
    assert not missing
