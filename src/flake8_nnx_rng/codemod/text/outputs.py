"""The outputs that a forward pass makes, field by field."""

from __future__ import annotations

import libcst as cst

from flake8_nnx_rng.codemod.text.sheet import Sheet
from flake8_nnx_rng.codemod.text.tree import Tree
from flake8_nnx_rng.knowledge import library

FIELDS = library.OUTPUT_FIELDS


def outputs_of(entry: cst.FunctionDef, tree: Tree) -> list[cst.Call]:
    """The calls that make an output."""
    return [c for c in tree.own(entry, cst.Call) if tree.canonical(c.func) == library.OUTPUT]


def field_of(output: cst.Call, name: str) -> cst.BaseExpression | None:
    """What an output is made with for a field."""
    for index, arg in enumerate(output.args):
        named = FIELDS[index] if arg.keyword is None else arg.keyword.value
        if named == name:
            return arg.value
    return None


def set_field(output: cst.Call, name: str, text: str, tree: Tree, sheet: Sheet) -> None:
    """Makes an output with something for a field."""
    given = field_of(output, name)
    if given is not None:
        sheet.replace(*tree.span(given), text)
        return
    is_next = len(output.args) == FIELDS.index(name)
    is_positional = is_next and all(arg.keyword is None for arg in output.args)
    prefix = "" if is_positional else f"{name}="
    append(f"{prefix}{text}", output.args[-1], output, tree, sheet)


def append(text: str, last: cst.CSTNode, outer: cst.CSTNode, tree: Tree, sheet: Sheet) -> None:
    """Adds an item behind the last one of a call or literal, on a line of its own if that is."""
    start, end = tree.span(last)
    has_own_lines = "\n" in tree.text[end : tree.span(outer)[1]]
    gap = f",\n{tree.indentation(start)}" if has_own_lines else ", "
    added = f"{gap}{text}"
    if sheet.between(end, end) != added:
        sheet.insert(end, added)
