"""What JAX's primitives compute, in NumPy: one table, for evaluating a trace without compiling.

Sums are taken in double precision and rounded once, so a row's result does not depend on the size
of the batch around it. A primitive that is missing here is run by JAX itself.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import scipy.special  # type: ignore[import-untyped]

Array = Any
Rule = Callable[..., Any]
"""From operands and the primitive's parameters to the result, or a tuple of results."""


def _plain(function: Callable[..., Any]) -> Rule:
    """A rule for a function whose primitive's parameters do not change the value."""

    def rule(*operands: Array, **params: Any) -> Any:
        del params
        return function(*operands)

    return rule


def _divide(x: Array, y: Array) -> Array:
    if np.issubdtype(x.dtype, np.integer):
        safe = np.where(y == 0, 1, y)
        return (x - np.fmod(x, safe)) // safe
    return np.divide(x, y)


def _logistic(x: Array) -> Array:
    return np.divide(1, 1 + np.exp(-x))


def _select(which: Array, *cases: Array, **params: Any) -> Array:
    del params
    if len(cases) == 2:
        return np.where(which.astype(bool), cases[1], cases[0])
    return functools.reduce(
        lambda chosen, item: np.where(which == item[0], item[1], chosen),
        enumerate(cases[1:], 1),
        np.broadcast_to(cases[0], np.broadcast_shapes(which.shape, cases[0].shape)),
    )


def _convert(x: Array, *, new_dtype: Any, **params: Any) -> Array:
    del params
    return x.astype(new_dtype)


def _broadcast(x: Array, *, shape: Any, broadcast_dimensions: Any, **params: Any) -> Array:
    del params
    expanded = [1] * len(shape)
    for dimension, size in zip(broadcast_dimensions, x.shape, strict=True):
        expanded[dimension] = size
    return np.broadcast_to(x.reshape(expanded), shape)


def _reshape(x: Array, *, new_sizes: Any, dimensions: Any = None, **params: Any) -> Array:
    del params
    return (x if dimensions is None else x.transpose(dimensions)).reshape(new_sizes)


def _slice(x: Array, *, start_indices: Any, limit_indices: Any, strides: Any) -> Array:
    steps = strides or (1,) * x.ndim
    return x[tuple(map(slice, start_indices, limit_indices, steps))]


def _starts(x: Array, sizes: Any, indices: tuple[Array, ...]) -> tuple[slice, ...]:
    """The window of `lax.dynamic_slice`, which is moved until it fits."""
    starts = [
        min(max(int(i), 0), whole - part)
        for i, whole, part in zip(indices, x.shape, sizes, strict=True)
    ]
    return tuple(slice(start, start + part) for start, part in zip(starts, sizes, strict=True))


def _dynamic_slice(x: Array, *indices: Array, slice_sizes: Any) -> Array:
    return x[_starts(x, slice_sizes, indices)]


def _dynamic_update_slice(x: Array, update: Array, *indices: Array) -> Array:
    result = x.copy()
    result[_starts(x, update.shape, indices)] = update
    return result


def _split(x: Array, *, sizes: Any, axis: int) -> tuple[Array, ...]:
    return tuple(np.split(x, np.cumsum(sizes)[:-1], axis))


def _iota(*, dtype: Any, shape: Any, dimension: int, **params: Any) -> Array:
    del params
    sizes = [1] * len(shape)
    sizes[dimension] = shape[dimension]
    return np.broadcast_to(np.arange(shape[dimension], dtype=dtype).reshape(sizes), shape)


def _reduction(function: Callable[..., Any]) -> Rule:
    def rule(x: Array, *, axes: Any, **params: Any) -> Any:
        del params
        return function(_widened(x), axis=tuple(axes))

    return rule


def _arg(function: Callable[..., Any]) -> Rule:
    def rule(x: Array, *, axes: Any, index_dtype: Any, **params: Any) -> Any:
        del params
        return function(x, axis=axes[0]).astype(index_dtype)

    return rule


def _cumulative(function: Callable[..., Any]) -> Rule:
    def rule(x: Array, *, axis: int, reverse: bool, **params: Any) -> Any:
        del params
        wide = _widened(np.flip(x, axis) if reverse else x)
        result = function(wide, axis=axis)
        return np.flip(result, axis) if reverse else result

    return rule


def _dot(x: Array, y: Array, *, dimension_numbers: Any, **params: Any) -> Array:
    del params
    (xc, yc), (xb, yb) = dimension_numbers
    x_free = [i for i in range(x.ndim) if i not in (*xc, *xb)]
    y_free = [i for i in range(y.ndim) if i not in (*yc, *yb)]
    batch = tuple(x.shape[i] for i in xb)
    rows, columns = tuple(x.shape[i] for i in x_free), tuple(y.shape[i] for i in y_free)
    inner = int(np.prod([x.shape[i] for i in xc], dtype=np.int64))
    left = _widened(x).transpose(*xb, *x_free, *xc).reshape(*batch, -1, inner) if inner else None
    if left is None:
        return np.zeros(batch + rows + columns)
    right = _widened(y).transpose(*yb, *yc, *y_free).reshape(*batch, inner, -1)
    return np.matmul(left, right).reshape(batch + rows + columns)


def _widened(x: Array) -> Array:
    kind = x.dtype.kind
    return x.astype({"f": np.float64, "i": np.int64, "u": np.uint64}.get(kind, x.dtype))


