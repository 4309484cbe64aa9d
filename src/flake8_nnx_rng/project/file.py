"""One parsed file: its scopes and its classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import libcst as cst

from flake8_nnx_rng.project.classes import ClassInfo
from flake8_nnx_rng.project.scopes import AnyStatement, Scope, blocks_of, collect_bindings
from flake8_nnx_rng.project.symbols import ParameterSymbol
from flake8_nnx_rng.source import Definition, Document, Found, Outside, Place, Positions

if TYPE_CHECKING:
    from flake8_nnx_rng.project.project import Project


@dataclass(eq=False)
class SourceFile:
    """A document with its concrete tree and everything that it defines.

    Attributes:
        document: Where it came from.
        module: Its concrete tree.
        project: Finds what it imports; None for a file that stands alone.
        positions: Spans of its nodes, on demand.
        scope: The module's names.
        classes: Every class, nested ones included, in source order.
    """

    document: Document
    module: cst.Module = field(repr=False)
    project: Project | None = field(default=None, repr=False)
    positions: Positions = field(init=False, repr=False)
    scope: Scope = field(init=False, repr=False)
    classes: list[ClassInfo] = field(init=False, default_factory=list, repr=False)
    _by_node: dict[cst.ClassDef, ClassInfo] = field(init=False, default_factory=dict, repr=False)
    _scopes: dict[cst.CSTNode, Scope] = field(init=False, default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self.positions = Positions(self.module, self.document.text)
        self.scope = Scope(self, self.module, None, collect_bindings(self.module.body))
        self._index(self.module.body, self.scope, "")

    @classmethod
    def parse(cls, document: Document) -> SourceFile:
        """Parses a document.

        Raises:
            SourceError: The text cannot be parsed.
        """
        return cls(document, document.concrete_tree())

    def find(self, name: str) -> tuple[Found, ...]:
        """The alternatives that the full name of an import stands for here."""
        return (Outside(name),) if self.project is None else self.project.find(name, self)

    def below(self, module: str, place: Place, name: str) -> tuple[Found, ...]:
        """The alternatives that an attribute of a module of the project stands for."""
        assert self.project is not None  # which found the module
        return self.project.below(module, place, name)

    def starred(self, names: Sequence[str]) -> list[str]:
        """Those of the full names that the star imports of this file offer."""
        return list(names) if self.project is None else self.project.starred(names, self)

    def home_of(self, definition: Definition) -> Scope:
        """The scope of the module that defines something that was found."""
        file = None if self.project is None else self.project.file(definition.file)
        assert file is not None  # what cannot be read is not found
        return file.scope

    def class_of(self, node: cst.ClassDef) -> ClassInfo:
        """The class that a definition in this file makes."""
        return self._by_node[node]

    def scope_of(self, function: cst.FunctionDef) -> Scope:
        """The scope of a function of this file."""
        return self._scopes[function]

    def _index(self, body: Sequence[AnyStatement], scope: Scope, prefix: str) -> None:
        for statement in body:
            if isinstance(statement, cst.ClassDef):
                self._index_class(statement, scope, prefix)
            elif isinstance(statement, cst.FunctionDef):
                names = collect_bindings(statement.body.body)
                for parameter in _parameters(statement.params):
                    names.setdefault(parameter.name.value, (ParameterSymbol(parameter),))
                inner = self._scopes[statement] = Scope(self, statement, scope, names)
                self._index(statement.body.body, inner, prefix)
            elif isinstance(statement, cst.BaseCompoundStatement):
                for block in blocks_of(statement):
                    self._index(block, scope, prefix)

    def _index_class(self, node: cst.ClassDef, scope: Scope, prefix: str) -> None:
        body = Scope(self, node, scope, collect_bindings(node.body.body))
        info = ClassInfo(f"{prefix}{node.name.value}", node, body)
        self._by_node[node] = info
        self.classes.append(info)
        self._index(node.body.body, body, f"{info.name}.")


def _parameters(parameters: cst.Parameters) -> list[cst.Param]:
    every = [*parameters.posonly_params, *parameters.params, *parameters.kwonly_params]
    every.extend(
        star for star in (parameters.star_arg, parameters.star_kwarg) if isinstance(star, cst.Param)
    )
    return every
