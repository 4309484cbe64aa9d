"""Statements with which a sampler puts its streams back to where the rollout drew from them."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from flake8_nnx_rng.codemod.text.names import names_in
from flake8_nnx_rng.codemod.text.tree import Tree
from flake8_nnx_rng.interpreter import Advanced, Audit, Wrote
from flake8_nnx_rng.interpreter.values import Key, Stream


def restoring(
    audit: Audit, entry: cst.FunctionDef, extras: str, tree: Tree
) -> list[cst.BaseStatement]:
    """The statements that only give streams what the extras hold, with an `if` around them."""
    found: dict[cst.BaseStatement, None] = {}
    for event in audit.events():
        is_moved = isinstance(event, Advanced) or (
            isinstance(event, Wrote) and isinstance(event.before, (Key, Stream))
        )
        node = event.site.node
        if not is_moved or not tree.holds(node) or tree.function(node) is not entry:
            continue
        line = tree.statement(node)
        if not isinstance(line, cst.SimpleStatementLine) or len(line.body) != 1:
            continue
        if extras in names_in(line) and _does_nothing_else(line):
            found[_whole(line, found.__contains__, tree)] = None
    return list(found)


def _does_nothing_else(line: cst.SimpleStatementLine) -> bool:
    """Whether a line binds no name."""
    match line.body[0]:
        case cst.Expr():
            return True
        case cst.Assign([cst.AssignTarget(cst.Attribute() | cst.Subscript())]):
            return True
        case _:
            return False


def _whole(
    line: cst.SimpleStatementLine, is_gone: Callable[[cst.BaseStatement], bool], tree: Tree
) -> cst.BaseStatement:
    """The `if` around a line, if nothing else stands in it."""
    block = tree.parent(line)
    above = tree.parent(block) if isinstance(block, cst.IndentedBlock) else None
    if not isinstance(above, cst.If) or above.orelse is not None or above.body is not block:
        return line
    assert isinstance(block, cst.IndentedBlock)
    is_empty = all(other is line or is_gone(other) for other in block.body)
    is_first = not isinstance(tree.parent(above), cst.If)
    return above if is_empty and is_first else line
