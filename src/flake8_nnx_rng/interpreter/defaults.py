"""Keys and streams that are defaults of parameters: made once, shared by all calls."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from flake8_nnx_rng.interpreter import names
from flake8_nnx_rng.interpreter.engine import BudgetError, Interpreter
from flake8_nnx_rng.interpreter.events import Defaulted, Site
from flake8_nnx_rng.interpreter.values import Key, Stream
from flake8_nnx_rng.project import ClassInfo, FunctionSymbol


def shared_defaults(it: Interpreter, cls: ClassInfo) -> tuple[Defaulted, ...]:
    """The keys and streams that are defaults, if they can be told within the budget of a pass."""
    it.steps = 0
    try:
        return tuple(_defaults(it, cls))
    except BudgetError:
        return ()


def _defaults(it: Interpreter, cls: ClassInfo) -> Iterator[Defaulted]:
    """The keys and streams that the methods of a class have as defaults."""
    for ancestor in it.hierarchy.mro(cls):
        if isinstance(ancestor, ClassInfo):
            for symbol in (one for each in ancestor.scope.bindings.values() for one in each):
                if isinstance(symbol, FunctionSymbol):
                    yield from _defaults_of(it, symbol.node, ancestor)


def _defaults_of(it: Interpreter, node: cst.FunctionDef, owner: ClassInfo) -> Iterator[Defaulted]:
    parameters = node.params
    for parameter in (*parameters.posonly_params, *parameters.params, *parameters.kwonly_params):
        if isinstance(parameter.default, (cst.Call, cst.Name, cst.Attribute)):
            value = names.in_scope(it, parameter.default, owner.scope)
            if isinstance(value, (Key, Stream)):
                trail = (f"{owner.name}.{node.name.value}",)
                site = Site(parameter.default, owner.scope.file, trail)
                yield Defaulted(site, parameter.name.value, value)
