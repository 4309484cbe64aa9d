"""The methods of lists and dicts: those that change them and those that read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from flake8_nnx_rng.interpreter import containers
from flake8_nnx_rng.interpreter.joins import join
from flake8_nnx_rng.interpreter.values import (
    Arguments,
    Bag,
    Choice,
    Const,
    Items,
    Opaque,
    Table,
    Value,
    blur,
)


def mutate(collection: Value, method: str, arguments: Arguments) -> Value | None:
    """The collection after a mutating method, or None if it is not a collection."""
    if not isinstance(collection, (Items, Bag, Table, Opaque, Choice)):
        return None
    return MUTATORS[method](collection, arguments)


def _first(arguments: Arguments, position: int = 0) -> Value:
    return arguments.get("", position) or arguments.rest or Opaque()


def _append(collection: Value, arguments: Arguments) -> Value:
    added = _first(arguments, max(len(arguments.positional) - 1, 0))
    return (
        blur(collection, added)
        if isinstance(collection, Opaque)
        else containers.with_element(collection, added)
    )


def _extend(collection: Value, arguments: Arguments) -> Value:
    added = _first(arguments)
    return (
        blur(collection, added)
        if isinstance(collection, Opaque)
        else containers.combine(collection, Bag(containers.element(added)))
    )


def _update(collection: Value, arguments: Arguments) -> Value:
    if not isinstance(collection, Table):
        return blur(collection, *arguments.values())
    table = (
        containers.with_all(collection, _first(arguments)) if arguments.positional else collection
    )
    return containers.with_all(table, Table(arguments.keywords))


def _set_default(collection: Value, arguments: Arguments) -> Value:
    if not isinstance(collection, Table):
        return blur(collection, *arguments.values())
    key, default = _first(arguments), _first(arguments, 1)
    return containers.with_item(collection, key, join(_get(collection, arguments), default))


MUTATORS: dict[str, Callable[[Value, Arguments], Value]] = {
    "append": _append,
    "appendleft": _append,
    "insert": _append,
    "add": _append,
    "extend": _extend,
    "update": _update,
    "setdefault": _set_default,
}
"""Methods that change a collection in place."""


def _get(receiver: Value, arguments: Arguments) -> Value:
    key, default = _first(arguments), arguments.get("", 1) or Const(None)
    found = containers.item(receiver, key)
    if isinstance(receiver, Table) and isinstance(key, Const):
        if key.value in dict(receiver.items):
            return found
        if receiver.rest is None:
            return default
    return join(found, default)


def _values(receiver: Value, arguments: Arguments) -> Value:
    if isinstance(receiver, Table) and receiver.rest is None:
        return Items(tuple(v for _, v in receiver.items))
    return containers.bag(
        receiver.values() if isinstance(receiver, Table) else [containers.element(receiver)]
    )


def _items(receiver: Value, arguments: Arguments) -> Value:
    if isinstance(receiver, Table):
        pairs = [Items((Const(key), v)) for key, v in receiver.items]
        if receiver.rest is None:
            return Items(tuple(pairs))
        return containers.bag([*pairs, Items((Opaque(), receiver.rest))])
    return Bag(Items((Opaque(), containers.element(receiver))))


def _pop(receiver: Value, arguments: Arguments) -> Value:
    if isinstance(receiver, Table):
        return _get(receiver, arguments)
    return containers.element(receiver)


METHODS: dict[str, Callable[[Value, Arguments], Value]] = {
    "get": _get,
    "setdefault": _get,
    "values": _values,
    "items": _items,
    "keys": lambda receiver, arguments: Bag(Opaque()),
    "pop": _pop,
    "popleft": _pop,
    "popitem": lambda receiver, arguments: Items((Opaque(), containers.element(receiver))),
    "copy": lambda receiver, arguments: replace(receiver),
}
"""Methods that read from a collection."""

KEYED = frozenset({"get", "setdefault", "pop"})
"""Of these, the ones that are given the key or index of what they return."""

KNOWN_METHODS = frozenset(METHODS) | frozenset(MUTATORS)
