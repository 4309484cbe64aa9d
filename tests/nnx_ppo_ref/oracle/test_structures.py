"""Inputs, outputs and carries of every shape, and the options of a check."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from nnx_ppo_ref.oracle import check

INPUT = jnp.zeros(3)


def identity(module: Any, state: Any, x: Any) -> Any:
    return state, x


def noisy(module: Any, state: Any, x: Any) -> Any:
    return state, x + module.rngs.normal(x.shape)


def test_dicts_go_in_and_come_out_and_the_leaf_is_named(layer: Any) -> None:
    def step(module: Any, state: Any, obs: Any) -> Any:
        image = obs["image"].astype(float).sum(axis=(1, 2))
        return state, {"a": obs["x"] * image[:, None], "b": [obs["n"] + obs["flag"]]}

    sample = {
        "x": INPUT,
        "image": jax.ShapeDtypeStruct((2, 2), jnp.uint8),
        "n": jax.ShapeDtypeStruct((), jnp.int32),
        "flag": jax.ShapeDtypeStruct((), bool),
    }
    assert check(layer(step), sample).failed == ()

    def broken(module: Any, state: Any, obs: Any) -> Any:
        state, out = step(module, state, obs)
        return state, {**out, "a": out["a"] + module.rngs.normal(out["a"].shape)}

    report = check(layer(broken), sample)
    assert report["replay"].figures.leaf == "output['a']"


def test_integers_do_not_exceed_the_samples_largest(layer: Any) -> None:
    seen = []

    def make(key: Any) -> Any:
        return jax.random.randint(key, (), 0, 4)

    def step(module: Any, state: Any, n: Any) -> Any:
        seen.append(n.dtype)
        return state, jnp.eye(5)[n]

    assert check(layer(step), jnp.array(4)).failed == ()
    assert check(layer(step), inputs=make).failed == ()
    assert set(seen) == {jnp.dtype("int32")}


def test_whole_observations_may_be_given(layer: Any) -> None:
    obs = np.random.default_rng(0).normal(size=(5, 6, 3)).astype(np.float32)
    report = check(layer(noisy), inputs=obs)
    assert set(report.failed) == {"replay", "purity"}
    with pytest.raises(ValueError, match=r"\[T, B\]"):
        check(layer(noisy), inputs={"a": obs, "b": obs[:4]})


def test_a_function_may_make_the_module(layer: Any) -> None:
    assert check(lambda: layer(noisy), INPUT).subject == "Layer"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"batch_size": 1}, "batch_size"),
        ({"minibatch_size": 7}, "minibatch_size"),
        ({"steps": 0}, "steps"),
    ],
)
def test_a_size_that_does_not_fit_is_refused(
    options: dict[str, int], message: str, layer: Any
) -> None:
    with pytest.raises(ValueError, match=message):
        check(layer(identity), INPUT, **options)


def test_what_is_no_module_is_refused() -> None:
    with pytest.raises(TypeError, match="neither a module nor a function"):
        check(3, INPUT)
    with pytest.raises(TypeError, match="initialize_state"):
        check(nnx.Linear(2, 2, rngs=nnx.Rngs(0)), INPUT)


def test_observations_must_be_given_once(layer: Any) -> None:
    wrong: tuple[dict[str, Any], ...] = ({}, {"sample_input": INPUT, "inputs": INPUT})
    for options in wrong:
        with pytest.raises(TypeError, match="either sample_input"):
            check(layer(identity), **options)


def test_a_module_that_cannot_run_is_reported_and_nothing_else_is_judged(layer: Any) -> None:
    def step(module: Any, state: Any, x: Any) -> Any:
        raise RuntimeError("no such luck")

    report = check(layer(step), INPUT)
    assert report.failed == ("trace",)
    assert "no such luck" in report["replay"].evidence


def test_a_state_that_cannot_be_made_is_reported(layer: Any) -> None:
    def fail(self: Any, batch: int) -> Any:
        raise RuntimeError("no such luck")

    report = check(layer(identity, initialize_state=fail), INPUT)
    assert report.failed == ("trace",)
    assert "initialize_state raises RuntimeError: no such luck" in report["trace"].evidence


def test_one_step_is_enough_for_a_class_level_stream(layer: Any) -> None:
    assert "replay" in check(layer(noisy), INPUT, steps=1).failed


@pytest.mark.parametrize("name", ["LSTM", "Delay"])
def test_nnx_ppos_recurrent_layers_break_nothing(name: str) -> None:
    if name == "LSTM":
        recurrent = pytest.importorskip("nnx_ppo.networks.recurrent")
        module = recurrent.LSTM(3, 4, nnx.Rngs(0))
    else:
        module = pytest.importorskip("nnx_ppo.networks.delay").Delay(INPUT, 2)
    report = check(module, INPUT, steps=9)
    assert report.failed == ()
    assert report["replay"].passed


def test_a_recurrent_layer_of_many_steps_stays_within_rounding(layer: Any) -> None:
    def step(module: Any, state: Any, x: Any) -> Any:
        state = jnp.tanh(module.linear(state) + module.linear(x))
        return state, state

    module = layer(step, initialize_state=lambda self, batch: jnp.zeros((batch, 3)))
    assert check(module, INPUT, steps=40, batch_size=13).failed == ()


@pytest.mark.parametrize("value", [2, 0.5, {"scale": jnp.ones(3), "count": 1}])
def test_a_variable_may_hold_python_numbers(value: Any, layer: Any) -> None:
    def step(module: Any, state: Any, x: Any) -> Any:
        return state, x * jax.tree.leaves(module.number.get_value())[0]

    module = layer(step)
    module.number = nnx.Param(value)
    assert check(module, INPUT).failed == ()


def test_a_module_that_takes_no_extras_cannot_be_replayed(layer: Any, library: Any) -> None:
    def call(self: Any, state: Any, x: Any) -> Any:
        return library.StatefulModuleOutput(state, x, jnp.array(0.0), {})

    report = check(layer(lambda *_: None, __call__=call), INPUT)
    assert report.failed == ("trace",)
    assert "rollout_extras" in report["trace"].evidence


def test_a_metric_for_the_whole_batch_cannot_be_cut_into_minibatches(
    layer: Any, library: Any
) -> None:
    def call(self: Any, state: Any, x: Any, rollout_extras: Any = None) -> Any:
        return library.StatefulModuleOutput(state, x, jnp.array(0.0), {"mean": x.mean()})

    report = check(layer(lambda *_: None, __call__=call), INPUT)
    assert report.failed == ("trace",)
    assert "metric" in report["trace"].evidence


COARSE: dict[str, Any] = {
    "half precision": lambda m, x: (h := m.linear(x).astype(jnp.bfloat16)) - h.mean(axis=0),
    "half precision elsewhere": lambda m, x: (
        m.linear(x.astype(jnp.bfloat16)).astype(jnp.float32) + x - x.mean(axis=0)
    ),
    "large numbers elsewhere": lambda m, x: jnp.concatenate([1e6 * x, x - x.mean(axis=0)], axis=-1),
    "a small part": lambda m, x: x + 1e-5 * x.mean(axis=0),
}


@pytest.mark.parametrize("name", COARSE)
def test_rounding_hides_no_dependence_on_the_batch(name: str, layer: Any) -> None:
    report = check(layer(lambda m, s, x: (s, COARSE[name](m, x))), INPUT)
    assert report.failed == ("replay",), str(report)