def _bitcast(x: Array, *, new_dtype: Any) -> Array:
    if x.dtype.itemsize != np.dtype(new_dtype).itemsize:
        raise NotImplementedError
    return np.ascontiguousarray(x).view(new_dtype).reshape(x.shape)


def _logical_right(x: Array, y: Array) -> Array:
    unsigned = np.dtype(f"uint{8 * x.dtype.itemsize}")
    return np.right_shift(x.view(unsigned), y.astype(unsigned)).view(x.dtype)


def _shift(function: Callable[..., Any]) -> Rule:
    """A shift by the width or more gives zero, which NumPy leaves undefined."""

    def rule(x: Array, y: Array, **params: Any) -> Any:
        del params
        width = 8 * x.dtype.itemsize
        inside = (y >= 0) & (y < width)
        return np.where(inside, function(x, np.where(inside, y, 0).astype(x.dtype)), 0)

    return rule


RULES: Mapping[str, Rule] = {
    **{
        name: _plain(function)
        for name, function in {
            "neg": np.negative,
            "exp": np.exp,
            "exp2": np.exp2,
            "expm1": np.expm1,
            "log": np.log,
            "log1p": np.log1p,
            "tanh": np.tanh,
            "sin": np.sin,
            "cos": np.cos,
            "tan": np.tan,
            "abs": np.abs,
            "sign": np.sign,
            "floor": np.floor,
            "ceil": np.ceil,
            "sqrt": np.sqrt,
            "rsqrt": lambda x: np.divide(1, np.sqrt(x)),
            "square": np.square,
            "logistic": _logistic,
            "erf": scipy.special.erf,
            "erfc": scipy.special.erfc,
            "erf_inv": scipy.special.erfinv,
            "lgamma": scipy.special.gammaln,
            "not": np.invert,
            "is_finite": np.isfinite,
            "add": np.add,
            "add_any": np.add,
            "sub": np.subtract,
            "mul": np.multiply,
            "div": _divide,
            "max": np.maximum,
            "min": np.minimum,
            "pow": np.power,
            "and": np.bitwise_and,
            "or": np.bitwise_or,
            "xor": np.bitwise_xor,
            "eq": np.equal,
            "ne": np.not_equal,
            "lt": np.less,
            "le": np.less_equal,
            "gt": np.greater,
            "ge": np.greater_equal,
            "atan2": np.arctan2,
            "clamp": lambda low, x, high: np.minimum(np.maximum(x, low), high),
            "copy": np.copy,
            "copy_p": np.copy,
            "stop_gradient": np.asarray,
            "random_clone": np.asarray,
        }.items()
    },
    "select_n": _select,
    "convert_element_type": _convert,
    "integer_pow": lambda x, *, y: np.power(_widened(x), y),
    "broadcast_in_dim": _broadcast,
    "reshape": _reshape,
    "squeeze": lambda x, *, dimensions: np.squeeze(x, tuple(dimensions)),
    "expand_dims": lambda x, *, dimensions: np.expand_dims(x, tuple(dimensions)),
    "transpose": lambda x, *, permutation: x.transpose(permutation),
    "rev": lambda x, *, dimensions: np.flip(x, tuple(dimensions)),
    "concatenate": lambda *xs, dimension: np.concatenate(xs, dimension),
    "slice": _slice,
    "dynamic_slice": _dynamic_slice,
    "dynamic_update_slice": _dynamic_update_slice,
    "split": _split,
    "iota": _iota,
    "bitcast_convert_type": _bitcast,
    "shift_left": _shift(np.left_shift),
    "shift_right_logical": _shift(_logical_right),
    "reduce_sum": _reduction(np.sum),
    "reduce_prod": _reduction(np.prod),
    "reduce_max": _reduction(np.max),
    "reduce_min": _reduction(np.min),
    "reduce_and": _reduction(np.all),
    "reduce_or": _reduction(np.any),
    "argmax": _arg(np.argmax),
    "argmin": _arg(np.argmin),
    "cumsum": _cumulative(np.cumsum),
    "cumprod": _cumulative(np.cumprod),
    "dot_general": _dot,
}
"""The rule of each primitive by name."""

ROUNDING = frozenset(
    {"dot_general", "reduce_sum", "cumsum", "reduce_prod", "cumprod", "cumlogsumexp"}
    | {"conv_general_dilated", "reduce_window", "reduce_window_sum", "scatter-add", "fft"}
    | {"cholesky", "triangular_solve", "tridiagonal_solve", "lu", "qr", "geqrf", "eigh", "eig"}
    | {"svd", "schur", "householder_product", "ragged_dot_general"}
)
"""Primitives that take sums, whose last bits may depend on the batch when JAX takes them."""


def apply(rule: Rule, operands: list[Array], params: Mapping[str, Any]) -> tuple[Array, ...]:
    """The results of a rule; half precision is computed in single and left for the caller to round.

    Raises:
        NotImplementedError: If the rule does not cover these operands.
    """
    result = rule(*(x.astype(np.float32) if _is_half(x) else x for x in operands), **params)
    return tuple(map(np.asarray, result if isinstance(result, tuple) else (result,)))


def _is_half(x: Array) -> bool:
    return x.dtype.itemsize == 2 and x.dtype.kind not in "iu"
