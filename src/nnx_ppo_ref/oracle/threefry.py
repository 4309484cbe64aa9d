"""JAX's default generator in NumPy: the same numbers, without compiling anything.

The function is Threefry-2x32 with twenty rounds (Salmon et al. 2011, "Parallel random numbers: as
easy as 1, 2, 3", section 4); how JAX counts under it is that of `jax_threefry_partitionable`, the
default: element `i` of a draw encrypts the 64-bit number `i`. A test compares every function with
JAX. Keys are held as one opaque element each, so that NumPy moves them like any other array.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Words = Any
"""Unsigned words, or keys as void elements."""

_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
_PARITY = np.uint32(0x1BD11BDA)


def as_keys(words: Words) -> Words:
    """Key data `[..., W]` of uint32 as keys `[...]`, each one element of 4 W bytes."""
    words = np.ascontiguousarray(words, dtype=np.uint32)
    return words.view(np.dtype((np.void, 4 * words.shape[-1])))[..., 0]


def holds_keys(array: Any) -> bool:
    """Whether a NumPy array holds keys as this module does; void types of JAX are narrower."""
    return bool(array.dtype.kind == "V" and array.dtype.itemsize >= 8)


def as_words(keys: Words) -> Words:
    """Keys `[...]` as their data `[..., W]` of uint32."""
    return np.ascontiguousarray(keys[..., None]).view(np.uint32)


def encrypt(key: tuple[Words, Words], counts: tuple[Words, Words]) -> tuple[Words, Words]:
    """Encrypts pairs of uint32 counters under pairs of uint32 key words, all broadcast."""
    first, second = np.uint32(key[0]), np.uint32(key[1])
    schedule = (first, second, first ^ second ^ _PARITY)
    with np.errstate(over="ignore"):
        x, y = counts[0] + schedule[0], counts[1] + schedule[1]
        for block in range(5):
            for rotation in _ROTATIONS[block % 2]:
                x = x + y
                y = x ^ ((y << np.uint32(rotation)) | (y >> np.uint32(32 - rotation)))
            x = x + schedule[(block + 1) % 3]
            y = y + schedule[(block + 2) % 3] + np.uint32(block + 1)
    return x, y


def bits(keys: Words, shape: tuple[int, ...], width: int) -> Words:
    """Random words, `keys.shape + shape`, of 8, 16, 32 or 64 bits."""
    high, low = _stream(keys, shape)
    if width == 64:
        return (high.astype(np.uint64) << np.uint64(32)) | low.astype(np.uint64)
    return (high ^ low).astype(f"uint{width}")


def split(keys: Words, shape: tuple[int, ...]) -> Words:
    """New keys, `keys.shape + shape`."""
    return as_keys(np.stack(_stream(keys, shape), axis=-1))


def fold_in(keys: Words, data: Words) -> Words:
    """Keys with 32-bit data folded in; the two are broadcast against each other."""
    words = as_words(keys)
    low = np.asarray(data).astype(np.uint32)
    pair = encrypt((words[..., 0], words[..., 1]), (np.zeros_like(low), low))
    return as_keys(np.stack(np.broadcast_arrays(*pair), axis=-1))


def gamma(keys: Words, shape: np.ndarray, log_space: bool) -> np.ndarray:
    """Gamma variates for shape parameters, each from the key before it; not JAX's numbers.

    JAX's sampler takes half a minute to compile. What is asked here is that equal keys and equal
    parameters give equal variates of the right distribution, whatever is next to them.
    """
    words = as_words(keys)
    per_key = shape.reshape(*keys.shape, -1)
    drawn = np.empty(per_key.shape)
    for index in np.ndindex(keys.shape):
        generator = np.random.default_rng(words[index])
        drawn[index] = generator.standard_gamma(np.maximum(per_key[index], 0))
    result = drawn.reshape(shape.shape)
    return (np.log(result) if log_space else result).astype(shape.dtype)


def numbered(keys: Words, shape: tuple[int, ...]) -> Words:
    """For each number drawn from keys `[...]`, `shape`, its key's words and its place, uint32."""
    words = as_words(keys)
    extra = shape[keys.ndim :]
    place = np.arange(math.prod(extra), dtype=np.uint32).reshape(extra)
    spread = words.reshape(keys.shape + (1,) * len(extra) + words.shape[-1:])
    columns = [np.broadcast_to(spread[..., i], shape) for i in range(words.shape[-1])]
    return np.stack([*columns, np.broadcast_to(place, shape)], axis=-1)


def _stream(keys: Words, shape: tuple[int, ...]) -> tuple[Words, Words]:
    words = as_words(keys)
    ones = (1,) * len(shape)
    first, second = (words[..., i].reshape(keys.shape + ones) for i in (0, 1))
    count = np.arange(math.prod(shape), dtype=np.uint64).reshape(shape)
    counts = ((count >> np.uint64(32)).astype(np.uint32), count.astype(np.uint32))
    return encrypt((first, second), counts)
