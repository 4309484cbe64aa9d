"""Layers that a forward pass builds anew at every step, built once in the constructor."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from flake8_nnx_rng.codemod.envs.references import References, is_own
from flake8_nnx_rng.codemod.keys.sites import breached
from flake8_nnx_rng.codemod.rewrite import Rewrite
from flake8_nnx_rng.codemod.text.bindings import bindings
from flake8_nnx_rng.codemod.text.names import fresh, names_in
from flake8_nnx_rng.codemod.text.sheet import Sheet
from flake8_nnx_rng.codemod.text.tree import Tree
from flake8_nnx_rng.interpreter import Audit
from flake8_nnx_rng.interpreter.functions import ENTRY
from flake8_nnx_rng.project import ClassInfo, Hierarchy

CODE = "NNX101"
_LIBRARY = "flax."
_CONSTRUCTOR = "__init__"
_REPEATING = (cst.For, cst.While, cst.CompFor, cst.BaseComp)


def rewrite_built(audit: Audit, tree: Tree, hierarchy: Hierarchy) -> Rewrite | None:
    """The file with such layers built in the constructor; None if none is certain to fit there."""
    sheet, notes = Sheet(tree.text), dict[str, None]()
    references = References(tree, hierarchy)
    for node in breached(audit, (CODE,)):
        if not isinstance(node, cst.Call) or not tree.holds(node) or not _is_layer(node, tree):
            continue
        around = tree.around(node, cst.ClassDef)
        cls = None if around is None else tree.class_of(around)
        if cls is None or cls not in hierarchy.mro(audit.cls) or not _runs_once(node, references):
            continue
        constructor = cls.method(_CONSTRUCTOR)
        if constructor is None or not _fits(node, constructor, tree):
            continue
        name = _attribute(node, cls, tree)
        text = " ".join(tree.code(node).split())
        sheet.replace(*tree.span(node), f"self.{name}")
        _append(constructor, f"self.{name} = {text}", tree, sheet)
        notes[f"`self.{name}` is built once, and trains"] = None
    return Rewrite(sheet.result, tuple(notes)) if sheet.edits else None


def _is_layer(call: cst.Call, tree: Tree) -> bool:
    name = tree.canonical(call.func)
    return name.startswith(_LIBRARY) and name.rpartition(".")[2][:1].isupper()


def _runs_once(node: cst.Call, references: References) -> bool:
    """Whether a step builds one layer there, and not several."""
    tree = references.tree
    function = tree.function(node)
    if not isinstance(function, cst.FunctionDef) or tree.function(function) is not None:
        return False
    if any(isinstance(above, _REPEATING) for above in tree.above(node)):
        return False
    if function.name.value == ENTRY:
        return True
    places = references.of(function)
    return len(places) == 1 and not any(
        isinstance(above, _REPEATING) for above in tree.above(places[0].node)
    )


def _fits(call: cst.Call, constructor: cst.FunctionDef, tree: Tree) -> bool:
    """Whether the constructor's end knows all that a layer is built of."""
    function = tree.function(call)
    assert isinstance(function, cst.FunctionDef)
    is_block = isinstance(constructor.body, cst.IndentedBlock)
    if not is_block or any(True for _ in tree.own(constructor, cst.Return)):
        return False
    local = {name for name in names_in(call) if any(True for _ in bindings(function, name, tree))}
    local |= {
        name for name in names_in(call) if any(True for _ in bindings(constructor, name, tree))
    }
    if local - {"self"}:
        return False
    kept = set(_kept(constructor, tree))
    own = [node for node in tree.walk(call, cst.Attribute) if is_own(node)]
    called = [one for one in tree.walk(call, cst.Call) if one is not call]
    return (
        not called and len(own) == _mentions(call, tree) and all(a.attr.value in kept for a in own)
    )


def _mentions(call: cst.Call, tree: Tree) -> int:
    return sum(name.value == "self" for name in tree.walk(call, cst.Name))


def _kept(constructor: cst.FunctionDef, tree: Tree) -> Iterator[str]:
    """The attributes that a constructor assigns in any case."""
    for assign in tree.own(constructor, cst.Assign):
        is_sure = tree.parent(tree.statement(assign)) is constructor.body
        for target in assign.targets if is_sure else ():
            if isinstance(target.target, cst.Attribute) and is_own(target.target):
                yield target.target.attr.value


def _attribute(call: cst.Call, cls: ClassInfo, tree: Tree) -> str:
    """A name for a layer that no attribute of the file has."""
    last = tree.canonical(call.func).rpartition(".")[2]
    hint = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", last).lower()
    taken = {node.attr.value for node in tree.every(cst.Attribute)}
    taken |= {node.name.value for node in tree.walk(cls.node, cst.FunctionDef)}
    return fresh(hint, taken)


def _append(constructor: cst.FunctionDef, line: str, tree: Tree, sheet: Sheet) -> None:
    """Adds a line to the end of a constructor."""
    assert isinstance(constructor.body, cst.IndentedBlock)
    body = constructor.body.body
    indentation = tree.indentation(tree.span(body[0])[0])
    at = tree.lines(body[-1])[1]
    sheet.insert(at, f"{indentation}{line}\n")
