"""One key for each environment: seeded once, split at each step, never used twice.

Only threefry keys are accepted. Under `vmap`, JAX's `rbg` and `unsafe_rbg` generators draw numbers
that depend on the position in the batch (https://docs.jax.dev/en/latest/jax.random.html, "Advanced
RNG configuration"), so a permuted minibatch would not see the rollout's noise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

REPLAYABLE = "threefry2x32"
"""The implementation whose draws under `vmap` depend on the key alone."""


def seed_keys(stream: Callable[[], jax.Array], batch_size: int) -> jax.Array:
    """Draws one key from a stream and makes one key for each environment of it, `[B]`.

    Args:
        stream: An `nnx.Rngs`, an `nnx.RngStream`, or anything that returns a key when called.
        batch_size: Number of environments, B.

    Raises:
        ValueError: If the keys are of an implementation that does not replay.
    """
    return jax.random.split(require_replayable(stream()), batch_size)


def split_keys(keys: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Splits each environment's key `[B]` into the next carry `[B]` and a key to use `[B]`."""
    following, use = jax.vmap(lambda key: tuple(jax.random.split(key)))(keys)
    return following, use


def require_replayable(key: jax.Array, what: str = "a carried key") -> jax.Array:
    """Returns the key or keys if their draws replay on a permuted minibatch.

    Raises:
        ValueError: If the implementation is not threefry.
    """
    implementation = str(jax.random.key_impl(key))
    if implementation != REPLAYABLE:
        raise ValueError(
            f"{what} is of implementation {implementation!r}: under vmap its draws depend on the "
            f"position in the batch, so the replay of a permuted minibatch sees other noise than "
            f"the rollout did; make keys with jax.random.key(seed, impl={REPLAYABLE!r})"
        )
    return key


def is_key_type(dtype: Any) -> bool:
    """Whether a dtype is that of typed keys."""
    return jnp.issubdtype(dtype, jax.dtypes.prng_key)


def is_key(leaf: Any) -> bool:
    """Whether a leaf is an array of typed keys."""
    return isinstance(leaf, jax.Array) and is_key_type(leaf.dtype)


def numbers_of(leaf: Any) -> Any:
    """A key's numbers, which can be stored and sent, `[..., 2]` of `[...]`; other leaves as is."""
    return jax.random.key_data(leaf) if is_key(leaf) else leaf


def from_numbers(numbers: jax.Array, like: Any) -> Any:
    """The reverse of `numbers_of`, given a leaf of the same type."""
    if not is_key(like):
        return numbers
    return jax.random.wrap_key_data(numbers, impl=jax.random.key_impl(like))
