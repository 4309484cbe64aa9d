"""JAX's and Flax's transforms inside of a module hide nothing."""

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
Draw = Callable[[Any, Any, Any], Any]
"""From a module, a key maker and an input to an output."""


def by_scan(module: Any, key: Any, x: Any) -> Any:
    def body(carry: Any, _: None) -> Any:
        key, x = carry
        key, use = jax.random.split(key)
        return (key, x + jax.random.normal(use, x.shape)), None

    return jax.lax.scan(body, (key, x), None, length=2)[0][1]


def by_while(module: Any, key: Any, x: Any) -> Any:
    def body(carry: Any) -> Any:
        number, key, x = carry
        key, use = jax.random.split(key)
        return number + 1, key, x + jax.random.normal(use, x.shape)

    return jax.lax.while_loop(lambda carry: carry[0] < 2, body, (0, key, x))[2]


def by_cond(module: Any, key: Any, x: Any) -> Any:
    def noisy(key: Any, x: Any) -> Any:
        return x + jax.random.normal(key, x.shape)

    return jax.lax.cond(x.sum() > -1e6, noisy, lambda key, x: x, key, x)


def by_jit(module: Any, key: Any, x: Any) -> Any:
    return jax.jit(lambda key, x: x + jax.random.normal(key, x.shape))(key, x)


def by_remat(module: Any, key: Any, x: Any) -> Any:
    return jax.checkpoint(lambda key, x: x + jax.random.normal(key, x.shape))(key, x)


def by_custom_gradient(module: Any, key: Any, x: Any) -> Any:
    @jax.custom_vjp
    def noisy(x: Any, key: Any) -> Any:
        return x + jax.random.normal(key, x.shape)

    noisy.defvjp(lambda x, key: (noisy(x, key), None), lambda _, g: (g, None))
    return noisy(x, key)


DRAWS: dict[str, Draw] = {
    "scan": by_scan,
    "while": by_while,
    "cond": by_cond,
    "jit": by_jit,
    "remat": by_remat,
    "custom_vjp": by_custom_gradient,
}


@pytest.mark.parametrize("name", DRAWS)
def test_a_class_level_stream_is_seen_through(name: str, layer: Any) -> None:
    report = check(layer(lambda m, s, x: (s, DRAWS[name](m, m.rngs(), x))), INPUT)
    assert set(report.failed) == {"replay", "purity"}, str(report)
    assert report["freshness"].passed
    assert report["independence"].passed


@pytest.mark.parametrize("name", DRAWS)
def test_carried_keys_are_seen_through(name: str, layer: Any) -> None:
    def step(module: Any, keys: Any, x: Any) -> Any:
        keys, use = jax.vmap(lambda key: tuple(jax.random.split(key)))(keys)
        return keys, jax.vmap(lambda key, row: DRAWS[name](module, key, row))(use, x)

    report = check(layer(step), INPUT)
    assert report.failed == (), str(report)
    assert report["freshness"].passed


def nnx_jit(module: Any, x: Any) -> Any:
    return nnx.jit(lambda module, x: x + module.rngs.normal(x.shape))(module, x)


def nnx_remat(module: Any, x: Any) -> Any:
    return nnx.remat(lambda module, x: x + module.rngs.normal(x.shape))(module, x)


_AXES: Any = nnx.StateAxes({nnx.RngState: 0, ...: None})  # type: ignore[arg-type]


def nnx_vmap(module: Any, x: Any) -> Any:
    @nnx.split_rngs(splits=x.shape[0])
    @nnx.vmap(in_axes=(_AXES, 0))
    def noisy(module: Any, row: Any) -> Any:
        return row + module.rngs.normal(row.shape)

    return noisy(module, x)


@pytest.mark.parametrize("transform", [nnx_jit, nnx_remat, nnx_vmap])
def test_flaxs_transforms_are_seen_through(transform: Any, layer: Any) -> None:
    report = check(layer(lambda m, s, x: (s, transform(m, x))), INPUT)
    assert set(report.failed) == {"replay", "purity"}, str(report)


def test_a_sampler_under_remat_keeps_its_exemption(library: Any, sampler: Any) -> None:
    class Wrapped(library.StatefulModule):  # type: ignore[misc]
        def __init__(self) -> None:
            self.inner = sampler()

        def __call__(self, state: Any, x: Any, rollout_extras: Any = None) -> Any:
            run: Any = nnx.remat(lambda inner, x, extras: inner((), x, extras))
            return run(self.inner, x, rollout_extras)

    report = check(Wrapped(), jnp.zeros(4))
    assert report.failed == (), str(report)
    assert report["lock"].passed


def test_a_bank_of_samplers_under_vmap_keeps_its_exemption(library: Any, sampler: Any) -> None:
    class Bank(library.StatefulModule):  # type: ignore[misc]
        def __init__(self) -> None:
            keys = jax.random.split(jax.random.key(0), 2)
            self.bank = nnx.vmap(lambda key: sampler(nnx.Rngs(key)))(keys)

        def __call__(self, state: Any, x: Any, rollout_extras: Any = None) -> Any:
            run: Any = nnx.vmap(lambda one, extras: one((), x, extras), in_axes=(0, 1))
            if rollout_extras is None:
                run = nnx.vmap(lambda one, extras: one((), x), in_axes=(0, None))
            out = run(self.bank, rollout_extras)
            output = jax.tree.map(lambda leaf: jnp.moveaxis(leaf, 0, 1), out.output)
            extras = jnp.moveaxis(out.rollout_extras, 0, 1)
            loss = out.regularization_loss.sum(0)
            return library.StatefulModuleOutput(state, output, loss, {}, extras)

    report = check(Bank(), jnp.zeros(4))
    assert report.failed == (), str(report)
    assert report["lock"].passed


@pytest.mark.parametrize("transform", [jax.jit, nnx.jit])
def test_what_the_host_drew_is_seen_in_a_function_that_jax_has_traced_before(
    transform: Any, layer: Any
) -> None:
    noisy = transform(lambda x: x + 1e-9 * np.random.normal(size=3))
    noisy(jnp.zeros((7, 3)))
    report = check(layer(lambda m, s, x: (s, noisy(x))), INPUT)
    assert {"replay", "freshness"} <= set(report.failed), str(report)
