"""Calls of code that cannot be seen."""

from __future__ import annotations

import libcst as cst

from flake8_nnx_rng.interpreter import trees
from flake8_nnx_rng.interpreter.engine import Interpreter
from flake8_nnx_rng.interpreter.escapes import hand_over
from flake8_nnx_rng.interpreter.taint import CLEAN, own, spread_as
from flake8_nnx_rng.interpreter.values import (
    Arguments,
    External,
    Function,
    Layer,
    Method,
    Opaque,
    Partial,
    Value,
    blur,
    options,
)
from flake8_nnx_rng.knowledge import functions, host


def unknown_call(
    it: Interpreter, name: str, callee: Value, arguments: Arguments, node: cst.CSTNode
) -> Opaque:
    """A call whose result depends on all that it is given, in an unknown way.

    What it draws from keys and streams that are handed to it is as good as drawn here.
    """
    is_silent = (functions.draws_nothing(name) and not _calls_unseen(arguments)) or _keeps(node)
    mark = CLEAN if is_silent else hand_over(it, name, arguments.values(), node)
    results = call_functions_in(it, arguments, node)
    return blur(callee, *arguments.values(), *results, Opaque(mark))


def _calls_unseen(arguments: Arguments) -> bool:
    """Whether a function that cannot be seen is among the arguments, to be called with the rest."""
    given = [option for value in arguments.values() for option in options(value)]
    return any(isinstance(v, External) and not functions.draws_nothing(v.name) for v in given)


def _keeps(node: cst.CSTNode) -> bool:
    """Whether a call only keeps or shows what it is given: `xs.append(x)`, `a.at[i].set(x)`."""
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return False
    match node.func.value:
        case cst.Subscript(value=cst.Attribute(attr=cst.Name("at"))):
            return True
        case _:
            return node.func.attr.value in functions.KEEPING_METHODS


def call_functions_in(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> list[Value]:
    """Calls every function in the arguments, as `tree.map(f, x)` would; their results.

    Each is called with the other arguments blurred into one, for as many as it takes.
    """
    given = [leaf for value in arguments.values() for leaf in trees.leaves(value)]
    # Whatever maps over the envs in code that cannot be seen may have done so.
    taint = blur(*(value for value in given if not _is_function(value))).taint
    called = Arguments(rest=Opaque(spread_as(taint, own)))
    with it.at_once():
        return [it.call(value, called, node) for value in given if _is_function(value)]


def _is_function(value: Value) -> bool:
    if isinstance(value, External):  # a class or a dtype is passed on, not called
        return value.name.rpartition(".")[2].islower() and host.draws_on_host(value.name)
    return isinstance(value, (Function, Layer, Method, Partial))
