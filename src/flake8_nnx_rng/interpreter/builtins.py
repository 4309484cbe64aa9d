"""Python's own functions, as far as they hand values on."""

from __future__ import annotations

import libcst as cst

from flake8_nnx_rng.interpreter import attributes, containers
from flake8_nnx_rng.interpreter.assignment import write_attribute
from flake8_nnx_rng.interpreter.engine import Interpreter
from flake8_nnx_rng.interpreter.handlers import Handler
from flake8_nnx_rng.interpreter.joins import join, join_all
from flake8_nnx_rng.interpreter.values import (
    NONE,
    Arguments,
    Bag,
    Const,
    Instance,
    Items,
    Opaque,
    Stream,
    Table,
    Value,
    options,
)


def _zip(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    known = [containers.known_items(value) for value in arguments.positional]
    if known and all(items is not None for items in known):
        rows = zip(*(items for items in known if items is not None), strict=False)
        return Items(tuple(Items(row) for row in rows))
    return Bag(Items(tuple(containers.element(value) for value in arguments.positional)))


def _enumerate(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    collection = arguments.get("iterable", 0) or Opaque()
    known = containers.known_items(collection)
    if known is not None:
        return Items(tuple(Items((Const(i), value)) for i, value in enumerate(known)))
    return Bag(Items((Opaque(), containers.element(collection))))


def _collection(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    collection = arguments.get("", 0)
    if collection is None:
        return Items(())
    known = containers.known_items(collection)
    return Bag(containers.element(collection)) if known is None else Items(known)


def _reversed(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    known = containers.known_items(arguments.get("", 0) or Opaque())
    return _collection(it, arguments, node) if known is None else Items(known[::-1])


def _dict(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    table = Table(())
    for value in arguments.positional:
        table = containers.with_all(table, value) if isinstance(value, Table) else _pairs(value)
    return containers.with_all(table, Table(arguments.keywords, arguments.rest))


def _pairs(value: Value) -> Table:
    """`dict(pairs)`: the values, under keys that are forgotten."""
    return Table((), containers.item(containers.element(value), containers.SECOND))


def _next(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    found = containers.element(arguments.get("", 0) or Opaque())
    default = arguments.get("", 1)
    return found if default is None else join(found, default)


def _range(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    return Bag(Opaque())


def _getattr(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    target, name = arguments.get("", 0) or Opaque(), arguments.get("", 1)
    default = arguments.get("", 2)

    def found(value: Value) -> Value:
        if isinstance(name, Const) and isinstance(name.value, str):
            return attributes.attribute(it, value, name.value, node)
        if isinstance(value, Instance):
            return attributes.every_attribute(it, value)
        if isinstance(value, Stream):
            return containers.named_stream(value, None, value.path)
        return attributes.attribute(it, value, "?", node)

    value = it.each(target, found)
    # A stream is always found, whatever its name: nnx.Rngs falls back to its default stream.
    if default is None or all(isinstance(option, Stream) for option in options(value)):
        return value
    return join(value, default)


def _setattr(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    target, name = arguments.get("", 0) or Opaque(), arguments.get("", 1)
    written = name.value if isinstance(name, Const) else "?"
    value = arguments.get("", 2) or Opaque()
    for option in options(target):
        write_attribute(it, option, str(written), value, node)
    return NONE


def _vars(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    values = [
        attributes.every_attribute(it, option) if isinstance(option, Instance) else option
        for option in options(arguments.get("", 0) or Opaque())
    ]
    return Table((), join_all(values))


HANDLERS: dict[str, Handler] = {
    "builtins.zip": _zip,
    "builtins.enumerate": _enumerate,
    "builtins.list": _collection,
    "builtins.tuple": _collection,
    "builtins.iter": _collection,
    "builtins.sorted": _collection,
    "builtins.reversed": _reversed,
    "builtins.dict": _dict,
    "builtins.next": _next,
    "builtins.range": _range,
    "builtins.getattr": _getattr,
    "builtins.setattr": _setattr,
    "builtins.vars": _vars,
    "collections.OrderedDict": _dict,
    "flax.nnx.Dict": _dict,
    "flax.nnx.List": _collection,
}
