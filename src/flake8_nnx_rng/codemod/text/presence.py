"""Whether what a constructor keeps is there later on: always, or None at times, or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

import libcst as cst

from flake8_nnx_rng.codemod.text.structure import assigning
from flake8_nnx_rng.codemod.text.tree import Tree, all_parameters
from flake8_nnx_rng.project import ClassInfo, Hierarchy

_BLOCKS = (cst.IndentedBlock, cst.SimpleStatementSuite, cst.SimpleStatementLine)


class Presence(Enum):
    """What an attribute is when a method reads it."""

    CERTAIN = auto()
    OPTIONAL = auto()  # it may be None
    DOUBTFUL = auto()  # it may not be there


def presence(attribute: str, cls: ClassInfo, tree: Tree, hierarchy: Hierarchy) -> Presence:
    """What an attribute such as `self.rngs` is, by the constructors that assign it."""
    given: list[cst.BaseExpression] = []
    is_sure = False
    for constructor in constructors(cls, tree, hierarchy):
        found = list(_assigned(constructor, attribute, tree))
        optional = {p.name.value for p in all_parameters(constructor) if _is_none(p.default)}
        given += [
            cst.Name("None") if isinstance(value, cst.Name) and value.value in optional else value
            for value in found
        ]
        run = _Run(attribute, tree)
        is_sure |= run.block(constructor.body, False) is not False and not run.is_missed
    if not given:
        return Presence.CERTAIN
    if not is_sure:
        return Presence.DOUBTFUL
    return Presence.OPTIONAL if any(map(_may_be_none, given)) else Presence.CERTAIN


def constructors(cls: ClassInfo, tree: Tree, hierarchy: Hierarchy) -> Iterator[cst.FunctionDef]:
    """The constructors of a class and of its bases, as far as they are in the files."""
    for ancestor in hierarchy.mro(cls):
        constructor = ancestor.method("__init__") if isinstance(ancestor, ClassInfo) else None
        if constructor is not None and tree.holds(constructor):
            yield constructor


def _assigned(
    constructor: cst.FunctionDef, attribute: str, tree: Tree
) -> Iterator[cst.BaseExpression]:
    yield from (assign.value for assign in assigning(attribute, constructor, tree))
    for declared in tree.own(constructor, cst.AnnAssign):
        if tree.code(declared.target) == attribute and declared.value is not None:
            yield declared.value


def _may_be_none(value: cst.BaseExpression) -> bool:
    if isinstance(value, cst.IfExp):
        return _may_be_none(value.body) or _may_be_none(value.orelse)
    return _is_none(value)


def _is_none(value: cst.BaseExpression | None) -> bool:
    return isinstance(value, cst.Name) and value.value == "None"


@dataclass(eq=False)
class _Run:
    """Follows the ways through a constructor.

    Attributes:
        attribute: What it may assign.
        tree: The file.
        is_missed: Whether it may return without.
    """

    attribute: str
    tree: Tree
    is_missed: bool = False

    def block(self, block: cst.CSTNode, is_there: bool) -> bool | None:
        """Whether the attribute is there behind a block; None if nothing gets that far."""
        ends: bool | None = is_there
        for node in block.body if isinstance(block, _BLOCKS) else ():
            if ends is None:
                break
            ends = self._statement(node, ends)
        return ends

    def _statement(self, node: cst.CSTNode, is_there: bool) -> bool | None:
        match node:
            case cst.SimpleStatementLine():
                return self.block(node, is_there)
            case cst.Return():
                self.is_missed |= not is_there
                return None
            case cst.Raise():
                return None
            case cst.If(body=body, orelse=orelse):
                ends = [self.block(body, is_there), self._other(orelse, is_there)]
                reached = [end for end in ends if end is not None]
                return all(reached) if reached else None
            case cst.With(body=body):
                return self.block(body, is_there)
            case cst.BaseCompoundStatement() if not isinstance(node, cst.FunctionDef):
                returns = any(True for _ in self.tree.walk(node, cst.Return))
                self.is_missed |= returns and not is_there
                return is_there
            case _:
                return is_there or _is_assignment(node, self.attribute, self.tree)

    def _other(self, orelse: cst.If | cst.Else | None, is_there: bool) -> bool | None:
        if isinstance(orelse, cst.Else):
            return self.block(orelse.body, is_there)
        return is_there if orelse is None else self._statement(orelse, is_there)


def _is_assignment(node: cst.CSTNode, attribute: str, tree: Tree) -> bool:
    if isinstance(node, cst.Assign):
        return any(tree.code(target.target) == attribute for target in node.targets)
    is_declared = isinstance(node, cst.AnnAssign) and node.value is not None
    return is_declared and tree.code(node.target) == attribute  # type: ignore[attr-defined]
