"""All that the oracle asks of JAX's traces, in one place.

Only `jax.extend.core`, `jax.extend.source_info_util` and names of primitives are used, so that
what may change between versions of JAX is seen here.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import jax
import numpy as np
from jax.extend import core, source_info_util

from nnx_ppo_ref.keys import is_key_type
from nnx_ppo_ref.oracle.threefry import as_keys, as_words

Jaxpr = Any
Equation = Any

DRAWS = frozenset(
    {"random_bits", "random_gamma", "rng_bit_generator", "rng_uniform", "threefry2x32"}
)
"""Primitives whose result is noise."""

CALLBACKS = frozenset({"pure_callback", "io_callback"})
"""Primitives that ask the host for a result while the program runs."""

CONSUMERS = frozenset({"random_bits", "random_gamma", "random_split"})
"""Primitives that use up the key that they are given."""

MARK = "nnx_ppo_ref.oracle:"
"""Begins the name of the scope in which a module's call is traced."""

_IMPLEMENTATIONS = {"fry": "threefry2x32", "rbg": "rbg", "urbg": "unsafe_rbg"}
_LIBRARIES = re.compile(r"[/\\](jax|flax|nnx_ppo_ref[/\\]oracle)[/\\](?!test)")
_MARKED = re.compile(re.escape(MARK) + r"([\w.<>]+)")


def _counts_partitionably() -> bool:
    config: Any = jax.config
    return bool(config.jax_threefry_partitionable)


def trace(function: Callable[..., Any], *arguments: Any) -> tuple[Jaxpr, Any]:
    """A closed jaxpr of a function and its result as a PyTree of shapes."""

    def fresh(*arguments: Any) -> Any:  # JAX would answer for a function that it has seen
        return function(*arguments)

    closed, result = jax.make_jaxpr(fresh, return_shape=True)(*arguments)
    return closed, result


@contextlib.contextmanager
def uncached() -> Iterator[None]:
    """Traces what is jitted inside of a function again, instead of taking JAX's last trace of it.

    The precision of products is a part of what JAX looks its traces up by; the traces that are
    made here are only compared, not run.
    """
    config: Any = jax.config
    other = "float32" if config.jax_default_matmul_precision == "highest" else "highest"
    with jax.default_matmul_precision(other):
        yield


def is_threefry(dtype: Any) -> bool:
    """Whether typed keys are of the default implementation, counting in the default way."""
    return str(dtype) == "key<fry>" and _counts_partitionably()


def to_numpy(leaf: Any) -> np.ndarray:
    """An array as NumPy holds it; typed keys become void elements."""
    if is_key_type(getattr(leaf, "dtype", np.dtype(float))):
        return np.asarray(as_keys(jax.random.key_data(leaf)))
    return np.asarray(leaf)


def to_jax(value: np.ndarray, dtype: Any) -> Any:
    """The reverse of `to_numpy`, given the dtype that JAX had."""
    if not is_key_type(dtype):
        return jax.numpy.asarray(value)
    match = re.fullmatch(r"key<(\w+)>", str(dtype))
    implementation = _IMPLEMENTATIONS.get(match.group(1)) if match else None
    if implementation is None:
        raise NotImplementedError(f"keys of type {dtype}")
    return jax.random.wrap_key_data(jax.numpy.asarray(as_words(value)), impl=implementation)


