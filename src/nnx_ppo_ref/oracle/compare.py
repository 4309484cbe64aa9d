"""How much two passes' results differ, and where most."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jax
import numpy as np

from nnx_ppo_ref.oracle import jaxprs
from nnx_ppo_ref.oracle.interpret import Value
from nnx_ppo_ref.oracle.report import Figures


def numbers(value: Value) -> np.ndarray:
    """A value as double-precision numbers; typed keys as their words."""
    array = np.asarray(jaxprs.to_numpy(value.array))
    if array.dtype.kind == "V" and array.dtype.itemsize >= 8:
        array = np.ascontiguousarray(array[..., None]).view(np.uint32)
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def difference(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Absolute differences; equal infinities and two NaNs do not differ, a NaN and a number do."""
    with np.errstate(all="ignore"):
        apart = np.abs(one - other)
    same = (one == other) | (np.isnan(one) & np.isnan(other))
    return np.where(same, 0.0, np.where(np.isnan(apart), np.inf, apart))


def allowed(value: Value, epsilon: float, roundings: int, factor: float) -> float:
    """The difference that arithmetic alone may make.

    It grows with the coarsest type's epsilon, with the number of rounded sums so far, and with
    the largest magnitude; integers and booleans may not differ.
    """
    if not jax.numpy.issubdtype(value.array.dtype, jax.numpy.inexact):
        return 0.0
    own = max(epsilon, jaxprs.epsilon(value.array.dtype))
    magnitude = numbers(value)
    finite = magnitude[np.isfinite(magnitude)]
    return factor * own * (16 + 4 * roundings) * max(1.0, float(np.max(np.abs(finite), initial=0)))


def largest(one: Value, other: Value, minibatch: np.ndarray, envs: int) -> tuple[float, int | None]:
    """The largest difference of a full-batch result and a minibatch's, and its environment.

    Results without a batch are compared as a whole. What cannot be compared, such as a mean over
    the batch with another shape, differs infinitely.
    """
    a, b = numbers(one), numbers(other)
    batched = a.ndim > 0 and a.shape[0] == envs and b.shape[:1] == minibatch.shape
    if batched:
        a = a[minibatch]
    if a.shape != b.shape:
        return float("inf"), None
    apart = difference(a, b)
    if not apart.size:
        return 0.0, None
    if not batched:
        return float(apart.max()), None
    by_env = apart.reshape(len(minibatch), -1).max(axis=1, initial=0.0)
    return float(by_env.max()), int(minibatch[int(by_env.argmax())])


def worst(items: Iterator[tuple[Figures, Any]]) -> tuple[Figures | None, Any]:
    """The figures with the largest difference, and what came with them."""
    found: tuple[Figures | None, Any] = (None, None)
    for figures, extra in items:
        if found[0] is None or (figures.difference or 0) > (found[0].difference or 0):
            found = (figures, extra)
    return found
