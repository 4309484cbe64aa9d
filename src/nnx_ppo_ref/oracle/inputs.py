"""Observations, episode ends and the minibatch of a check, made from a seed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from nnx_ppo_ref.keys import is_key_type

Observations = Any
"""A PyTree of arrays `[T, B, ...]`."""


def random_inputs(sample: Any, steps: int, envs: int, seed: int) -> Observations:
    """Random observations, `[T, B, ...]`, of the shapes and dtypes of one unbatched sample.

    Floats are standard normal. Integers lie between 0 and the largest value of the sample if it
    has values, at least 0 and 1; booleans are fair; typed keys are independent of each other.

    Args:
        sample: A PyTree of arrays, numbers or `jax.ShapeDtypeStruct`s.
        steps: T.
        envs: B.
        seed: Seeds NumPy's generator.

    Raises:
        TypeError: If a leaf has no shape and dtype, or a dtype that cannot be drawn.
    """
    generator = np.random.default_rng(seed)
    return jax.tree.map(lambda leaf: _random(leaf, (steps, envs), generator), sample)


def made_inputs(make: Callable[[jax.Array], Any], steps: int, envs: int, seed: int) -> Observations:
    """Observations `[T, B, ...]` from a function that makes one of a key."""
    keys = jax.random.split(jax.random.key(seed), (steps, envs))
    return jax.vmap(jax.vmap(make))(keys)


def _random(leaf: Any, batch: tuple[int, ...], generator: np.random.Generator) -> Any:
    if not isinstance(leaf, jax.ShapeDtypeStruct) and not hasattr(leaf, "dtype"):
        leaf = jax.numpy.asarray(leaf)
    shape = (*batch, *leaf.shape)
    if is_key_type(leaf.dtype):
        return jax.random.split(jax.random.key(int(generator.integers(2**31))), shape)
    dtype = np.dtype(leaf.dtype)
    if np.issubdtype(dtype, np.bool_):
        return generator.integers(0, 2, shape).astype(bool)
    if np.issubdtype(dtype, np.integer):
        known = not isinstance(leaf, jax.ShapeDtypeStruct) and leaf.size
        largest = max(1, int(np.max(leaf))) if known else 1
        return generator.integers(0, largest + 1, shape).astype(dtype)
    if jax.numpy.issubdtype(dtype, jax.numpy.floating):
        return generator.standard_normal(shape).astype(dtype)
    raise TypeError(f"cannot make random observations of dtype {dtype}: pass inputs=")


def repeated(observations: Observations, steps: int) -> Observations:
    """The first observation of the first environment everywhere, `[steps, B, ...]`.

    Typed keys stay different: noise from a key in the observation is the environment's, not the
    module's.
    """

    def same(leaf: Any) -> Any:
        if is_key_type(leaf.dtype):
            return jax.random.split(leaf.reshape(-1)[0], (steps, *leaf.shape[1:]))
        return np.broadcast_to(np.asarray(leaf)[:1, :1], (steps, *leaf.shape[1:]))

    return jax.tree.map(same, observations)


def episode_ends(steps: int, envs: int) -> np.ndarray:
    """Which episodes end at which step, bool `[T, B]`: from the first on, some of them twice."""
    step, env = np.arange(steps)[:, None], np.arange(envs)
    return np.asarray((step + 2 * env) % 5 == 0)


def permuted_minibatch(envs: int, size: int) -> np.ndarray:
    """Environments of a minibatch, int `[size]`: a part of the batch backwards.

    As far as there is a choice, none is in the place that it has in the batch, counted from either
    end, and turning the minibatch around does not do what turning the batch does: noise that
    depends on the position would agree there.
    """
    place = np.arange(size)
    parts = [(last - place) % envs for last in reversed(range(envs))]
    return min(parts, key=lambda part: _in_place(part, envs))


def _in_place(part: np.ndarray, envs: int) -> int:
    """How many environments of a minibatch are where they are in the batch."""
    places = np.arange(len(part))
    from_end = places + envs - len(part)
    turned = part[::-1] == envs - 1 - part
    return int(np.sum((part == places) | (part == from_end) | turned))
