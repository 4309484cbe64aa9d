"""What attributes, subscripts, sums and the like have to do with the envs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import libcst as cst

from flake8_nnx_rng.codemod.envs.call_kinds import call_kind
from flake8_nnx_rng.codemod.envs.kinds import (
    ROWED,
    Kind,
    arithmetic,
    is_whole,
    joined,
    part_of_shape,
    together,
)
from flake8_nnx_rng.codemod.envs.references import is_own
from flake8_nnx_rng.codemod.text.tree import all_parameters
from flake8_nnx_rng.knowledge import library
from flake8_nnx_rng.knowledge.functions import SHAPE_ATTRIBUTES

if TYPE_CHECKING:
    from flake8_nnx_rng.codemod.envs.rows import Rows

_TRANSPOSED = frozenset({"T", "mT", "at", "flat"})


def _attribute(rows: Rows, node: cst.Attribute) -> Kind | None:
    name = node.attr.value
    if is_own(node) or rows.tree.canonical(node):
        return Kind.FIXED
    base = rows.maybe(node.value)
    if base in ROWED:
        if name == "shape":
            return Kind.SHAPE
        if name in SHAPE_ATTRIBUTES and name != "size":
            return Kind.FIXED
        return Kind.UNKNOWN if name in _TRANSPOSED or name == "size" else base
    return base if base in (Kind.FIXED, None) else Kind.UNKNOWN


def _subscript(rows: Rows, node: cst.Subscript) -> Kind | None:
    base = rows.maybe(node.value)
    first = node.slice[0].slice
    index = first.value if isinstance(first, cst.Index) else None
    if base is Kind.SHAPE:
        return part_of_shape(node)
    if base is Kind.FIXED:
        inside = [e.slice.value for e in node.slice if isinstance(e.slice, cst.Index)]
        kinds = rows.all(inside)
        return arithmetic(kinds) if kinds else Kind.FIXED
    if base not in ROWED:
        return None if base is None else Kind.UNKNOWN
    if isinstance(index, cst.SimpleString):
        return Kind.ROWS
    if isinstance(index, cst.Ellipsis) or is_whole(first):
        return Kind.ROWS
    if base is Kind.TREE and index is not None and rows.maybe(index) is Kind.FIXED:
        return Kind.ROWS if _has_items(rows, node.value) else Kind.UNKNOWN
    return Kind.UNKNOWN


def _has_items(rows: Rows, node: cst.BaseExpression) -> bool:
    """Whether what an index takes out is an array of several, rather than the row of an env."""
    function = rows.tree.function(node)
    parameters = () if function is None else all_parameters(function)
    if not isinstance(node, cst.Name) or node.value not in {p.name.value for p in parameters}:
        return True
    around = rows.tree.around(node, cst.ClassDef)
    start = None if around is None else rows.tree.class_of(around).method(library.INITIALIZE)
    values = [] if start is None else [r.value for r in rows.tree.own(start, cst.Return)]
    return bool(values) and all(isinstance(value, (cst.Tuple, cst.List)) for value in values)


def _binary(rows: Rows, node: cst.BinaryOperation) -> Kind | None:
    left, right = rows.maybe(node.left), rows.maybe(node.right)
    if left is Kind.SHAPE and isinstance(node.operator, cst.Add):
        return Kind.SHAPE if right is Kind.FIXED else Kind.UNKNOWN
    if isinstance(node.operator, cst.MatrixMultiply) and right in ROWED:
        return Kind.UNKNOWN
    return arithmetic([left, right])


def _comparison(rows: Rows, node: cst.Comparison) -> Kind | None:
    return arithmetic(rows.all([node.left, *(t.comparator for t in node.comparisons)]))


def _conditional(rows: Rows, node: cst.IfExp) -> Kind | None:
    return joined(rows.all([node.body, node.orelse]))


def _boolean(rows: Rows, node: cst.BooleanOperation) -> Kind | None:
    return joined(rows.all([node.left, node.right]))


def _elements(rows: Rows, node: cst.Tuple | cst.List) -> Kind | None:
    if not node.elements:
        return Kind.FIXED
    first, *rest = node.elements
    head, tail = rows.maybe(first.value), rows.all(element.value for element in rest)
    is_star = isinstance(first, cst.StarredElement)
    if head is (Kind.SHAPE if is_star else Kind.SIZE):
        return Kind.SHAPE if all(kind is Kind.FIXED for kind in tail) else Kind.UNKNOWN
    return together([head, *tail])


def _dict(rows: Rows, node: cst.Dict) -> Kind | None:
    return together(rows.all(element.value for element in node.elements))


KINDS: dict[type[cst.CSTNode], Callable[[Rows, Any], Kind | None]] = {
    cst.Name: lambda rows, node: rows.name(node),
    cst.Attribute: _attribute,
    cst.Subscript: _subscript,
    cst.Call: call_kind,
    cst.BinaryOperation: _binary,
    cst.Comparison: _comparison,
    cst.IfExp: _conditional,
    cst.BooleanOperation: _boolean,
    cst.Tuple: _elements,
    cst.List: _elements,
    cst.Dict: _dict,
    cst.ListComp: lambda rows, node: together([rows.maybe(node.elt)]),
    cst.GeneratorExp: lambda rows, node: together([rows.maybe(node.elt)]),
    cst.NamedExpr: lambda rows, node: rows.maybe(node.value),
    cst.UnaryOperation: lambda rows, node: rows.maybe(node.expression),
}
"""What each kind of expression is; None while something that it depends on is being found."""
