"""Metrics have nnx-ppo's names and values."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from nnx_ppo_ref.algorithms import metrics as ours
from nnx_ppo_ref.algorithms.types import LoggingLevel, Transition
from nnx_ppo_ref.networks.types import PPONetworkOutput

theirs = pytest.importorskip("nnx_ppo.algorithms.metrics")
their_types = pytest.importorskip("nnx_ppo.algorithms.types")

SHAPE = (4, 3)


def values(seed: int, *more: int) -> jax.Array:
    return jnp.asarray(np.random.default_rng(seed).normal(size=(*SHAPE, *more)), jnp.float32)


FLAGS = values(0) > 0
TRANSITIONS = Transition(
    obs={"a": values(1, 2), "b": {"c": values(2)}},
    network_output=PPONetworkOutput({"x": values(3, 1)}, values(4), {"l": values(5), 7: values(6)}),
    rewards={"l": values(7), "r": values(8)},
    done=FLAGS,
    truncated=FLAGS & (values(9) > 0),
    next_obs=None,
    metrics={
        "env": {"fell": FLAGS, "n": jnp.arange(12).reshape(SHAPE)},
        "net": {"a": {"mu": values(1)}},
    },
)
LOSSES: dict[str, Any] = {
    "losses/actor": {"l": values(1)},
    "losses/critic": values(2),
    "scale": 2.0,
}
LEVELS = [*LoggingLevel.__members__, "ROLLOUT_OBS"]


def named(module: Any, level: Any, percentiles: tuple[int, ...] | None) -> dict[str, Any]:
    found: dict[str, Any] = module.compute_metrics(LOSSES, TRANSITIONS, level, percentiles)
    return found


@pytest.mark.parametrize("percentiles", [None, (), (0, 33, 100)], ids=str)
@pytest.mark.parametrize("name", sorted(set(LEVELS)))
def test_each_level_has_the_same_names(name: str, percentiles: tuple[int, ...] | None) -> None:
    found = [
        jax.eval_shape(lambda m=module, v=level: named(m, v, percentiles))
        for module, level in (
            (ours, LoggingLevel[name]),
            (theirs, their_types.LoggingLevel[name]),
        )
    ]
    assert {k: (v.shape, v.dtype) for k, v in found[0].items()} == {
        k: (v.shape, v.dtype) for k, v in found[1].items()
    }


@pytest.mark.parametrize("percentiles", [None, (0, 33, 100)], ids=str)
def test_values_are_the_same(percentiles: tuple[int, ...] | None) -> None:
    level, their_level = (
        types.ALL | types.ROLLOUT_OBS for types in (LoggingLevel, their_types.LoggingLevel)
    )
    found, expected = jax.jit(
        lambda: (named(ours, level, percentiles), named(theirs, their_level, percentiles))
    )()
    for name, value in found.items():
        np.testing.assert_allclose(value, expected[name], rtol=1e-5, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("percentiles", [None, (50,)], ids=str)
def test_weights_are_logged_the_same(percentiles: tuple[int, ...] | None) -> None:
    network = nnx.Linear(2, 3, rngs=nnx.Rngs(0))
    logged: list[dict[str, Any]] = [{}, {}]
    ours.log_weight_stats(logged[0], network, percentiles)  # type: ignore[arg-type]
    theirs.log_weight_stats(logged[1], network, percentiles)
    assert logged[0] == logged[1]


def test_a_network_without_weights_gives_a_warning() -> None:
    logged: dict[str, Any] = {}
    with pytest.warns(UserWarning, match="no nnx.Param"):
        ours.log_weight_stats(logged, nnx.Dropout(0.5))  # type: ignore[arg-type]
    assert not logged
