"""Carries of zeros, for which recurrent cells need no stream."""

from __future__ import annotations

import libcst as cst

from flake8_nnx_rng.codemod.envs.references import is_own
from flake8_nnx_rng.codemod.keys.recurrent import arguments_of
from flake8_nnx_rng.codemod.keys.sites import breached, is_carry
from flake8_nnx_rng.codemod.rewrite import Rewrite
from flake8_nnx_rng.codemod.text.imports import name_of_nnx
from flake8_nnx_rng.codemod.text.sheet import Sheet
from flake8_nnx_rng.codemod.text.tree import Tree
from flake8_nnx_rng.interpreter import Audit
from flake8_nnx_rng.knowledge.layers import (
    CARRY_INITIALIZER,
    CELLS,
    KEY_ARGUMENT,
)
from flake8_nnx_rng.project import ClassInfo, Hierarchy

CODES = ("NNX101", "NNX402")


def rewrite_cells(audit: Audit, tree: Tree, hierarchy: Hierarchy) -> Rewrite | None:
    """The file in which carries of zeros are asked for with no stream; None if there are none."""
    sheet = Sheet(tree.text)
    for node in breached(audit, CODES):
        if not isinstance(node, cst.Call) or not tree.holds(node) or not is_carry(node):
            continue
        given = arguments_of(node)
        if KEY_ARGUMENT in given and _yields_zeros(node, given, audit, tree, hierarchy):
            rngs = given[KEY_ARGUMENT]
            sheet.replace(*tree.span(rngs), f"{name_of_nnx(node, tree)}.Rngs(0)")
    return Rewrite(sheet.result) if sheet.edits else None


def _yields_zeros(
    call: cst.Call,
    given: dict[str, cst.BaseExpression],
    audit: Audit,
    tree: Tree,
    hierarchy: Hierarchy,
) -> bool:
    """Whether the cell was built to start with zeros, whatever numbers there are."""
    assert isinstance(call.func, cst.Attribute)
    cell = call.func.value
    if CARRY_INITIALIZER in given or not is_own(cell):
        return False
    text = tree.code(cell)
    built = [
        assign.value
        for cls in hierarchy.mro(audit.cls)
        if isinstance(cls, ClassInfo) and tree.holds(cls.node)
        for assign in tree.walk(cls.node, cst.Assign)
        if any(tree.code(target.target) == text for target in assign.targets)
    ]
    return bool(built) and all(_starts_with_zeros(value, tree) for value in built)


def _starts_with_zeros(value: cst.BaseExpression, tree: Tree) -> bool:
    if not isinstance(value, cst.Call) or tree.canonical(value.func) not in CELLS:
        return False
    named = {arg.keyword.value for arg in value.args if arg.keyword is not None}
    return not any(arg.star for arg in value.args) and CARRY_INITIALIZER not in named
