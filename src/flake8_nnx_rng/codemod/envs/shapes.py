"""The shape that is left when every env draws for itself."""

from __future__ import annotations

import libcst as cst

from flake8_nnx_rng.codemod.envs.kinds import Kind, literal_int
from flake8_nnx_rng.codemod.envs.rows import Rows
from flake8_nnx_rng.codemod.text.sheet import Sheet


def without_envs(node: cst.BaseExpression, rows: Rows, sheet: Sheet) -> str:
    """The text of a shape, which starts with the number of envs, without it."""
    tree = rows.tree
    text = sheet.between(*tree.span(node))
    match node:
        case cst.Tuple(elements) | cst.List(elements):
            first, *rest = elements
            parts = [_element(element, rows, sheet) for element in rest]
            if isinstance(first, cst.StarredElement):
                parts.insert(0, "*" + without_envs(first.value, rows, sheet))
            return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"
        case cst.BinaryOperation(left, cst.Add(), right):
            right_text = sheet.between(*tree.span(right))
            return f"{without_envs(left, rows, sheet)} + {right_text}"
        case cst.Subscript(value, [cst.SubscriptElement(cst.Slice() as part)]):
            return _slice(node, part, f"{sheet.between(*tree.span(value))}", rows, sheet)
        case cst.Attribute() | cst.Name() | cst.Call():
            return f"{text}[1:]"
        case _:
            return f"({text})[1:]"


def _element(element: cst.BaseElement, rows: Rows, sheet: Sheet) -> str:
    star = "*" if isinstance(element, cst.StarredElement) else ""
    return star + sheet.between(*rows.tree.span(element.value))


def _slice(node: cst.Subscript, part: cst.Slice, base: str, rows: Rows, sheet: Sheet) -> str:
    """`x.shape[:n]` without its first item."""
    if rows.kind(node.value) is not Kind.SHAPE:
        return f"{sheet.between(*rows.tree.span(node))}[1:]"
    if part.upper is None:
        return f"{base}[1:]"
    if literal_int(part.upper) == 1:
        return "()"
    return f"{base}[1:{sheet.between(*rows.tree.span(part.upper))}]"
