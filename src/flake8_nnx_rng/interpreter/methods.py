"""Methods of streams, Variables and containers."""

from __future__ import annotations

import libcst as cst

from flake8_nnx_rng.interpreter import collection_methods, containers, modules, shapes, uses
from flake8_nnx_rng.interpreter.assignment import held_path
from flake8_nnx_rng.interpreter.drawing import advance, drew
from flake8_nnx_rng.interpreter.engine import Interpreter
from flake8_nnx_rng.interpreter.events import Use, Wrote
from flake8_nnx_rng.interpreter.inheritance import LIBRARY_PART
from flake8_nnx_rng.interpreter.library import hosts
from flake8_nnx_rng.interpreter.taint import EACH_ENV, counted, merge
from flake8_nnx_rng.interpreter.unknown import call_functions_in, unknown_call
from flake8_nnx_rng.interpreter.values import (
    NONE,
    Arguments,
    Bag,
    Const,
    External,
    Instance,
    Items,
    Key,
    Layer,
    Method,
    Opaque,
    Record,
    Stream,
    Table,
    Value,
    blur,
    taint_of,
)
from flake8_nnx_rng.knowledge import functions, layers, streams

_INITIALIZER = "<initializer>"
_STREAM_METHODS = streams.DRAW_METHODS | streams.INITIALIZER_METHODS | streams.ADVANCE_METHODS


def call_method(
    it: Interpreter, receiver: Value, name: str, arguments: Arguments, node: cst.CSTNode
) -> Value:
    """What a method of something other than an object of the project yields."""
    match receiver:
        case Stream():
            return _stream_method(it, receiver, name, arguments, node)
        case Key() | Opaque() if name in streams.VARIABLE_METHODS:
            return _variable_method(it, receiver, name, arguments, node)
        case Key() if name in functions.RESHAPING_METHODS:
            return receiver
        case Items() | Bag() | Table() | Record():
            return _container_method(it, receiver, name, arguments, node)
        case Layer():
            if hosts.is_generator(receiver):
                return hosts.call_generator(it, receiver, name, node)
            return modules.call_layer_method(it, receiver, name, arguments, node)
        case Instance(_, ref) if name in layers.MODELLED:  # super().__init__ of a library's layer
            part = it.call(External(name), arguments, node)
            it.write_attribute(ref, LIBRARY_PART, part)
            return NONE
        case _:
            return unknown_call(it, name, receiver, arguments, node)


def assumed_stream(value: Opaque, base: str, method: str) -> tuple[Stream, str] | None:
    """The stream that a held value of unknown type is by its conventional name, if it is.

    Args:
        value: What is called, such as what `self.rngs.normal` yields.
        base: The path without its last name.
        method: The last name.

    Returns:
        The stream and the method called on it, "" for a plain call.
    """
    assert value.path is not None
    if streams.is_stream_name(value.path):
        return Stream(value.taint, value.path), ""
    if streams.is_stream_name(base):
        if method in _STREAM_METHODS:
            return Stream(value.taint, base), method
        return Stream(value.taint, value.path, single=True), ""
    if method in _STREAM_METHODS and streams.is_stream_name(base.rpartition(".")[0]):
        return Stream(value.taint, base, single=True), method
    return None


def _stream_method(
    it: Interpreter, stream: Stream, name: str, arguments: Arguments, node: cst.CSTNode
) -> Value:
    given = merge(taint_of(v) for v in arguments.values())
    if name in streams.DRAW_METHODS or name == _INITIALIZER:
        uses.use(it, stream, Use.DRAWN, node)
        shared = shapes.is_shared(it, name, arguments, stream, behind_key=False)
        mark = drew(it, stream, stream.taint, node, shared=shared)
        return Opaque(stream.taint | counted(given) | mark)
    if name in streams.INITIALIZER_METHODS:
        return Method(stream, _INITIALIZER)
    if name in streams.ADVANCE_METHODS:
        is_literal = all(isinstance(value, Const) for value in arguments.values())
        # As many as the envs, or as something of which there may be as many.
        return advance(it, stream, node, given if is_literal else given | EACH_ENV)
    if name in streams.MAPPING_METHODS:
        named = containers.named_stream(stream, None, stream.path)
        return Bag(Items((Opaque(), named)))
    return _variable_method(it, stream, name, arguments, node)


def _variable_method(
    it: Interpreter,
    variable: Stream | Key | Opaque,
    name: str,
    arguments: Arguments,
    node: cst.CSTNode,
) -> Value:
    if name in streams.READ_METHODS:
        return variable
    path = held_path(variable)
    if path is not None:
        after = arguments.get("value", 0) or blur(*arguments.values())
        it.emit(Wrote(it.site(node), path, variable, after))
        uses.put(it, path, after)
    return Opaque()


def _container_method(
    it: Interpreter, receiver: Value, name: str, arguments: Arguments, node: cst.CSTNode
) -> Value:
    read = collection_methods.METHODS.get(name)
    if read is not None:
        return read(receiver, arguments)
    if isinstance(receiver, Record) and name in containers.COPYING:
        return containers.with_fields(receiver, arguments)
    results = call_functions_in(it, arguments, node)
    return blur(receiver, *arguments.values(), *results)
