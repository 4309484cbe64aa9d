"""Calls of code that cannot be seen."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from flake8_nnx_rng.interpreter import trees
from flake8_nnx_rng.interpreter.engine import Interpreter
from flake8_nnx_rng.interpreter.events import Escaped
from flake8_nnx_rng.interpreter.taint import CLEAN, Sample, Taint, is_threaded, own, spread_as
from flake8_nnx_rng.interpreter.values import (
    Arguments,
    External,
    Function,
    Instance,
    Key,
    Layer,
    Method,
    Opaque,
    Partial,
    Stream,
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
    marks: Taint = CLEAN
    for random in _random_in(it, arguments) if not functions.draws_nothing(name) else ():
        it.emit(Escaped(it.site(node), random, name))
        if not is_threaded(random.taint):
            marks = frozenset({Sample(node)})
    results = call_functions_in(it, arguments, node)
    return blur(callee, *arguments.values(), *results, Opaque(marks))


def _random_in(it: Interpreter, arguments: Arguments) -> Iterator[Stream | Key]:
    """The keys and streams among arguments, and those that objects among them hold."""
    for value in arguments.values():
        for leaf in trees.leaves(value):
            if isinstance(leaf, Instance):
                store = it.store or {}
                held = [v for (ref, _), v in store.items() if ref == leaf.ref]
            else:
                held = [leaf]
            for option in (one for part in held for one in options(part)):
                if isinstance(option, Stream) or (isinstance(option, Key) and option.taint):
                    yield option


def call_functions_in(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> list[Value]:
    """Calls every function among the arguments, as `tree.map(f, x)` would; their results.

    Each is called with the other arguments blurred into one, for as many as it takes.
    """
    given = [option for value in arguments.values() for option in options(value)]
    # Whatever maps over the envs in code that cannot be seen may have done so.
    taint = blur(*(value for value in given if not _is_function(value))).taint
    called = Arguments(rest=Opaque(spread_as(taint, own)))
    return [it.call(value, called, node) for value in given if _is_function(value)]


def _is_function(value: Value) -> bool:
    if isinstance(value, External):  # a class or a dtype is passed on, not called
        return value.name.rpartition(".")[2].islower() and host.draws_on_host(value.name)
    return isinstance(value, (Function, Layer, Method, Partial))