def bind(equation: Equation, values: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Runs one equation by JAX."""
    operands = [to_jax(v, a.aval.dtype) for v, a in zip(values, equation.invars, strict=True)]
    prepared = equation.primitive.get_bind_params(equation.params)
    functions, parameters = prepared if isinstance(prepared, tuple) else ((), prepared)
    result = equation.primitive.bind(*functions, *operands, **parameters)
    results = result if equation.primitive.multiple_results else [result]
    return [to_numpy(leaf) for leaf in results]


def is_literal(atom: Any) -> bool:
    """Whether an operand is a constant written into the equation."""
    return isinstance(atom, core.Literal)


def open_jaxpr(jaxpr: Jaxpr) -> tuple[Jaxpr, Sequence[Any]]:
    """A jaxpr, closed or not, as an open one with its constants."""
    return (jaxpr.jaxpr, jaxpr.consts) if isinstance(jaxpr, core.ClosedJaxpr) else (jaxpr, ())


def inner_jaxprs(equation: Equation) -> Iterator[tuple[str, Jaxpr]]:
    """The jaxprs in an equation's parameters, each with a name."""
    for name, value in equation.params.items():
        items = value if isinstance(value, (tuple, list)) else (value,)
        for index, item in enumerate(items):
            if isinstance(item, (core.ClosedJaxpr, core.Jaxpr)):
                yield f"{name}{index}", item


def inlined(equation: Equation) -> Jaxpr | None:
    """The jaxpr that an equation only calls, such as that of `jit`, `remat` or `custom_jvp`."""
    if equation.primitive.name in ("scan", "while", "cond"):
        return None
    jaxprs = [jaxpr for _, jaxpr in inner_jaxprs(equation)]
    if not jaxprs:
        return None
    inner, _ = open_jaxpr(jaxprs[0])
    same = _shapes(inner.invars) == _shapes(equation.invars) and _shapes(inner.outvars) == _shapes(
        equation.outvars
    )
    return jaxprs[0] if same else None


def scan_layout(equation: Equation) -> tuple[int, int]:
    """How many constants and how many carried values a `scan` has.

    Read from the shapes, since the parameters that say it were renamed: what is scanned over or
    stacked has one axis more outside than inside.
    """
    body, _ = open_jaxpr(equation.params["jaxpr"])

    def whole(outside: Sequence[Any], inside: Sequence[Any]) -> int:
        pairs = zip(outside, inside, strict=True)
        return sum(len(a.aval.shape) == len(b.aval.shape) for a, b in pairs)

    carried = whole(equation.outvars, body.outvars)
    return whole(equation.invars, body.invars) - carried, carried


def draw_sites(jaxpr: Jaxpr, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every equation that draws, in the order of the program, with its path."""
    inner, _ = open_jaxpr(jaxpr)
    for index, equation in enumerate(inner.eqns):
        here = (*path, index)
        if equation.primitive.name in DRAWS:
            yield here, equation
        for name, sub in inner_jaxprs(equation):
            yield from draw_sites(sub, (*here, name))


def epsilon(dtype: Any) -> float:
    """The machine epsilon of a floating-point type, the half precisions included."""
    information: Any = jax.numpy.finfo
    return float(information(dtype).eps)


def coarsest(jaxpr: Jaxpr) -> float:
    """The largest machine epsilon of the floating-point types that a trace computes in."""
    inner, _ = open_jaxpr(jaxpr)
    types = {getattr(v.aval, "dtype", None) for e in inner.eqns for v in e.outvars}
    own = [
        epsilon(dtype)
        for dtype in types
        if dtype is not None and jax.numpy.issubdtype(dtype, jax.numpy.floating)
    ]
    return max(
        [*own, *(coarsest(sub) for e in inner.eqns for _, sub in inner_jaxprs(e))], default=0
    )


def scopes(equations: Sequence[Equation]) -> tuple[str, ...]:
    """The modules, outermost first, in whose call the last of some nested equations stands."""
    stacks = (str(equation.source_info.name_stack) for equation in equations)
    return tuple(name for stack in stacks for name in _MARKED.findall(stack))


def place(equation: Equation) -> str:
    """File, line and function of the code that an equation comes from, libraries left out."""
    for line in str(equation.source_info.traceback).splitlines():
        if not _LIBRARIES.search(line):
            return line.strip().replace(f"{Path.cwd()}{os.sep}", "")
    return str(source_info_util.summarize(equation.source_info))


def differing_constants(one: Jaxpr, other: Jaxpr) -> frozenset[tuple[Any, ...]] | None:
    """Where two traces of the same function hold different constants.

    Returns:
        Paths that end with `("literal", operand)` or `("constant", number)`; None if the traces
        differ in more than constants.
    """
    found: set[tuple[Any, ...]] = set()
    return frozenset(found) if _differing(one, other, (), found) else None


def _differing(one: Jaxpr, other: Jaxpr, path: tuple[Any, ...], found: set[Any]) -> bool:
    (a, a_consts), (b, b_consts) = open_jaxpr(one), open_jaxpr(other)
    if a is b:
        return True
    if len(a.eqns) != len(b.eqns) or len(a_consts) != len(b_consts):
        return False
    for number, (x, y) in enumerate(zip(a_consts, b_consts, strict=True)):
        if not _same(x, y):
            found.add((*path, "constant", number))
    for index, (x, y) in enumerate(zip(a.eqns, b.eqns, strict=True)):
        if x.primitive is not y.primitive or _shapes(x.outvars) != _shapes(y.outvars):
            return False
        for operand, (u, v) in enumerate(zip(x.invars, y.invars, strict=True)):
            if is_literal(u) and is_literal(v) and not _same(u.val, v.val):
                found.add((*path, index, "literal", operand))
        pairs = zip(inner_jaxprs(x), inner_jaxprs(y), strict=True)
        if not all(_differing(u, v, (*path, index, name), found) for (name, u), (_, v) in pairs):
            return False
    for operand, (u, v) in enumerate(zip(a.outvars, b.outvars, strict=True)):
        if is_literal(u) and is_literal(v) and not _same(u.val, v.val):
            found.add((*path, "result", "literal", operand))
    return True


def writers(jaxpr: Jaxpr, result: int, source: int) -> frozenset[tuple[str, ...]]:
    """The scopes of the equations that turn one argument of a jaxpr into one result.

    A result that does not come from the argument, such as a counter that is set instead of
    advanced, is written in no module's scope: `()`.
    """
    found: set[tuple[str, ...]] = set()
    inner, _ = open_jaxpr(jaxpr)
    if inner.outvars[result] is inner.invars[source]:
        return frozenset()
    _follow_back(jaxpr, result, source, (), found)
    return frozenset(found or {()})


def _follow_back(
    jaxpr: Jaxpr, result: int, source: int, outer: tuple[Equation, ...], found: set[Any]
) -> None:
    inner, _ = open_jaxpr(jaxpr)
    dependent = {inner.invars[source]}
    for equation in inner.eqns:
        if any(v in dependent for v in equation.invars if not is_literal(v)):
            dependent.update(equation.outvars)
    wanted = {inner.outvars[result]} if not is_literal(inner.outvars[result]) else set()
    for equation in reversed(inner.eqns):
        made = [v for v in equation.outvars if v in wanted and v in dependent]
        if not made:
            continue
        sub = inlined(equation)
        for operand, v in enumerate(equation.invars):
            if is_literal(v) or v not in dependent:
                continue
            wanted.add(v)
            for output, w in enumerate(equation.outvars):
                if sub is not None and w in made:
                    _follow_back(sub, output, operand, (*outer, equation), found)
        if sub is None:
            found.add(scopes((*outer, equation)))


def _shapes(variables: Sequence[Any]) -> list[tuple[Any, Any]]:
    return [
        (getattr(v.aval, "shape", None), str(getattr(v.aval, "dtype", None))) for v in variables
    ]


def _same(x: Any, y: Any) -> bool:
    if x is y:
        return True
    try:
        a, b = to_numpy(x), to_numpy(y)
    except (TypeError, ValueError):
        return True  # not numbers: nothing that a host generator could have drawn
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()
