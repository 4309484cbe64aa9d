"""What calls have to do with the envs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from flake8_nnx_rng.codemod.envs.axes import is_plain, mapped_first, yields_several
from flake8_nnx_rng.codemod.envs.kinds import (
    ROWED,
    Kind,
    any_rows,
    arithmetic,
    filled,
    keeps_first,
    of_layer,
)
from flake8_nnx_rng.codemod.envs.loops import loop_of
from flake8_nnx_rng.codemod.envs.references import is_own
from flake8_nnx_rng.knowledge import arrays, library
from flake8_nnx_rng.knowledge.functions import MAPS
from flake8_nnx_rng.knowledge.host import DRAWS as HOST_DRAWS
from flake8_nnx_rng.knowledge.keys import DRAWS, PREFIX

if TYPE_CHECKING:
    from flake8_nnx_rng.codemod.envs.rows import Rows

_HOST = "numpy.random."
_CONTAINER_METHODS = frozenset({"get", "copy"})


def call_kind(rows: Rows, node: cst.Call) -> Kind | None:
    """What a call returns; None while something that it depends on is being found."""
    found = rows.all(argument.value for argument in node.args)
    given = [kind for kind in found if kind is not None]
    if len(given) < len(found):
        return None
    loop = loop_of(node, rows.tree)
    if loop is not None:
        return Kind.UNKNOWN if loop.has_outputs else rows.carried(node, loop)
    name = rows.tree.canonical(node.func)
    if name:
        return _library(rows, name, node, given)
    if isinstance(node.func, cst.Call) and rows.tree.canonical(node.func.func) in MAPS:
        return _mapped(rows, node.func, node)
    function = rows.called(node.func)
    if function is not None:
        mapping = rows.references.mapping_of(function)
        if mapping is not None:
            return _mapped(rows, mapping, node)
        return rows.returned(function)
    if _is_layer(rows, node.func):
        return of_layer(given)
    if isinstance(node.func, cst.Attribute):
        return _method(rows, node.func, node, given)
    return Kind.FIXED if all(kind is Kind.FIXED for kind in given) else Kind.UNKNOWN


def _mapped(rows: Rows, mapping: cst.BaseExpression, node: cst.Call) -> Kind:
    given = [rows.kind(arg.value) for arg in mapped_first(node, mapping, rows.tree)]
    if not (is_plain(mapping, rows.tree) and any_rows(given)):
        return Kind.UNKNOWN
    return Kind.TREE if yields_several(mapping, rows.tree) else Kind.ROWS


def _is_layer(rows: Rows, func: cst.BaseExpression) -> bool:
    """Whether something that the module holds is called."""
    if isinstance(func, cst.Subscript):
        return _is_layer(rows, func.value)
    if isinstance(func, cst.Attribute):
        if func.attr.value in DRAWS | HOST_DRAWS and not is_own(func):
            return False
        return is_own(func) or (not rows.tree.canonical(func) and _is_layer(rows, func.value))
    return isinstance(func, cst.Name) and rows.maybe(func) is Kind.FIXED


def _library(rows: Rows, name: str, node: cst.Call, given: list[Kind]) -> Kind | None:
    if name in arrays.ELEMENTWISE:
        return arithmetic(given)
    if name in arrays.LIKE:
        return given[0] if given else Kind.UNKNOWN
    if name in arrays.ALONG:
        if all(kind is Kind.FIXED for kind in given):
            return Kind.FIXED
        kept = keeps_first(node, *arrays.ALONG[name]) and any_rows(given)
        return (Kind.TREE if name in arrays.LISTS else Kind.ROWS) if kept else Kind.UNKNOWN
    if name.startswith(PREFIX):
        has_key = bool(node.args) and node.args[0].keyword is None
        return filled(given[1:] if has_key else given)
    if name in arrays.FILLED | arrays.SHAPED or name.startswith(_HOST):
        return filled(given)
    if name == "jax.numpy.shape":
        return Kind.SHAPE if any_rows(given) else Kind.UNKNOWN
    if name == "builtins.len":
        return Kind.SIZE if any_rows(given) else Kind.FIXED
    if name == "builtins.tuple" and given == [Kind.SHAPE]:
        return Kind.SHAPE
    if name == library.OUTPUT:
        return Kind.TREE
    return Kind.FIXED if all(kind is Kind.FIXED for kind in given) else Kind.UNKNOWN


def _method(rows: Rows, func: cst.Attribute, node: cst.Call, given: list[Kind]) -> Kind | None:
    receiver, name = rows.maybe(func.value), func.attr.value
    if receiver in (Kind.FIXED, None):
        if name in DRAWS or name in HOST_DRAWS:
            return filled(given)
        return arithmetic(given) if name != "reshape" else Kind.FIXED
    if receiver in ROWED:
        if name in arrays.ELEMENTWISE_METHODS | _CONTAINER_METHODS:
            return receiver
        if name in arrays.METHODS_ALONG:
            kept = keeps_first(node, *arrays.METHODS_ALONG[name])
            return Kind.ROWS if kept else Kind.UNKNOWN
        if name == "reshape" and given and given[0] in (Kind.SIZE, Kind.SHAPE):
            return Kind.ROWS
    return Kind.UNKNOWN
