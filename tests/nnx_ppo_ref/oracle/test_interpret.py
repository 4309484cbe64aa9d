"""The evaluation of a trace: JAX's results, every draw, and what depends on what."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nnx_ppo_ref.oracle import jaxprs
from nnx_ppo_ref.oracle.draws import Ledger, Recorder
from nnx_ppo_ref.oracle.interpret import Frame, Value, evaluate

X = np.linspace(-2.0, 2.0, 6, dtype=np.float32).reshape(2, 3)


@pytest.fixture(autouse=True)
def keys_may_come_twice() -> Iterator[None]:
    """JAX and the evaluation draw from the same keys."""
    with jax.debug_key_reuse(False):
        yield


def run(function: Callable[..., Any], *arguments: Any) -> tuple[list[Value], Recorder]:
    """Evaluates a function; argument number `i` depends on bit `i`."""
    closed, _ = jaxprs.trace(function, *arguments)
    values = [Value(jaxprs.to_numpy(a), 1 << i) for i, a in enumerate(arguments)]
    recorder = Recorder(Ledger())
    with np.errstate(all="ignore"):
        return evaluate(closed, values, Frame(recorder)), recorder


ARITHMETIC: dict[str, Callable[[Any], Any]] = {
    "softmax of a product": lambda x: jax.nn.softmax(x @ x.T),
    "gelu": jax.nn.gelu,
    "layer norm": lambda x: (x - x.mean(-1, keepdims=True)) / x.std(-1, keepdims=True),
    "integer division": lambda x: (x * 3).astype(int) // 2 - (x * 3).astype(int) % -2,
    "shifts": lambda x: (x * 9).astype(jnp.int32) << jnp.array([1, 33, 2]),
    "cumulative sums": lambda x: jnp.cumsum(x, axis=1, dtype=x.dtype)[:, ::-1],
    "a gather": lambda x: x[jnp.array([1, 0]), jnp.array([2, 1])],
    "a scatter": lambda x: x.at[0, 1].set(5.0),
    "a sort": lambda x: jnp.sort(-x, axis=1),
    "half precision": lambda x: (x.astype(jnp.bfloat16) * 3 + 1).astype(jnp.float32),
    "a scan": lambda x: jax.lax.scan(lambda c, r: (c * 0.5 + r, c), x[0], x, reverse=True)[1],
    "a while": lambda x: jax.lax.while_loop(lambda c: c.sum() < 9, lambda c: c + 1, x),
    "a switch": lambda x: jax.lax.switch(1, [jnp.sin, jnp.cos, jnp.tan], x),
    "einsum": lambda x: jnp.einsum("ij,kj->ikj", x, x),
    "clip and pad": lambda x: jnp.pad(jnp.clip(x, -1, 1), ((0, 1), (1, 0))),
    "argmax": lambda x: jnp.argmax(x * x, axis=1),
    "powers": lambda x: x**3 + jnp.abs(x) ** 1.5 + jnp.sqrt(jnp.abs(x)),
}


@pytest.mark.parametrize("name", ARITHMETIC)
def test_arithmetic_is_jaxs(name: str) -> None:
    (ours,), recorder = run(ARITHMETIC[name], X)
    expected = ARITHMETIC[name](jnp.asarray(X))
    assert ours.array.dtype == expected.dtype
    np.testing.assert_allclose(ours.array, expected, rtol=2e-6, atol=1e-6)
    assert recorder.draws == []
    assert ours.depends == 1


NOISE: dict[str, Callable[[Any], Any]] = {
    "normal": lambda key: jax.random.normal(key, (4,)),
    "randint": lambda key: jax.random.randint(key, (4,), -3, 9),
    "truncated": lambda key: jax.random.truncated_normal(key, -1.0, 1.0, (4,)),
    "poisson": lambda key: jax.random.poisson(key, 4.0, (4,)),
    "permutation": lambda key: jax.random.permutation(key, 5),
    "vmap": lambda key: jax.vmap(jax.random.uniform)(jax.random.split(key, 3)),
}


@pytest.mark.parametrize("name", NOISE)
def test_noise_is_jaxs_and_is_recorded(name: str) -> None:
    key = jax.random.key(7)
    (ours,), recorder = run(NOISE[name], key)
    np.testing.assert_allclose(ours.array, NOISE[name](key), rtol=2e-6, atol=1e-6)
    assert recorder.draws
    assert all(draw.key & 1 for draw in recorder.draws)
    assert any(ours.depends & draw.bit for draw in recorder.draws)
    assert not ours.depends & 1  # only on the noise, not on where the key came from


@pytest.mark.parametrize("implementation", ["rbg", "unsafe_rbg"])
def test_other_generators_are_run_by_jax(implementation: str) -> None:
    key = jax.random.key(7, impl=implementation)
    (ours,), recorder = run(NOISE["vmap"], key)
    np.testing.assert_array_equal(ours.array, NOISE["vmap"](key))
    assert "rbg" in recorder.draws[0].generator


DEPENDENCIES: dict[str, tuple[Callable[[Any, Any], Any], int]] = {
    "a sum": (lambda x, y: x + y, 3),
    "a product with zero": (lambda x, y: x + 0.0 * y, 1),
    "a constant choice": (lambda x, y: jnp.where(jnp.array([True, True, True]), x, y), 1),
    "a choice by a value": (lambda x, y: jnp.where(x > 0, y, 1.0), 3),
    "a branch not taken": (
        lambda x, y: jax.lax.cond(x[0, 0] > 9, lambda x, y: x + y, lambda x, y: x, x, y),
        1,
    ),
    "a branch taken": (
        lambda x, y: jax.lax.cond(x[0, 0] < 9, lambda x, y: y, lambda x, y: x, x, y),
        3,
    ),
    "an argument that is not used": (lambda x, y: x, 1),
}


@pytest.mark.parametrize("name", DEPENDENCIES)
def test_a_result_depends_on_what_it_was_made_of(name: str) -> None:
    function, expected = DEPENDENCIES[name]
    (result,), _ = run(function, X, X)
    assert result.depends == expected


def test_two_traces_tell_what_the_host_drew() -> None:
    generator = np.random.default_rng(0)

    def function(x: Any) -> Any:
        return x + generator.normal(size=3) + generator.normal() + np.arange(3)

    one, other = (jaxprs.trace(function, X)[0] for _ in range(2))
    found = jaxprs.differing_constants(one, other)
    assert found is not None
    assert len(found) == 2
    assert jaxprs.differing_constants(one, one) == frozenset()
    assert jaxprs.differing_constants(one, jaxprs.trace(lambda x: x * 2, X)[0]) is None
