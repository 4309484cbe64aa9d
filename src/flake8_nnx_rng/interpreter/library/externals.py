"""Calls of library functions, by canonical name."""

from __future__ import annotations

from dataclasses import replace

import libcst as cst

from flake8_nnx_rng.interpreter import (
    attributes,
    containers,
    key_arrays,
    modules,
    objects,
    regions,
    trees,
)
from flake8_nnx_rng.interpreter.engine import Interpreter
from flake8_nnx_rng.interpreter.events import DrewOnHost
from flake8_nnx_rng.interpreter.joins import join_all
from flake8_nnx_rng.interpreter.library import builtins, control, keys, rngs, stateful
from flake8_nnx_rng.interpreter.library.handlers import Handler
from flake8_nnx_rng.interpreter.taint import CLEAN, Host, Taint, counted, merge
from flake8_nnx_rng.interpreter.unknown import call_functions_in, unknown_call
from flake8_nnx_rng.interpreter.values import (
    NONE,
    Arguments,
    Bag,
    Const,
    Items,
    Key,
    Layer,
    Opaque,
    Stream,
    Value,
    blur,
    options,
    taint_of,
)
from flake8_nnx_rng.knowledge import functions, host, library, streams
from flake8_nnx_rng.knowledge import keys as key_table

STREAM_METHODS = tuple(f"{name}." for name in streams.STREAM_TYPES)

_NNX_PPO = tuple(f"{package}." for package in library.REFERENCE_PACKAGES)

HANDLERS: dict[str, Handler] = {
    **builtins.HANDLERS,
    **control.HANDLERS,
    **objects.HANDLERS,
    **rngs.HANDLERS,
    **stateful.HANDLERS,
}


def call_external(it: Interpreter, name: str, arguments: Arguments, node: cst.CSTNode) -> Value:
    """What a library function returns, with its effect on keys as events."""
    handler = HANDLERS.get(name)
    if handler is not None:
        return handler(it, arguments, node)
    if name.startswith(key_table.PREFIX):
        return keys.call_random(it, name.removeprefix(key_table.PREFIX), arguments, node)
    if name.startswith(key_table.INITIALIZERS):
        return keys.initializer(name)
    if name in key_table.KEYED_FUNCTIONS:
        return keys.call_keyed(it, name, arguments, node)
    if name.startswith(STREAM_METHODS) and arguments.positional:
        receiver, *given = arguments.positional
        rest = Arguments(tuple(given), arguments.keywords, arguments.rest)
        method = attributes.attribute(it, receiver, name.rpartition(".")[2], node)
        return it.call(method, rest, node)
    if name in functions.SHIFTS and (found := _keys(arguments.get("a", 0))):
        return join_all(_shifted(name, key, arguments) for key in found)
    if name in functions.COUNTERS:
        return Opaque(counted(merge(map(taint_of, arguments.values()))))
    if name in functions.READS:
        array = arguments.get("a", 0) or Opaque()
        return attributes.attribute(it, array, functions.READS[name], node)
    if name in functions.RESHAPES:
        return arguments.get(*functions.RESHAPES[name]) or arguments.rest or Opaque()
    if name in functions.PASS_THROUGH:
        call_functions_in(it, arguments, node)
        return _passed_through(name, arguments)
    if name in functions.SHAPE_ONLY:
        return Opaque()
    if host.draws_on_host(name):
        it.emit(DrewOnHost(it.site(node), name))
        return Opaque(frozenset({Host(name, node)}))
    if name in host.GENERATOR_FACTORIES:
        return Layer(name, arguments)
    if name in host.CLOCKS:
        return Opaque(frozenset({Host(name, node)}))
    if modules.is_layer_class(name):
        return modules.construct_layer(it, name, arguments, node)
    if name.startswith(_NNX_PPO) and name != library.OUTPUT:
        return Layer(name, arguments)
    return unknown_call(it, name, Opaque(), arguments, node)


def _passed_through(name: str, arguments: Arguments) -> Value:
    """What a function that only moves values returns."""
    values = arguments.values()
    if name in functions.SELECTIONS:
        chosen_by = taint_of(values[0]) if values else CLEAN
        return join_all(_chosen(value, chosen_by) for value in values[1:])
    first = values[0] if values else Opaque()
    if name in functions.STACKS:
        first = _stacked(first)
    if name in functions.COPIES:
        first = trees.rebuilt(first, _copied)
    others = merge(taint_of(v) for v in values[1:])
    if not others:
        return first
    # A mixture: what is threaded through makes all of it depend on env and step.
    return Key(taint_of(first) | others) if isinstance(first, Key) else blur(*values)


def _copied(leaf: Value) -> Value:
    return replace(leaf, copied=True) if isinstance(leaf, Stream) else leaf


def _keys(value: Value | None) -> list[Key]:
    """The alternatives of an array of keys; none if it may be anything else."""
    found = options(value) if value is not None else ()
    keys_in = [one for one in found if isinstance(one, Key)]
    return keys_in if len(keys_in) == len(found) else []


def _shifted(name: str, array: Key, arguments: Arguments) -> Key:
    """What a function that moves rows makes of an array of keys."""
    shift = arguments.get("shift", 1) if name == functions.ROLL else None
    axis = arguments.get("axis", 1 if shift is None else 2)
    if name not in functions.TURNS or axis not in (None, NONE, Const(0)):
        return key_arrays.shifted(array)
    is_known = shift is None or isinstance(shift, Const)
    return key_arrays.turned(array, f"{name} {shift}" if is_known else regions.UNKNOWN)


def _stacked(value: Value) -> Value:
    """An array of keys, if a list holds nothing else."""
    keys_in = options(containers.element(value)) if isinstance(value, (Items, Bag)) else ()
    if keys_in and all(isinstance(key, Key) for key in keys_in):
        return Key(merge(map(taint_of, keys_in)), None, ())
    return value


def _chosen(value: Value, chosen_by: Taint) -> Value:
    """One of the values that `where` may return: its numbers depend on the test too."""
    return Opaque(value.taint | chosen_by, value.path) if isinstance(value, Opaque) else value
