"""Which names a module, a function or a class body binds, and to what.

Only statements are walked; expressions are left to the interpreter. A later binding replaces
an earlier one in the same block, and the arms of a branch are alternatives.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import libcst as cst
from libcst.helpers import get_full_name_for_node

from flake8_nnx_rng.project.symbols import (
    AnnotatedSymbol,
    ClassSymbol,
    ExpressionSymbol,
    ExternalSymbol,
    FunctionSymbol,
    Symbol,
    UnknownSymbol,
)
from flake8_nnx_rng.source import STAR, joined

if TYPE_CHECKING:
    from flake8_nnx_rng.project.file import SourceFile

Bindings = dict[str, tuple[Symbol, ...]]
AnyStatement = cst.BaseStatement | cst.BaseSmallStatement


@dataclass(eq=False)
class Scope:
    """A region of names.

    Attributes:
        file: The file that it is part of.
        node: The module, function or class.
        parent: The enclosing scope.
        bindings: For each name the alternatives that it may stand for.
    """

    file: SourceFile = field(repr=False)
    node: cst.CSTNode = field(repr=False)
    parent: Scope | None = field(repr=False)
    bindings: Bindings

    @property
    def is_class(self) -> bool:
        """Whether this is a class body, whose names methods do not see."""
        return isinstance(self.node, cst.ClassDef)


def collect_bindings(body: Iterable[AnyStatement]) -> Bindings:
    """The names that a block of statements binds."""
    bindings: Bindings = {}
    for statement in body:
        bound = _bound_by(statement)
        for name, symbols in bound.items():
            earlier = bindings.get(name, ()) if _may_keep_earlier(statement, name) else ()
            bindings[name] = symbols + tuple(s for s in earlier if s not in symbols)
    return bindings


def _may_keep_earlier(statement: AnyStatement, name: str) -> bool:
    """Whether what a name stood for before a statement may still matter after it.

    It does after a branch that may not be taken, for a second star import, and for a class that
    takes its base's name.
    """
    if isinstance(statement, cst.FunctionDef):
        return False
    if isinstance(statement, cst.ClassDef):
        bases = (get_full_name_for_node(argument.value) for argument in statement.bases)
        return name in bases
    return isinstance(statement, cst.BaseCompoundStatement) or name == STAR


def imported_names(node: cst.Import | cst.ImportFrom) -> Bindings:
    """The names that an import binds; relative imports keep their leading dots."""
    if isinstance(node, cst.Import):
        return dict(_plain_import(alias) for alias in node.names)
    module = "." * len(node.relative) + (_full_name(node.module) if node.module else "")
    if isinstance(node.names, cst.ImportStar):
        return {STAR: (ExternalSymbol(module),)}
    return {
        alias.evaluated_alias or alias.evaluated_name: (
            ExternalSymbol(joined(module, alias.evaluated_name)),
        )
        for alias in node.names
    }


def blocks_of(statement: cst.BaseCompoundStatement) -> list[Sequence[AnyStatement]]:
    """The nested blocks of a compound statement, functions and classes excepted."""
    if isinstance(statement, cst.Match):
        return [case.body.body for case in statement.cases]
    blocks: list[Sequence[AnyStatement]] = [statement.body.body]
    if isinstance(statement, (cst.Try, cst.TryStar)):
        blocks.extend(handler.body.body for handler in statement.handlers)
        if statement.finalbody:
            blocks.append(statement.finalbody.body.body)
    orelse = getattr(statement, "orelse", None)
    if isinstance(orelse, cst.If):
        blocks.append([orelse])
    elif isinstance(orelse, cst.Else):
        blocks.append(orelse.body.body)
    return blocks


def _bound_by(statement: AnyStatement) -> Bindings:
    if isinstance(statement, cst.SimpleStatementLine):
        return collect_bindings(statement.body)
    if isinstance(statement, cst.FunctionDef):
        if _is_property_setter(statement):
            return {}
        return {statement.name.value: (FunctionSymbol(statement),)}
    if isinstance(statement, cst.ClassDef):
        return {statement.name.value: (ClassSymbol(statement),)}
    if isinstance(statement, (cst.Import, cst.ImportFrom)):
        return imported_names(statement)
    if isinstance(statement, cst.Assign):
        return _assigned([target.target for target in statement.targets], statement.value)
    if isinstance(statement, cst.AnnAssign):
        if statement.value is not None:
            return _assigned([statement.target], statement.value)
        if isinstance(statement.target, cst.Name):
            declared = AnnotatedSymbol(statement.annotation.annotation)
            return {statement.target.value: (declared,)}
        return {}
    if isinstance(statement, cst.BaseSmallStatement):
        return {}
    assert isinstance(statement, cst.BaseCompoundStatement)
    return _merge(
        [_targets_of(statement)] + [collect_bindings(block) for block in blocks_of(statement)]
    )


def _assigned(targets: Sequence[cst.BaseExpression], value: cst.BaseExpression) -> Bindings:
    bindings: Bindings = {}
    for target in targets:
        if isinstance(target, cst.Name):
            bindings[target.value] = (ExpressionSymbol(value),)
        else:
            bindings.update(_unknown_targets(target))
    return bindings


def _targets_of(statement: cst.BaseStatement) -> Bindings:
    if isinstance(statement, cst.For):
        return _unknown_targets(statement.target)
    if isinstance(statement, cst.With):
        return _merge([_unknown_targets(i.asname.name) for i in statement.items if i.asname])
    return {}


def _unknown_targets(target: cst.BaseExpression) -> Bindings:
    if isinstance(target, cst.Name):
        return {target.value: (UnknownSymbol(),)}
    if isinstance(target, (cst.Tuple, cst.List)):
        return _merge([_unknown_targets(element.value) for element in target.elements])
    return {}


def _merge(alternatives: list[Bindings]) -> Bindings:
    merged: Bindings = {}
    for bindings in alternatives:
        for name, symbols in bindings.items():
            known = merged.get(name, ())
            merged[name] = known + tuple(s for s in symbols if s not in known)
    return merged


def _plain_import(alias: cst.ImportAlias) -> tuple[str, tuple[Symbol, ...]]:
    name = alias.evaluated_name
    if alias.evaluated_alias:
        return alias.evaluated_alias, (ExternalSymbol(name),)
    top = name.partition(".")[0]
    return top, (ExternalSymbol(top),)


def _is_property_setter(function: cst.FunctionDef) -> bool:
    return any(
        isinstance(d.decorator, cst.Attribute) and d.decorator.attr.value in ("setter", "deleter")
        for d in function.decorators
    )


def _full_name(node: cst.BaseExpression) -> str:
    return get_full_name_for_node(node) or ""
