"""Calls of library functions, by canonical name."""

from __future__ import annotations

import libcst as cst

from flake8_nnx_rng.interpreter import builtins, control, keys, modules, objects, rngs
from flake8_nnx_rng.interpreter.engine import Interpreter
from flake8_nnx_rng.interpreter.events import DrewOnHost
from flake8_nnx_rng.interpreter.handlers import Handler
from flake8_nnx_rng.interpreter.joins import join_all
from flake8_nnx_rng.interpreter.taint import Host
from flake8_nnx_rng.interpreter.unknown import call_functions_in, unknown_call
from flake8_nnx_rng.interpreter.values import (
    Arguments,
    External,
    Layer,
    Opaque,
    Value,
    taint_of,
)
from flake8_nnx_rng.knowledge import functions, host, library
from flake8_nnx_rng.knowledge import keys as key_table

HANDLERS: dict[str, Handler] = {
    **builtins.HANDLERS,
    **control.HANDLERS,
    **objects.HANDLERS,
    **rngs.HANDLERS,
}


def call_external(it: Interpreter, name: str, arguments: Arguments, node: cst.CSTNode) -> Value:
    """What a library function returns, with its effect on keys as events."""
    handler = HANDLERS.get(name)
    if handler is not None:
        return handler(it, arguments, node)
    if name.startswith(key_table.PREFIX):
        return keys.call_random(it, name.removeprefix(key_table.PREFIX), arguments, node)
    if name.startswith(key_table.INITIALIZERS):
        return External(keys.INITIALIZER)
    if name in functions.PASS_THROUGH:
        call_functions_in(it, arguments, node)
        return _passed_through(arguments)
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
    if name.startswith("nnx_ppo.") and name != library.OUTPUT:
        return Layer(name, arguments)
    return unknown_call(it, name, Opaque(), arguments, node)


def _passed_through(arguments: Arguments) -> Value:
    """The first argument if it is all there is; else a value of its kind that depends on all."""
    first = arguments.get("", 0) or Opaque()
    others = frozenset().union(*(taint_of(v) for v in arguments.values()[1:]))
    if not others:
        return first
    return join_all([first, Opaque(taint_of(first) | others)])
