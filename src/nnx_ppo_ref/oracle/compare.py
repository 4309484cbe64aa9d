"""How much two passes' results differ, and where most."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jax
import numpy as np

from nnx_ppo_ref.oracle import jaxprs
from nnx_ppo_ref.oracle.interpret import Value
from nnx_ppo_ref.oracle.report import Figures
from nnx_ppo_ref.oracle.threefry import as_words, holds_keys


def numbers(value: Value) -> np.ndarray:
    """A value as double-precision numbers; typed keys as their words."""
    array = np.asarray(jaxprs.to_numpy(value.array))
    if holds_keys(array):
        array = as_words(array)
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def difference(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Absolute differences; equal infinities and two NaNs do not differ, a NaN and a number do."""
    with np.errstate(all="ignore"):
        apart = np.abs(one - other)
    same = (one == other) | (np.isnan(one) & np.isnan(other))
    return np.where(same, 0.0, np.where(np.isnan(apart), np.inf, apart))


def allowed(value: Value, epsilon: float, roundings: int, factor: float) -> np.ndarray:
    """The difference that arithmetic alone may make, for each element.

    An evaluated trace rounds every row alike, whatever is next to it: a few units in the last
    place of the element are enough. Where JAX itself took sums, their number counts, with the
    epsilon of the coarsest type and the largest magnitude. Integers and booleans may not differ.

    Args:
        value: The result.
        epsilon: Of the coarsest type in the trace.
        roundings: How many sums JAX rounded so far.
        factor: Multiplies the difference.
    """
    magnitude = np.abs(numbers(value))
    if not jax.numpy.issubdtype(value.array.dtype, jax.numpy.inexact):
        return np.zeros(magnitude.shape)
    magnitude = np.where(np.isfinite(magnitude), magnitude, 0)
    own = jaxprs.epsilon(value.array.dtype)
    if roundings:
        own = max(epsilon, own)
        magnitude = np.full(magnitude.shape, np.max(magnitude, initial=0))
    return np.asarray(factor * own * (16 + 4 * roundings) * np.maximum(1, magnitude))


def largest(
    one: Value, other: Value, minibatch: np.ndarray, envs: int, limit: np.ndarray
) -> tuple[float, int | None, bool]:
    """The largest difference of a full-batch result and a minibatch's.

    Results without a batch are compared as a whole. What cannot be compared, such as a mean over
    the batch with another shape, differs infinitely.

    Returns:
        The difference, its environment, and whether any difference is over the limit; if so, the
        largest of those that are.
    """
    a, b = numbers(one), numbers(other)
    batched = a.ndim > 0 and a.shape[0] == envs and b.shape[:1] == minibatch.shape
    if batched:
        a, limit = a[minibatch], limit[minibatch]
    if a.shape != b.shape:
        return float("inf"), None, True
    apart = difference(a, b)
    over = apart > limit
    if not apart.size:
        return 0.0, None, False
    if over.any():
        apart = np.where(over, apart, 0.0)
    if not batched:
        return float(apart.max()), None, bool(over.any())
    by_env = apart.reshape(len(minibatch), -1).max(axis=1, initial=0.0)
    return float(by_env.max()), int(minibatch[int(by_env.argmax())]), bool(over.any())


def worst(items: Iterator[tuple[Figures, Any]]) -> tuple[Figures | None, Any]:
    """The figures with the largest difference, and what came with them."""
    found: tuple[Figures | None, Any] = (None, None)
    for figures, extra in items:
        if found[0] is None or (figures.difference or 0) > (found[0].difference or 0):
            found = (figures, extra)
    return found
