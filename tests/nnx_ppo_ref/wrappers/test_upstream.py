"""nnx-ppo's own tests of its wrappers, run against ours."""

from __future__ import annotations

import pytest

from ..upstream import Case, cases

STAYS = ("nnx_ppo.networks", "nnx_ppo.algorithms")


@pytest.mark.slow
@pytest.mark.parametrize("case", cases("wrappers.episode_wrapper_test", stays=STAYS))
def test_the_episode_wrapper_passes_nnx_ppos_tests(case: Case) -> None:
    case.run()
