"""What a name can stand for, and how a name finds it."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from flake8_nnx_rng.source import STAR, Definition, Found, Outside, Place, joined

if TYPE_CHECKING:
    from flake8_nnx_rng.project.scopes import Scope


@dataclass(frozen=True)
class ExternalSymbol:
    """Something imported, under its full dotted name."""

    name: str


@dataclass(frozen=True)
class ModuleSymbol:
    """A module of the project, under the name by which it was imported."""

    name: str
    place: Place


@dataclass(frozen=True)
class ClassSymbol:
    """A class defined in the file."""

    node: cst.ClassDef


@dataclass(frozen=True)
class FunctionSymbol:
    """A function defined in the file."""

    node: cst.FunctionDef


@dataclass(frozen=True)
class ExpressionSymbol:
    """A name assigned an expression."""

    node: cst.BaseExpression


@dataclass(frozen=True)
class AnnotatedSymbol:
    """A name declared with a type but no value."""

    annotation: cst.BaseExpression


@dataclass(frozen=True)
class ParameterSymbol:
    """A parameter of a function."""

    node: cst.Param


@dataclass(frozen=True)
class UnknownSymbol:
    """A name bound in a way that says nothing about its value, such as a loop variable."""


Symbol = (
    ExternalSymbol
    | ModuleSymbol
    | ClassSymbol
    | FunctionSymbol
    | ExpressionSymbol
    | AnnotatedSymbol
    | ParameterSymbol
    | UnknownSymbol
)


def lookup(name: str, scope: Scope) -> tuple[tuple[Symbol, ...], Scope] | None:
    """Finds what a name may stand for, from the inner scope outwards.

    Several symbols are alternatives (a `try`/`except ImportError` pair, the arms of an `if`).
    A class body's names are seen only from the class body itself, as in Python.

    Returns:
        The symbols and the scope that binds them, or None for an unbound name. A name that only
        a star import can bind may come from each module that is imported so.
    """
    starred: list[str] = []
    current: Scope | None = scope
    while current is not None:
        if name in current.bindings and (current is scope or not current.is_class):
            return current.bindings[name], current
        for symbol in current.bindings.get(STAR, ()):
            if isinstance(symbol, ExternalSymbol):
                starred.append(joined(symbol.name, name))
        if current.parent is None and hasattr(builtins, name):
            return (ExternalSymbol(f"builtins.{name}"),), current
        if current.parent is None and (offered := current.file.starred(starred)):
            return tuple(ExternalSymbol(full) for full in offered), current
        current = current.parent
    return None


def dotted_names(node: cst.BaseExpression, scope: Scope) -> Iterator[tuple[Symbol, Scope]]:
    """Resolves a name or dotted name to symbols, following plain aliases and imports.

    Subscripts are dropped, so `Base[T]` resolves as `Base`. Anything else is unknown.
    """
    yield from _resolve(node, scope, frozenset())


def imported(name: str, scope: Scope) -> Iterator[tuple[Symbol, Scope]]:
    """Resolves the full name of an import to symbols, those of other files included."""
    yield from _followed(ExternalSymbol(name), scope, frozenset())


Seen = frozenset[cst.CSTNode]


def _resolve(node: cst.BaseExpression, scope: Scope, seen: Seen) -> Iterator[tuple[Symbol, Scope]]:
    if node in seen:  # a cycle of aliases
        yield UnknownSymbol(), scope
        return
    seen |= {node}
    if isinstance(node, cst.Subscript):
        yield from _resolve(node.value, scope, seen)
    elif isinstance(node, cst.Attribute):
        for symbol, home in _resolve(node.value, scope, seen):
            yield from _attribute(symbol, home, node.attr.value, seen)
    elif isinstance(node, cst.Name):
        found = lookup(node.value, scope)
        if found is None:
            yield UnknownSymbol(), scope
            return
        symbols, home = found
        for symbol in symbols:
            yield from _followed(symbol, home, seen)
    else:
        yield UnknownSymbol(), scope


def _followed(symbol: Symbol, scope: Scope, seen: Seen) -> Iterator[tuple[Symbol, Scope]]:
    """What a symbol stands for in the end."""
    if isinstance(symbol, ExpressionSymbol):
        yield from _resolve(symbol.node, scope, seen)
    elif isinstance(symbol, ExternalSymbol):
        yield from _located(scope.file.find(symbol.name), symbol.name, scope, seen)
    else:
        yield symbol, scope


def _attribute(
    symbol: Symbol, scope: Scope, name: str, seen: Seen
) -> Iterator[tuple[Symbol, Scope]]:
    match symbol:
        case ExternalSymbol(full):
            yield ExternalSymbol(f"{full}.{name}"), scope
        case ModuleSymbol(full, place):
            found = scope.file.below(full, place, name)
            yield from _located(found, f"{full}.{name}", scope, seen)
        case ClassSymbol(node):
            body = scope.file.class_of(node).scope
            for inner in body.bindings.get(name, (UnknownSymbol(),)):
                yield from _followed(inner, body, seen)
        case _:
            yield UnknownSymbol(), scope


def _located(
    found: tuple[Found, ...], name: str, scope: Scope, seen: Seen
) -> Iterator[tuple[Symbol, Scope]]:
    """The symbols at the places where a full name was found."""
    for one in found:
        match one:
            case Outside(full):
                yield ExternalSymbol(full), scope
            case Place():
                yield ModuleSymbol(name, one), scope
            case Definition():
                home = scope.file.home_of(one)
                for symbol in home.bindings.get(one.name, (UnknownSymbol(),)):
                    if not isinstance(symbol, ExternalSymbol):  # found by itself
                        yield from _members(symbol, home, one.attributes, seen)


def _members(
    symbol: Symbol, scope: Scope, names: tuple[str, ...], seen: Seen
) -> Iterator[tuple[Symbol, Scope]]:
    for inner, home in _followed(symbol, scope, seen):
        if not names:
            yield inner, home
            continue
        for member, place in _attribute(inner, home, names[0], seen):
            yield from _members(member, place, names[1:], seen)
