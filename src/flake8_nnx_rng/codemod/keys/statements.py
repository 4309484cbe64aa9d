"""Statements that a rewrite takes away: they move keys, bind them, or name what nothing needs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import libcst as cst

from flake8_nnx_rng.codemod.envs.kinds import literal_int
from flake8_nnx_rng.codemod.keys.faults import Faults, Form, Site
from flake8_nnx_rng.codemod.keys.threads import Weaver
from flake8_nnx_rng.codemod.refusal import RefusedError
from flake8_nnx_rng.codemod.text.bindings import bindings, loads
from flake8_nnx_rng.codemod.text.sheet import Sheet
from flake8_nnx_rng.codemod.text.tree import AnyFunction, Tree
from flake8_nnx_rng.knowledge.keys import PREFIX

Line = cst.SimpleStatementLine
_SPLIT = f"{PREFIX}split"


@dataclass(frozen=True)
class Bound:
    """A statement that only gives names to new keys.

    Attributes:
        site: The draw in it.
        line: The statement.
        names: The names that are needed.
        is_kept: Whether the names have other values elsewhere, so that they must be bound here.
    """

    site: Site
    line: Line
    names: tuple[str, ...]
    is_kept: bool = False


def bound_by(site: Site, faults: Faults, tree: Tree) -> Bound | None:
    """The statement that binds what a site yields, if it does nothing else."""
    function = tree.function(site.node)
    if site.form is not Form.KEY or not isinstance(function, cst.FunctionDef):
        return None
    targets = _targets(site.node, faults, tree)
    line = tree.statement(site.node)
    if targets is None or not isinstance(line, Line) or len(line.body) != 1:
        return None
    names = [target.value for target in targets if isinstance(target, cst.Name)]
    others = [target for target in targets if not isinstance(target, cst.Name)]
    if any(other not in faults.gone for other in others):
        return None
    is_kept = any(len(list(bindings(function, name, tree))) != 1 for name in names)
    if is_kept and not others:
        return None
    gone = [tree.statement(node) for node in faults.gone]
    names = [name for name in names if not _is_outer(name, function, tree)]
    needed = [
        name
        for name in names
        if any(
            not any(tree.is_within(load, statement) for statement in gone)
            for load in loads(function, name, tree)
        )
    ]
    return Bound(site, line, tuple(needed), is_kept) if needed else None


def _is_outer(name: str, function: cst.FunctionDef, tree: Tree) -> bool:
    """Whether a function says that a name is one from outside of it."""
    items = (item for item in tree.own(function, cst.NameItem) if item.name.value == name)
    return any(True for _ in items)


def captured_by(site: Site, weaver: Weaver) -> Site | None:
    """The one place at which a mapped function reads a key by a name from outside of it."""
    tree, function = weaver.tree, weaver.tree.function(site.node)
    parent = tree.parent(site.node)
    if site.form is not Form.KEY or function is None or not isinstance(parent, cst.Assign):
        return None
    target = parent.targets[0].target
    if len(parent.targets) != 1 or not isinstance(target, cst.Name):
        return None
    used = list(loads(function, target.value, tree))
    if len(used) != 1 or len(list(bindings(function, target.value, tree))) != 1:
        return None
    is_captured = weaver.is_row(used[0]) and not weaver.is_row(site.node)
    return Site(used[0], Form.KEY) if is_captured else None


def _targets(
    node: cst.BaseExpression, faults: Faults, tree: Tree
) -> list[cst.BaseExpression] | None:
    parent = tree.parent(node)
    if isinstance(parent, cst.Assign) and len(parent.targets) == 1:
        target = parent.targets[0].target
        return [target] if isinstance(target, cst.Name) else None
    if not isinstance(parent, cst.Arg):
        return None
    call = tree.parent(parent)
    if call not in faults.consumers or not isinstance(call, cst.Call):
        return None
    assign = tree.parent(call)
    if tree.canonical(call.func) != _SPLIT or not isinstance(assign, cst.Assign):
        return None
    target = assign.targets[0].target
    if len(assign.targets) != 1 or not isinstance(target, (cst.Tuple, cst.List)):
        return None
    found = [element.value for element in target.elements]
    count = literal_int(call.args[1].value) if len(call.args) > 1 else 2
    has_star = any(isinstance(element, cst.StarredElement) for element in target.elements)
    return None if has_star or count != len(found) else found


def removed_lines(
    faults: Faults, bound: Iterable[Bound], dead: Sequence[tuple[int, int]], tree: Tree
) -> list[cst.CSTNode]:
    """The statements that go with what has to go.

    Raises:
        RefusedError: Something has to go that a statement needs.
    """
    lines: list[cst.CSTNode] = [one.line for one in bound]
    for node in faults.gone:
        if any(tree.is_within(node, line) for line in lines) or is_inside(tree.span(node), dead):
            continue
        parent = tree.parent(node)
        if isinstance(node, cst.Decorator):
            lines.append(node)
            continue
        line = tree.statement(node)
        is_sole = isinstance(line, Line) and len(line.body) == 1
        if (
            (is_sole and isinstance(parent, cst.Expr))
            or (is_sole and isinstance(parent, (cst.AugAssign, cst.AnnAssign)))
            or (
                is_sole
                and isinstance(parent, cst.AssignTarget)
                and len(_assign(parent, tree).targets) == 1
            )
        ):
            lines.append(line)
        elif isinstance(parent, cst.Assign) and isinstance(parent.targets[0].target, cst.Name):
            continue  # goes when nothing needs its name
        elif isinstance(parent, cst.WithItem):
            continue  # is unwrapped
        else:
            text = " ".join(tree.code(node).split())
            raise RefusedError(f"`{text}` moves the module's state, and its value is used")
    return lines


def _assign(target: cst.AssignTarget, tree: Tree) -> cst.Assign:
    assign = tree.parent(target)
    assert isinstance(assign, cst.Assign)
    return assign


def dead_names(
    functions: Iterable[AnyFunction], dead: list[tuple[int, int]], tree: Tree
) -> list[Line]:
    """The assignments whose names are needed only in pieces of the text that go."""
    found: list[Line] = []
    settled = False
    while not settled:
        settled = True
        for function in functions:
            for assign in tree.own(function, cst.Assign):
                line = tree.statement(assign)
                if not isinstance(line, Line) or line in found or len(line.body) != 1:
                    continue
                if _is_dead(assign, function, dead, tree):
                    found.append(line)
                    dead.append(tree.span(line))
                    settled = False
    return found


def _is_dead(
    assign: cst.Assign, function: AnyFunction, dead: list[tuple[int, int]], tree: Tree
) -> bool:
    names = _names_of(assign.targets[0].target)
    if len(assign.targets) != 1 or not names:
        return False
    if any(len(list(bindings(function, name, tree))) != 1 for name in names):
        return False
    used = [load for name in names for load in loads(function, name, tree)]
    return bool(used) and all(is_inside(tree.span(load), dead) for load in used)


def _names_of(target: cst.BaseExpression) -> list[str]:
    """The names of a target; none if it is, or has, anything else."""
    if isinstance(target, cst.Name):
        return [target.value]
    if not isinstance(target, (cst.Tuple, cst.List)):
        return []
    found = [_names_of(element.value) for element in target.elements]
    return [name for names in found for name in names] if all(found) else []


def is_inside(span: tuple[int, int], spans: Iterable[tuple[int, int]]) -> bool:
    """Whether a piece of the text is part of one of several."""
    return any(start <= span[0] and span[1] <= end for start, end in spans)


def unwrap(statement: cst.With, tree: Tree, sheet: Sheet) -> None:
    """Leaves only the body of a `with`.

    Raises:
        RefusedError: It enters more than one thing, or its body cannot be moved.
    """
    body = statement.body
    if len(statement.items) != 1 or statement.items[0].asname is not None:
        raise RefusedError("a `with` splits streams and enters something else")
    if not isinstance(body, cst.IndentedBlock):
        raise RefusedError("a block stands in one line with its header")
    at, end = tree.line_start(tree.span(statement)[0]), tree.span(body)[1]
    first = tree.line_start(tree.span(body.body[0])[0])
    outer, inner = tree.indentation(at), tree.indentation(first)
    if '"""' in tree.text[first:end] or "'''" in tree.text[first:end]:
        raise RefusedError("a text of several lines stands in a `with` that has to go")
    sheet.replace(at, first, "")
    while first < end:
        if tree.text.startswith(inner, first):
            sheet.replace(first, first + len(inner) - len(outer), "")
        first = tree.line_end(first)


def remove_line(line: cst.CSTNode, tree: Tree, sheet: Sheet) -> None:
    """Takes a line out of the text.

    Raises:
        RefusedError: Its block would be empty.
    """
    block = tree.parent(line)
    if isinstance(block, cst.IndentedBlock) and len(block.body) == 1:
        raise RefusedError("a block would be empty without its only statement")
    sheet.replace(*tree.lines(line), "")
