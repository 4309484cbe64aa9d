"""Where a file says of which implementation its keys are: arguments, configuration, environment."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from flake8_nnx_rng.interpreter.events import Site
from flake8_nnx_rng.knowledge import keys, library
from flake8_nnx_rng.project import (
    ExpressionSymbol,
    ExternalSymbol,
    ParameterSymbol,
    Scope,
    SourceFile,
    dotted_names,
    lookup,
)

_MAX_ALIASES = 8


@dataclass(frozen=True, slots=True)
class Chosen:
    """A place that chooses the implementation of keys."""

    site: Site
    implementation: str


def chosen_implementations(file: SourceFile) -> Iterator[Chosen]:
    """Every choice in a file whose value can be read."""
    for node, scope in _nodes(file.module, file.scope):
        for value in _choice(node, scope):
            for name in _literals(value, scope, _MAX_ALIASES):
                yield Chosen(Site(value, file, ()), name)


def _nodes(node: cst.CSTNode, scope: Scope) -> Iterator[tuple[cst.CSTNode, Scope]]:
    pending = [(node, scope)]
    while pending:
        current, around = pending.pop()
        yield current, around
        if isinstance(current, cst.FunctionDef):
            around = around.file.scope_of(current)
        elif isinstance(current, cst.ClassDef):
            around = around.file.class_of(current).scope
        pending.extend((child, around) for child in current.children)


def _choice(node: cst.CSTNode, scope: Scope) -> Iterator[cst.BaseExpression]:
    """The expression that names the implementation, if a node chooses one."""
    match node:
        case cst.Call():
            yield from _argument(node, scope)
        case cst.Assign(targets=[cst.AssignTarget(cst.Attribute(attr=cst.Name(name)))]):
            if name == keys.DEFAULT_IMPLEMENTATION:
                yield node.value
        case cst.Assign(targets=[cst.AssignTarget(cst.Subscript(slice=[element]))]):
            if _is_setting(element.slice):
                yield node.value


def _argument(call: cst.Call, scope: Scope) -> Iterator[cst.BaseExpression]:
    names = {
        library.canonical(symbol.name)
        for symbol, _ in dotted_names(call.func, scope)
        if isinstance(symbol, ExternalSymbol)
    }
    given = call.args
    for argument in given:
        keyword = argument.keyword
        is_drawing = any(name.startswith(keys.PREFIX) for name in names)
        if keyword is not None and keyword.value == keys.IMPLEMENTATION_PARAMETER and is_drawing:
            yield argument.value
    if keys.IMPLEMENTATION_CONTEXT in names and given:
        yield given[0].value
    if len(given) == 2 and _is_setting(given[0].value):  # config.update, environ.setdefault
        yield given[1].value


def _is_setting(node: cst.CSTNode) -> bool:
    """Whether an expression is the name of the setting, or of its environment variable."""
    expression = node.value if isinstance(node, cst.Index) else node
    if not isinstance(expression, cst.SimpleString):
        return False
    return str(expression.evaluated_value).lower() == keys.DEFAULT_IMPLEMENTATION


def _literals(node: cst.BaseExpression, scope: Scope, depth: int) -> Iterator[str]:
    """The strings that an expression may be, aliases and defaults followed."""
    match node:
        case cst.SimpleString():
            yield str(node.evaluated_value)
        case cst.IfExp():
            yield from _literals(node.body, scope, depth)
            yield from _literals(node.orelse, scope, depth)
        case cst.Name(name) if depth and (found := lookup(name, scope)) is not None:
            symbols, home = found
            for symbol in symbols:
                if isinstance(symbol, ExpressionSymbol):
                    yield from _literals(symbol.node, home, depth - 1)
                elif isinstance(symbol, ParameterSymbol) and symbol.node.default is not None:
                    yield from _literals(symbol.node.default, home, depth - 1)
