"""What the parameters of a function have to do with the envs: what its callers give for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from flake8_nnx_rng.codemod.envs.kinds import Kind, joined
from flake8_nnx_rng.codemod.envs.loops import Loop, argument_at, loop_around
from flake8_nnx_rng.codemod.envs.references import argument_for
from flake8_nnx_rng.codemod.text.tree import AnyFunction, parameters_of
from flake8_nnx_rng.interpreter.functions import ENTRY
from flake8_nnx_rng.knowledge import library

if TYPE_CHECKING:
    from flake8_nnx_rng.codemod.envs.rows import Rows

_OPERANDS = {"jax.lax.cond": 3, "jax.lax.switch": 2, "flax.nnx.cond": 3, "flax.nnx.switch": 2}

_FRAMEWORK: dict[str, dict[int | None, Kind]] = {
    ENTRY: {1: Kind.TREE, 2: Kind.ROWS, 3: Kind.TREE},
    library.RESET: {1: Kind.TREE},
    library.INITIALIZE: {1: Kind.SIZE},
}
"""What the framework gives to the methods that it calls."""


def parameter_kind(rows: Rows, function: AnyFunction, parameter: cst.Param) -> Kind | None:
    """What a parameter is; None while something that it depends on is being found."""
    ordered = parameters_of(function)
    index = ordered.index(parameter) if parameter in ordered else None
    owner, is_bound = rows.references.owner(function), rows.references.is_bound(function)
    if is_bound and index == 0:
        return Kind.FIXED
    if owner is not None and isinstance(function, cst.FunctionDef):
        known = _FRAMEWORK.get(function.name.value)
        if known is not None and rows.references.hierarchy.is_stateful(owner):
            return known.get(index, Kind.UNKNOWN if index is None else Kind.MIXED)
    given: list[Kind | None] = []
    for reference in rows.references.of(function):
        if reference.is_mapped:
            given.append(Kind.FIXED)
        elif reference.call is None:
            given.append(_operand(rows, reference.node, index))
        else:
            given.append(_given(rows, function, parameter, reference.call, is_bound))
    return joined(given)


def _operand(rows: Rows, node: cst.BaseExpression, index: int | None) -> Kind | None:
    """What `jax.lax.cond` or a loop gives for a parameter of a function that it is handed."""
    looped = loop_around(node, rows.tree)
    if looped is not None:
        return _round(rows, *looped, index)
    argument = rows.tree.parent(node)
    call = rows.tree.parent(argument) if isinstance(argument, cst.Arg) else None
    if index is None or not isinstance(call, cst.Call):
        return Kind.UNKNOWN
    first = _OPERANDS.get(rows.tree.canonical(call.func))
    if first is None or any(a.keyword or a.star for a in call.args):
        return Kind.UNKNOWN
    operands = [arg.value for arg in call.args[first:]]
    return rows.maybe(operands[index]) if index < len(operands) else Kind.UNKNOWN


def _round(rows: Rows, call: cst.Call, loop: Loop, index: int | None) -> Kind | None:
    """What a round of a loop is given for a parameter."""
    if index == loop.carried:
        return rows.carried(call, loop)
    if index == loop.number:
        return Kind.FIXED
    return _scanned(rows, call) if loop.has_outputs and index == 1 else Kind.UNKNOWN


def _scanned(rows: Rows, call: cst.Call) -> Kind | None:
    """What a round of `jax.lax.scan` is given of the arrays that it goes through."""
    through = argument_at(call, 2, rows.tree)
    kind = Kind.FIXED if through is None else rows.maybe(through)
    return kind if kind in (None, Kind.FIXED) else Kind.UNKNOWN


def _given(
    rows: Rows, function: AnyFunction, parameter: cst.Param, call: cst.Call, is_bound: bool
) -> Kind | None:
    """What a call gives for a parameter."""
    argument = argument_for(function, parameter, call, is_bound)
    if argument is not None:
        return rows.maybe(argument)
    if any(one.star for one in call.args):
        return Kind.UNKNOWN
    return Kind.FIXED if parameter.default is not None else Kind.UNKNOWN
