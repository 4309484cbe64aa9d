"""Every measured way to break PPO's replay: exactly these observables break, on both libraries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from nnx_ppo_ref.oracle import check

INPUT = jnp.zeros(3)


def split(keys: Any) -> Any:
    return jax.vmap(lambda key: tuple(jax.random.split(key)))(keys)


def normal(keys: Any, x: Any) -> Any:
    return jax.vmap(lambda key, row: jax.random.normal(key, row.shape))(keys, x)


def carried(module: Any, keys: Any, x: Any) -> Any:
    keys, use = split(keys)
    return keys, x + normal(use, x)


def unchanged(output: Callable[[Any, Any], Any]) -> Callable[[Any, Any, Any], Any]:
    """A step that leaves the carry alone."""
    return lambda module, state, x: (state, output(module, x))


def advanced_variable(module: Any, state: Any, x: Any) -> Any:
    following, use = jax.random.split(module.key[...])
    module.key[...] = following
    return state, x + jax.random.normal(use, x.shape)


def advanced_attribute(module: Any, state: Any, x: Any) -> Any:
    module.plain, use = jax.random.split(module.plain)
    return state, x + jax.random.normal(use, x.shape)


def advanced_raw_key(module: Any, state: Any, x: Any) -> Any:
    following, use = jax.random.split(module.raw[...])
    module.raw[...] = following
    return state, x + jax.random.normal(use, x.shape)


def counting(module: Any, state: Any, x: Any) -> Any:
    module.count[...] += 1.0
    return state, x + 1e-9 * module.count[...]


def logged(module: Any, state: Any, x: Any) -> Any:
    module.count[...] += 1.0
    return state, module.linear(x)


def folded_and_split(module: Any, keys: Any, x: Any) -> Any:
    use = jax.vmap(lambda key: jax.random.fold_in(key, 0))(keys)
    return split(keys)[0], x + normal(use, x)


def turned_twice(module: Any, keys: Any, x: Any) -> Any:
    keys, use = split(keys)
    return keys, x + normal(jnp.broadcast_to(jnp.roll(use, 1)[-1], use.shape), x)


def split_of_streams_in_turn(module: Any, state: Any, x: Any) -> Any:
    rows = [jax.random.normal(key, (3,)) for key in jax.random.split(module.rngs(), len(x))]
    return state, x + jnp.stack(rows)


def split_of_one_in_turn(module: Any, keys: Any, x: Any) -> Any:
    keys, use = split(keys)
    rows = [jax.random.normal(key, (3,)) for key in jax.random.split(use[0], len(x))]
    return keys, x + jnp.stack(rows)


def of_the_input(module: Any, state: Any, x: Any) -> Any:
    keys = jax.vmap(lambda row: jax.random.key(jnp.sum(1e6 * row).astype(jnp.int32)))(x)
    return state, x + jnp.stack([jax.random.normal(key, (3,)) for key in keys])


def reseeded(module: Any, state: Any, x: Any) -> Any:
    nnx.reseed(module, default=0)
    return state, x + module.rngs.normal(x.shape)


def first_key(module: Any, keys: Any, x: Any) -> Any:
    keys, use = split(keys)
    return keys, x + jax.random.normal(use[0], x.shape)


def first_row(module: Any, keys: Any, x: Any) -> Any:
    keys, use = split(keys)
    return keys, x + normal(use, x)[0]


def another_envs_key(module: Any, keys: Any, x: Any) -> Any:
    keys, use = split(keys)
    return keys, x + normal(jnp.roll(use, 1), x)


SILENT = {
    "one key for each environment": carried,
    "through a layer": lambda m, s, x: carried(m, s, m.linear(x)),
    "dropout with a carried key": lambda m, s, x: (
        (keys := split(s))[0],
        jax.vmap(lambda key, row: m.dropout(row, rngs=key))(keys[1], x),
    ),
    "a local stream of a carried key": lambda m, s, x: (
        (keys := split(s))[0],
        x + jax.vmap(lambda key, row: nnx.Rngs(key).normal(row.shape))(keys[1], x),
    ),
    "a log": logged,
    "keys of the input, one after the other": of_the_input,
    "no noise": unchanged(lambda m, x: m.linear(x)),
    "no noise, a constant": unchanged(lambda m, x: x + np.arange(3)),
}

LOUD: dict[str, tuple[Callable[[Any, Any, Any], Any], str, float]] = {
    "a class-level stream": (
        unchanged(lambda m, x: x + m.rngs.normal(x.shape)),
        "replay purity",
        1,
    ),
    "a class-level stream, hardly heard": (
        unchanged(lambda m, x: x + 1e-9 * m.rngs.normal(x.shape)),
        "replay purity",
        0,
    ),
    "a named stream": (
        unchanged(lambda m, x: x + jax.random.normal(m.rngs.noise(), x.shape)),
        "replay purity",
        1,
    ),
    "a gamma variate of a class-level stream": (
        unchanged(lambda m, x: x + jax.random.gamma(m.rngs(), 2.0, x.shape)),
        "replay purity",
        0.5,
    ),
    "half precision": (
        unchanged(lambda m, x: x + m.rngs.normal(x.shape, dtype=jnp.bfloat16)),
        "replay purity",
        1,
    ),
    "a fork": (unchanged(lambda m, x: x + m.rngs.fork().normal(x.shape)), "replay purity", 1),
    "a clone": (
        unchanged(lambda m, x: x + nnx.clone(m.rngs).normal(x.shape)),
        "replay freshness",
        1,
    ),
    "reseeded": (reseeded, "replay freshness purity", 1),
    "a split of the batch at each step": (
        unchanged(lambda m, x: x + normal(jax.random.split(m.rngs(), len(x)), x)),
        "replay purity",
        1,
    ),
    "dropout": (unchanged(lambda m, x: m.dropout(x + 1)), "replay purity", 1),
    "a key in a Variable, advanced": (advanced_variable, "replay purity", 1),
    "a key in a Variable, never advanced": (
        unchanged(lambda m, x: x + jax.random.normal(m.key[...], x.shape)),
        "replay freshness hygiene",
        1,
    ),
    "a raw key in a Variable, advanced": (advanced_raw_key, "replay purity", 1),
    "a key in a plain attribute, advanced": (advanced_attribute, "replay purity", 1),
    "a constant stream": (
        unchanged(lambda m, x: x + nnx.Rngs(0).normal(x.shape)),
        "replay freshness",
        1,
    ),
    "a constant key": (
        unchanged(lambda m, x: x + jax.random.normal(jax.random.key(0), x.shape)),
        "replay freshness",
        1,
    ),
    "NumPy's generator": (
        unchanged(lambda m, x: x + np.random.normal(size=x.shape)),
        "replay freshness",
        1,
    ),
    "NumPy's generator, hardly heard": (
        unchanged(lambda m, x: x + 1e-9 * np.random.normal(size=x.shape)),
        "replay freshness",
        0,
    ),
    "NumPy's generator as a seed": (
        unchanged(
            lambda m, x: x + jax.random.normal(jax.random.key(np.random.randint(2**30)), x.shape)
        ),
        "replay freshness",
        1,
    ),
    "a NumPy generator of the module": (
        unchanged(lambda m, x: x + m.np_rng.normal(size=x.shape)),
        "replay freshness purity",
        1,
    ),
    "the first environment's key for all": (first_key, "replay", 1),
    "the first environment's noise for all": (first_row, "replay independence", 1),
    "another environment's key": (another_envs_key, "replay", 1),
    "keys of a stream, one after the other": (split_of_streams_in_turn, "replay purity", 1),
    "keys of the first environment's key, one after the other": (split_of_one_in_turn, "replay", 1),
    "another environment's key for all": (turned_twice, "replay independence", 1),
    "a key that is folded into and split": (folded_and_split, "hygiene", 0),
    "noise in the weights": (
        unchanged(lambda m, x: x @ (jnp.eye(3) + m.rngs.normal((3, 3)))),
        "replay independence purity",
        0.5,
    ),
    "constant noise in the weights": (
        unchanged(lambda m, x: x @ jax.random.normal(jax.random.key(1), (3, 3))),
        "freshness independence",
        0,
    ),
    "batch statistics": (unchanged(lambda m, x: m.norm(x)), "replay purity", 0.5),
    "a mean over the batch": (unchanged(lambda m, x: x - x.mean(axis=0)), "replay", 0.1),
    "a counter, hardly heard": (counting, "replay purity", 0),
}


@pytest.mark.parametrize("name", SILENT)
def test_nothing_is_broken(name: str, layer: Any) -> None:
    report = check(layer(SILENT[name]), INPUT)
    assert report.failed == ()
    assert report["replay"].passed


@pytest.mark.parametrize("name", LOUD)
def test_exactly_these_observables_break(name: str, layer: Any) -> None:
    step, broken, least = LOUD[name]
    report = check(layer(step), INPUT)
    assert set(report.failed) == set(broken.split()), str(report)
    if "replay" in report.failed:
        difference = report["replay"].figures.difference
        assert difference is not None
        assert difference >= least


def test_a_carried_key_replays_without_any_difference(layer: Any) -> None:
    assert "largest difference 0" in check(layer(carried), INPUT)["replay"].evidence


@pytest.mark.slow  # JAX draws what is not threefry, and compiles it
@pytest.mark.parametrize("implementation", ["rbg", "unsafe_rbg"])
def test_keys_whose_draws_depend_on_the_position_break_the_replay(
    implementation: str, layer: Any
) -> None:
    module = layer(
        carried,
        initialize_state=lambda self, batch: jax.random.split(
            jax.random.key(0, impl=implementation), batch
        ),
    )
    report = check(module, INPUT)
    assert report.failed == ("replay",)
    assert "rbg" in report["replay"].cause


@pytest.mark.slow  # runs without being compiled
def test_a_captured_stream_breaks_the_trace_and_is_left_as_it_was(layer: Any) -> None:
    module = layer(unchanged(lambda m, x: x + jax.random.normal(m.draw(), x.shape)))
    before = int(module.rngs.default.count[...])
    report = check(module, INPUT)
    assert {"trace", "replay"} <= set(report.failed)
    assert "TraceContextError" in report["trace"].evidence
    assert int(module.rngs.default.count[...]) == before


def test_python_that_needs_a_number_breaks_the_trace_only(layer: Any) -> None:
    def step(module: Any, state: Any, x: Any) -> Any:
        return state, x if bool(x[0, 0] < 100) else -x

    report = check(layer(step), INPUT)
    assert report.failed == ("trace",)
    assert report["replay"].passed


def test_an_attribute_that_changes_is_seen(layer: Any) -> None:
    def step(module: Any, state: Any, x: Any) -> Any:
        module.calls += 1
        return state, x

    report = check(layer(step), INPUT)
    assert report.failed == ("purity",)
    assert "`calls` changed" in report["purity"].evidence


def test_a_traced_value_that_an_attribute_keeps_is_seen(layer: Any) -> None:
    def step(module: Any, state: Any, x: Any) -> Any:
        module.held["x"] = x
        return state, x

    assert set(check(layer(step), INPUT).failed) == {"purity", "trace"}


def test_the_module_is_left_as_it_was(layer: Any) -> None:
    module = layer(unchanged(lambda m, x: x + m.rngs.normal(x.shape)))
    before = jax.tree.leaves(nnx.state(module))
    check(module, INPUT)
    assert all(a is b for a, b in zip(before, jax.tree.leaves(nnx.state(module)), strict=True))
    assert "__call__" in vars(type(module))
    assert type(module).__call__.__name__ == "call"
