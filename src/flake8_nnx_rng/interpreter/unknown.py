"""Calls of code that cannot be seen."""

from __future__ import annotations

import libcst as cst

from flake8_nnx_rng.interpreter.engine import Interpreter
from flake8_nnx_rng.interpreter.events import Escaped
from flake8_nnx_rng.interpreter.values import (
    Arguments,
    Function,
    Key,
    Method,
    Opaque,
    Partial,
    Stream,
    Value,
    blur,
    options,
    taint_of,
)

FUNCTIONS = (Function, Method, Partial)


def unknown_call(
    it: Interpreter, name: str, callee: Value, arguments: Arguments, node: cst.CSTNode
) -> Opaque:
    """A call whose result depends on all that it is given, in an unknown way."""
    for value in arguments.values():
        for option in options(value):
            if isinstance(option, Stream) or (isinstance(option, Key) and taint_of(option)):
                it.emit(Escaped(it.site(node), option, name))
    results = call_functions_in(it, arguments, node)
    return blur(callee, *arguments.values(), *results)


def call_functions_in(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> list[Value]:
    """Calls every function among the arguments, as `tree.map(f, x)` would; their results.

    Each is called with the other arguments blurred into one, for as many as it takes.
    """
    given = [option for value in arguments.values() for option in options(value)]
    data = blur(*(value for value in given if not isinstance(value, FUNCTIONS)))
    called = Arguments(rest=data)
    return [it.call(value, called, node) for value in given if isinstance(value, FUNCTIONS)]
