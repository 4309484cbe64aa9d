"""The generator in NumPy gives JAX's numbers, bit for bit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nnx_ppo_ref.oracle import threefry
from nnx_ppo_ref.oracle.jaxprs import to_jax, to_numpy

DTYPES = {8: jnp.uint8, 16: jnp.uint16, 32: jnp.uint32}


@pytest.fixture(autouse=True)
def keys_may_come_twice() -> Iterator[None]:
    """The comparison uses each key on both sides."""
    with jax.debug_key_reuse(False):
        yield


@pytest.fixture(scope="module")
def keys() -> jax.Array:
    return jax.random.split(jax.random.key(12345), (2, 3))


@pytest.mark.parametrize("width", DTYPES)
@pytest.mark.parametrize("shape", [(), (5,), (2, 3)])
def test_bits(width: int, shape: tuple[int, ...], keys: jax.Array) -> None:
    draw: Any = jax.vmap(jax.vmap(lambda key: jax.random.bits(key, shape, DTYPES[width])))
    ours = threefry.bits(to_numpy(keys), shape, width)
    np.testing.assert_array_equal(ours, draw(keys))


@pytest.mark.parametrize("shape", [(2,), (3, 2)])
def test_split(shape: tuple[int, ...], keys: jax.Array) -> None:
    expected = jax.vmap(jax.vmap(lambda key: jax.random.split(key, shape)))(keys)
    ours = threefry.split(to_numpy(keys), shape)
    np.testing.assert_array_equal(threefry.as_words(ours), jax.random.key_data(expected))


@pytest.mark.parametrize("data", [0, 7, 2**32 - 1])
def test_fold_in(data: int) -> None:
    key = jax.random.key(3)
    ours = threefry.fold_in(to_numpy(key), np.asarray(data, dtype=np.uint32))
    expected = jax.random.key_data(jax.random.fold_in(key, data))
    np.testing.assert_array_equal(threefry.as_words(ours), expected)


def test_keys_go_to_numpy_and_back(keys: jax.Array) -> None:
    held = to_numpy(keys)
    assert held.shape == keys.shape
    back = to_jax(held, keys.dtype)
    np.testing.assert_array_equal(jax.random.key_data(back), jax.random.key_data(keys))
    assert back.dtype == keys.dtype


def test_gamma_variates_depend_on_key_and_parameter_alone(keys: jax.Array) -> None:
    held = to_numpy(keys)[0]
    shape = np.array([1.0, 2.0, 3.0], np.float32)
    whole = threefry.gamma(held, shape, log_space=False)
    turned = threefry.gamma(held[::-1], shape[::-1], log_space=False)
    np.testing.assert_array_equal(whole, turned[::-1])
    logarithms = threefry.gamma(held, shape, log_space=True)
    np.testing.assert_allclose(logarithms, np.log(whole), rtol=1e-5)


def test_gamma_variates_have_their_mean() -> None:
    held = threefry.split(to_numpy(jax.random.key(0)), (1,))
    drawn = threefry.gamma(held, np.full((1, 4000), 3.0), log_space=False)
    assert abs(float(np.mean(drawn)) - 3.0) < 0.15
