"""Keys at the start of an episode: one for each env, and the one that it had before."""

from __future__ import annotations

import libcst as cst

from flake8_nnx_rng.codemod.keys.sites import breached
from flake8_nnx_rng.codemod.keys.statements import dead_names, is_inside, remove_line
from flake8_nnx_rng.codemod.refusal import RefusedError
from flake8_nnx_rng.codemod.rewrite import Rewrite
from flake8_nnx_rng.codemod.text.bindings import loads
from flake8_nnx_rng.codemod.text.imports import add_imports, name_of_jax
from flake8_nnx_rng.codemod.text.sheet import Sheet
from flake8_nnx_rng.codemod.text.structure import parts_of, quote_of, resolved, within
from flake8_nnx_rng.codemod.text.tree import Tree, parameters_of
from flake8_nnx_rng.interpreter import Audit, Constructed, Drew
from flake8_nnx_rng.interpreter.values import Stream
from flake8_nnx_rng.knowledge import library
from flake8_nnx_rng.knowledge.functions import MAPS
from flake8_nnx_rng.project import ClassInfo, Hierarchy
from flake8_nnx_rng.rules.carry import key_parts

_REPEATING = "broadcast_to stack tile repeat asarray array expand_dims full concatenate"
_WRAPPERS = frozenset(f"jax.numpy.{name}" for name in _REPEATING.split())
SEEDED, RESET = ("NNX202",), ("NNX204", "NNX207", "NNX402")


def rewrite_start(audit: Audit, tree: Tree, hierarchy: Hierarchy) -> Rewrite | None:
    """The file in which `initialize_state` makes a key for each env; None if it does.

    Raises:
        RefusedError: It is not certain where the keys are made.
    """
    if not breached(audit, SEEDED):
        return None
    method = _method(audit.cls, library.INITIALIZE)
    size = parameters_of(method)[1].name.value
    sheet = Sheet(tree.text)
    jax = name_of_jax(tree)
    changed = False
    for event in audit.initial:
        node = event.site.node
        is_made = isinstance(event, Constructed) or (
            isinstance(event, Drew) and isinstance(event.source, Stream)
        )
        if not is_made or not isinstance(node, cst.BaseExpression) or not tree.holds(node):
            continue
        if tree.function(node) is not method:
            raise RefusedError("its first keys are made by another method")
        for place in _places(node, method, tree):
            whole = _climbed(place, tree)
            if _is_split(whole, tree):
                continue
            key = _single(place, tree)
            sheet.replace(*tree.span(whole), f"{jax}.random.split({key}, {size})")
            changed = True
    if not changed:
        raise RefusedError("it is not certain where its first keys are made")
    add_imports(tree, sheet)
    return Rewrite(sheet.result)


def rewrite_reset(audit: Audit, tree: Tree, hierarchy: Hierarchy) -> Rewrite | None:
    """The file in which `reset_state` passes keys through; None if it does.

    Raises:
        RefusedError: It is not certain what of the state are keys.
    """
    bad = breached(audit, RESET)
    if not bad:
        return None
    method = _method(audit.cls, library.RESET)
    previous = parameters_of(method)[1].name.value
    keys, quote = key_parts(audit), quote_of(tree.code(audit.cls.node))
    sheet = Sheet(tree.text)
    gone: list[tuple[int, int]] = []
    for returned in tree.own(method, cst.Return):
        if returned.value is None:
            raise RefusedError("a reset returns nothing")
        value = resolved(returned.value, method, tree)
        leaves = list(parts_of(value))
        for part in keys:
            text = within(previous, part, quote)
            found = [leaf for path, leaf in leaves if path == part]
            for leaf in found:
                sheet.replace(*tree.span(leaf), text)
                gone.append(tree.span(leaf))
            if found:
                continue
            is_whole = any(leaf is value for _, leaf in leaves)
            if is_whole and part.count("[") == 1 and "['" in part:
                whole = tree.code(value)
                key = part[part.index("[") + 1 : -1].replace("'", quote)
                sheet.replace(*tree.span(value), f"{{**{whole}, {key}: {text}}}")
            else:
                raise RefusedError("it is not certain what of the state after a reset are keys")
    for line in dead_names([method], gone, tree):
        remove_line(line, tree, sheet)
    for node in bad:
        is_own = isinstance(node, cst.Call) and tree.holds(node) and tree.function(node) is method
        if is_own and not is_inside(tree.span(node), gone):
            raise RefusedError("a reset draws from keys for more than the keys that it returns")
    return Rewrite(sheet.result)


def _method(cls: ClassInfo, name: str) -> cst.FunctionDef:
    method = cls.method(name)
    if method is None or len(parameters_of(method)) < 2:
        raise RefusedError(f"its {name} is that of a base class")
    return method


def _places(
    node: cst.BaseExpression, method: cst.FunctionDef, tree: Tree
) -> list[cst.BaseExpression]:
    """Where a key is used: where it is made, or where its name is read."""
    parent = tree.parent(node)
    if isinstance(parent, cst.Assign) and isinstance(parent.targets[0].target, cst.Name):
        return list(loads(method, parent.targets[0].target.value, tree))
    return [node]


def _climbed(node: cst.BaseExpression, tree: Tree) -> cst.BaseExpression:
    """The whole expression that only repeats a key."""
    while True:
        parent = tree.parent(node)
        match parent:
            case cst.Arg():
                call = tree.parent(parent)
                assert isinstance(call, (cst.Call, cst.ClassDef))
                is_wrapper = isinstance(call, cst.Call) and tree.canonical(call.func) in _WRAPPERS
                if not is_wrapper:
                    return node
                node = call  # type: ignore[assignment]
            case cst.Subscript(value) if value is node:
                node = parent
            case cst.Element():
                outer = tree.parent(parent)
                if not isinstance(outer, cst.List):
                    return node
                node = outer
            case cst.BinaryOperation(operator=cst.Multiply()):
                node = parent
            case cst.ListComp(elt=elt) if elt is node:
                node = parent
            case _:
                return node


def _single(node: cst.BaseExpression, tree: Tree) -> str:
    """The expression of a key; where many are made of numbers, that of the first."""
    match node:
        case cst.Call(cst.Call(func, [cst.Arg(made)])) if tree.canonical(func) in MAPS:
            return f"{tree.code(made)}(0)"
        case _:
            return tree.code(node)


def _is_split(node: cst.BaseExpression, tree: Tree) -> bool:
    parent = tree.parent(node)
    call = tree.parent(parent) if isinstance(parent, cst.Arg) else None
    return isinstance(call, cst.Call) and tree.canonical(call.func).startswith("jax.random.")
