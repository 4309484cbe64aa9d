"""The pytest fixture, in a test suite of its own."""

from __future__ import annotations

import pytest

pytest_plugins = ["pytester"]

SUITE = """
from flax import nnx
import jax.numpy as jnp
import pytest
from nnx_ppo_ref import StatefulModule, StatefulModuleOutput, VariationalBottleneck

class Noisy(StatefulModule):
    def __init__(self):
        self.rngs = nnx.Rngs(0)

    def __call__(self, module_state, obs, rollout_extras=None):
        return StatefulModuleOutput(module_state, obs + self.rngs.normal(obs.shape), 0.0, {})

def test_sound(assert_replays):
    assert_replays(VariationalBottleneck(2, nnx.Rngs(0)), jnp.zeros(4))

def test_noisy(assert_replays):
    assert_replays(Noisy(), jnp.zeros(4), observables=["replay"])
"""


def test_the_fixture_passes_and_fails_a_test(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(SUITE)
    result = pytester.runpytest_inprocess(
        "-p", "nnx_ppo_ref.oracle.plugin", "-p", "no:cacheprovider"
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*Noisy: broken: replay*"])
