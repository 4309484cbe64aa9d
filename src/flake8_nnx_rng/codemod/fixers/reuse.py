"""Gives every use of a key a key of its own: the first half goes on, the others are used up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import libcst as cst

from flake8_nnx_rng.codemod.envs.references import References
from flake8_nnx_rng.codemod.envs.variables import Load, key_of, way_of
from flake8_nnx_rng.codemod.keys.sites import breached
from flake8_nnx_rng.codemod.keys.threads import Weaver
from flake8_nnx_rng.codemod.refusal import RefusedError
from flake8_nnx_rng.codemod.rewrite import Rewrite
from flake8_nnx_rng.codemod.state.carry import entry_of, next_states_of
from flake8_nnx_rng.codemod.text.bindings import bindings, loads
from flake8_nnx_rng.codemod.text.blocks import opening_of
from flake8_nnx_rng.codemod.text.imports import add_imports, name_of_jax
from flake8_nnx_rng.codemod.text.names import fresh, names_in
from flake8_nnx_rng.codemod.text.sheet import Sheet
from flake8_nnx_rng.codemod.text.structure import parts_of, resolved
from flake8_nnx_rng.codemod.text.tree import AnyFunction, Tree, parameters_of
from flake8_nnx_rng.interpreter import Audit, Derived, Drew, Use, carries_keys
from flake8_nnx_rng.interpreter.taint import carried_in
from flake8_nnx_rng.knowledge import library
from flake8_nnx_rng.project import Hierarchy
from flake8_nnx_rng.rules.nnx201 import stuck_parts

CODES = ("NNX201", "NNX401", "NNX405")


@dataclass(frozen=True)
class _Variable:
    """A name of a function, or a part of its state, that holds a key.

    Attributes:
        function: The function.
        text: The name, or the expression of the part.
        since: Where the name was bound last; 0 for a parameter.
    """

    function: AnyFunction
    text: str
    since: int = 0


@dataclass(frozen=True)
class _UseOf:
    """A use of a variable; one that stays may keep the name, as what goes on is made there."""

    node: cst.BaseExpression
    how: Use
    stays: bool


def rewrite_reuse(audit: Audit, tree: Tree, hierarchy: Hierarchy) -> Rewrite | None:
    """The file with the keys of a class used once each; None if they are.

    Raises:
        RefusedError: It is not certain which key is used twice.
    """
    if not breached(audit, CODES):
        return None
    if not carries_keys(audit):
        raise RefusedError("its first state is not seen to have keys")
    entry = entry_of(audit.cls)
    references = References(tree, hierarchy)
    weaver = Weaver(tree, references, frozenset({entry}))
    found = _reused(audit, references)
    sheet = Sheet(tree.text)
    jax = name_of_jax(tree)
    if _return_unused(audit, tree, sheet):
        return Rewrite(sheet.result)
    if not found:
        raise RefusedError("it is not certain which key is used again")
    taken: dict[AnyFunction, set[str]] = {}
    for variable, uses in found.items():
        names = taken.setdefault(variable.function, set(names_in(variable.function)))
        _split_first(variable, uses, weaver, sheet, jax, names)
    add_imports(tree, sheet)
    return Rewrite(sheet.result)


def _return_unused(audit: Audit, tree: Tree, sheet: Sheet) -> bool:
    """Returns what was made of a key and nothing uses, where the key itself is returned."""
    if not breached(audit, ("NNX201",)):
        return False
    entry, changed = entry_of(audit.cls), False
    for node in next_states_of(entry, tree):
        for _, leaf in parts_of(resolved(node, entry, tree)):
            for assign in tree.own(entry, cst.Assign):
                name = _unused_name(assign, entry, tree)
                given = assign.value.args if isinstance(assign.value, cst.Call) else ()
                if name and any(tree.code(arg.value) == tree.code(leaf) for arg in given):
                    sheet.replace(*tree.span(leaf), name)
                    changed = True
    return changed


def _unused_name(assign: cst.Assign, function: AnyFunction, tree: Tree) -> str | None:
    """The first name that a statement binds to a part of something, if nothing reads it."""
    target = assign.targets[0].target
    if not isinstance(target, (cst.Tuple, cst.List)):
        return None
    for element in target.elements:
        if isinstance(element.value, cst.Name):
            name = element.value.value
            if not any(loads(function, name, tree)) and name != "_":
                return name
    return None


def _reused(audit: Audit, references: References) -> dict[_Variable, list[_UseOf]]:
    """The variables whose key is used more than once, or used and returned."""
    tree, entry = references.tree, entry_of(audit.cls)
    stuck = stuck_parts(audit)
    uses: dict[_Variable, dict[cst.BaseExpression, _UseOf]] = {}
    returned: dict[_Variable, dict[cst.BaseExpression, _UseOf]] = {}
    for event, key in _keys(audit, tree):
        how = event.use if isinstance(event, Derived) else Use.DRAWN
        way = list(way_of(key, references))
        for load in way:
            used = _UseOf(load.node, how, how is Use.SPLIT)
            uses.setdefault(_variable(load, tree), {}).setdefault(load.node, used)
        if way and event.source.path in stuck and way[-1].function is entry:
            used = _UseOf(way[-1].node, how, stays=False)
            returned.setdefault(_variable(way[-1], tree), {}).setdefault(used.node, used)
    again = {
        variable: places
        for variable, places in uses.items()
        if len(places) > 1 and not _only_folds(places.values())
    }
    return {variable: list(p.values()) for variable, p in (again or returned).items()}


def _keys(audit: Audit, tree: Tree) -> Iterator[tuple[Drew | Derived, cst.BaseExpression]]:
    """What is done with carried keys in this file, and where the key is written down."""
    for event in audit.events():
        if not isinstance(event, (Drew, Derived)) or getattr(event, "layer", None) is not None:
            continue
        node = event.site.node
        if carried_in(event.source.taint) and isinstance(node, cst.Call) and tree.holds(node):
            key = key_of(node, tree)
            if key is not None:
                yield event, key


def _only_folds(uses: Iterable[_UseOf]) -> bool:
    """Whether all that is done is to fold in what tells several keys apart."""
    return all(use.how is Use.FOLDED for use in uses)


def _variable(load: Load, tree: Tree) -> _Variable:
    """The name that is read at a place, with the value that it has there."""
    text, line = tree.code(load.node), tree.statement(load.node)
    bound = [
        tree.span(node)[0]
        for node in bindings(load.function, text, tree)
        if isinstance(node, cst.Name) and tree.statement(node) is not line
    ]
    start = tree.span(load.node)[0]
    return _Variable(load.function, text, max((at for at in bound if at < start), default=0))


def _split_first(
    variable: _Variable,
    uses: Iterable[_UseOf],
    weaver: Weaver,
    sheet: Sheet,
    jax: str,
    taken: set[str],
) -> None:
    """Splits the key where it gets its name, and leaves the name to the half that goes on."""
    tree, function, text = weaver.tree, variable.function, variable.text
    if isinstance(function, cst.Lambda):
        raise RefusedError("a lambda uses a key twice")
    ordered = list(uses)
    kept = [use for use in ordered if use.stays][-1:]
    names: list[str] = []
    for use in ordered:
        if use not in kept:
            name = fresh("use", taken)
            taken.add(name)
            names.append(name)
            sheet.replace(*tree.span(use.node), name)
    going_on = text
    if not text.isidentifier():
        going_on = fresh("key", taken)
        taken.add(going_on)
        _rename(function, text, going_on, [use.node for use in ordered], tree, sheet)
    count = len(names) + 1
    number = "" if count == 2 else f", {count}"
    split = f"{jax}.random.split({{}}{number})"
    is_row = weaver.is_row(next(iter(ordered)).node)
    if is_row:
        made = split.format(text)
    else:
        made = f"{jax}.vmap(lambda k: tuple({split.format('k')}))({text})"
    line = f"{', '.join([going_on, *names])} = {made}"
    at, indentation = _place(variable, ordered, tree, sheet)
    sheet.insert(at, f"{indentation}{line}\n")


def _place(
    variable: _Variable, uses: Iterable[_UseOf], tree: Tree, sheet: Sheet
) -> tuple[int, str]:
    """Behind the binding that the uses see; at the top of the function if it is a parameter's."""
    function, name = variable.function, variable.text
    assert isinstance(function, cst.FunctionDef)
    used = [tree.span(use.node)[0] for use in uses]
    names = [node for node in bindings(function, name, tree) if isinstance(node, cst.Name)]
    before = [node for node in names if tree.span(node)[0] < min(used)]
    last_line = tree.span(tree.statement(_last(uses, tree)))[0]
    if any(min(used) < tree.span(node)[0] < last_line for node in names):
        raise RefusedError(f"`{name}` is bound again between its uses")
    if not before:
        opening = opening_of(function, tree, sheet)
        return opening.at, opening.indentation
    line = tree.statement(before[-1])
    is_sure = isinstance(line, cst.SimpleStatementLine) and tree.parent(line) is function.body
    if not is_sure:
        raise RefusedError(f"`{name}` is bound in a block")
    start, end = tree.span(line)
    return tree.line_end(end), tree.indentation(start)


