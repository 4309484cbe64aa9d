"""Learning: what can be known exactly is learned exactly, the rest as well as nnx-ppo does it."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import numpy as np
import pytest
from flax import nnx

from nnx_ppo_ref.algorithms.config import EvalConfig, PPOConfig, TrainConfig
from nnx_ppo_ref.algorithms.initial import new_training_state
from nnx_ppo_ref.algorithms.step import ppo_step
from nnx_ppo_ref.algorithms.training import train_ppo
from nnx_ppo_ref.algorithms.types import LoggingLevel
from nnx_ppo_ref.networks.adapter import PPOAdapter
from nnx_ppo_ref.networks.containers import Sequential
from nnx_ppo_ref.networks.feedforward import Dense
from nnx_ppo_ref.networks.sampling_layers import CategoricalSampler, NormalTanhSampler

from ..dummies import (
    Probe,
    constant_reward,
    delayed_reward,
    observed_action,
    observed_reward,
    rewarded_action,
)
from . import tasks
from .kinds import unoptimized

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def no_checks_of_keys() -> Any:
    """Training is checked for reused keys elsewhere; here it would only be compiled twice."""
    with jax.debug_key_reuse(False):
        yield


def _probe_network(probe: Probe) -> PPOAdapter:
    rngs = nnx.Rngs(0)
    sampler: Any = (
        CategoricalSampler(rngs, entropy_weight=0.0)
        if probe.discrete
        else NormalTanhSampler(rngs, entropy_weight=0.0)
    )

    def mlp(size: int) -> list[Any]:
        return [Dense(1, 16, rngs, activation=nnx.tanh), Dense(16, size, rngs)]

    return PPOAdapter(Sequential([*mlp(2), sampler]), Sequential(mlp(1)))


@pytest.mark.parametrize(
    "probe",
    [
        pytest.param(constant_reward(), id="constant reward"),
        pytest.param(observed_reward(), id="observed reward"),
        pytest.param(delayed_reward(), id="delayed reward"),
        pytest.param(rewarded_action(), id="rewarded action"),
        pytest.param(rewarded_action(discrete=True), id="rewarded discrete action"),
        pytest.param(observed_action(), id="observed action"),
        pytest.param(observed_action(discrete=True), id="observed discrete action"),
    ],
)
def test_a_probe_is_learned_exactly(probe: Probe) -> None:
    discount = 0.9
    config = TrainConfig(
        ppo=PPOConfig(
            n_envs=64,
            rollout_length=8,
            total_steps=100 * 64 * 8,
            discounting_factor=discount,
            learning_rate=3e-3,
            # Advantages that are made as large as ever would keep a policy from its goal.
            normalize_advantages=False,
        ),
        eval=EvalConfig(enabled=False),
    )
    modules = _probe_network(probe)
    with unoptimized():
        train_ppo(probe, modules, config)
    modules.eval()  # type: ignore[no-untyped-call]
    state = modules.initialize_state(len(probe.observations))
    output = modules(state, probe.observations).output
    np.testing.assert_allclose(output.value_estimates, probe.values(discount), atol=0.02)
    if probe.actions is not None:
        actions = output.actions.reshape(probe.actions.shape)
        np.testing.assert_allclose(actions, probe.actions, atol=0.02)


@pytest.mark.thorough
def test_cart_pole_is_balanced_through_a_bottleneck() -> None:
    """nnx-ppo: 500 and 500 in the last evaluations of two seeds."""
    pytest.importorskip("gymnax")
    assert max(tasks.CART_POLE.returns(0, evaluations=10)[-3:]) >= 475


@pytest.mark.thorough
def test_pendulum_is_swung_up_through_a_bottleneck() -> None:
    """nnx-ppo: -266 and -305 with these settings; here -240, -316 and -281."""
    pytest.importorskip("gymnax")
    assert tasks.PENDULUM.returns(0)[-1] >= -350


@pytest.mark.thorough
def test_pendulum_is_never_swung_up_by_the_twin_that_draws_from_its_stream() -> None:
    """nnx-ppo: -1180; nothing is learned in as many steps again either."""
    pytest.importorskip("gymnax")
    assert tasks.PENDULUM.returns(0, stream=True)[-1] <= -900


def test_the_first_minibatch_of_the_twin_is_clipped_and_that_of_a_carried_key_is_not() -> None:
    pytest.importorskip("gymnax")
    # At first the small head would hide what the bottleneck does.
    task = dataclasses.replace(tasks.PENDULUM, head_scale=1.0)
    env, _ = task.env()
    fractions = {}
    for stream in (False, True):
        state = new_training_state(env, task.network(0, stream=stream), 256, 0)
        _, metrics = ppo_step(
            env, state, 256, 8, 0.95, 0.95, 0.2, True, False, 1, 1, 1.0, LoggingLevel.ACTOR_EXTRA
        )
        fractions[stream] = float(metrics["losses/clipping_fraction/mean"])
    assert fractions[False] == 0.0
    assert fractions[True] > 0.3


@pytest.mark.thorough
def test_a_cue_is_remembered_by_a_network_with_memory() -> None:
    """nnx-ppo: 1.0."""
    assert tasks.MEMORY.returns(0, total_steps=8192)[-1] >= 0.95


@pytest.mark.thorough
def test_a_cue_is_remembered_by_no_network_without_memory() -> None:
    assert tasks.MEMORYLESS.returns(0, total_steps=8192)[-1] <= 0.7