def _last(uses: Iterable[_UseOf], tree: Tree) -> cst.CSTNode:
    return max((use.node for use in uses), key=lambda node: tree.span(node)[0])


def _rename(
    function: cst.FunctionDef,
    text: str,
    name: str,
    done: list[cst.BaseExpression],
    tree: Tree,
    sheet: Sheet,
) -> None:
    """Calls a part of the state by its new name wherever else the function reads it."""
    state, _, part = text.partition("[")
    if state not in {p.name.value for p in parameters_of(function)} or not part:
        raise RefusedError(f"`{text}` is used twice, and has no name")
    for node in tree.own(function, cst.Subscript):
        if node not in done and tree.code(node) == text:
            sheet.replace(*tree.span(node), name)
    for call in tree.own(function, cst.Call):
        for index, arg in enumerate(call.args):
            named = arg.keyword.value if arg.keyword is not None else ("", "next_state")[not index]
            is_state = isinstance(arg.value, cst.Name) and arg.value.value == state
            if named == "next_state" and is_state and _is_output(call, tree):
                key = part.rstrip("]")
                if not key.startswith(("'", '"')):
                    raise RefusedError("a state that is no dict is returned as it came")
                sheet.replace(*tree.span(arg.value), f"{{**{state}, {key}: {name}}}")


def _is_output(call: cst.Call, tree: Tree) -> bool:
    return tree.canonical(call.func) == library.OUTPUT
