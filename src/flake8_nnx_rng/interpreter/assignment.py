"""Binding a value to a target: a name, an attribute, an item or a pattern of these."""

from __future__ import annotations

import libcst as cst

from flake8_nnx_rng.interpreter import containers, names
from flake8_nnx_rng.interpreter.engine import Interpreter
from flake8_nnx_rng.interpreter.events import Wrote
from flake8_nnx_rng.interpreter.values import (
    Const,
    Instance,
    Key,
    Opaque,
    Stream,
    Value,
    options,
)
from flake8_nnx_rng.knowledge import streams


def assign(it: Interpreter, target: cst.CSTNode, value: Value) -> None:
    """Binds a value, unpacking it as the target asks."""
    match target:
        case cst.Name():
            names.write_name(it, target.value, value)
        case cst.Attribute():
            for base in options(it.evaluate(target.value)):
                write_attribute(it, base, target.attr.value, value, target)
        case cst.Subscript():
            _assign_item(it, target, value)
        case cst.Tuple() | cst.List():
            _unpack(it, target, value)
        case cst.StarredElement():
            assign(it, target.value, containers.bag([containers.element(value)]))
        case _:
            pass


def write_attribute(
    it: Interpreter, base: Value, name: str, value: Value, node: cst.CSTNode
) -> None:
    """Performs `base.name = value`."""
    match base:
        case Instance(_, ref, path):
            before = it.read((ref, name))
            if path is not None:
                it.emit(Wrote(it.site(node), f"{path}.{name}", before or Opaque(), value))
            it.write_attribute(ref, name, value)
        case Key(path=str(path)) | Opaque(path=str(path)) | Stream(path=str(path)):
            # `self.key.value = ...` writes self.key; `self.rngs.noise = ...` a stream
            within = path if name in streams.VALUE_ATTRIBUTES else f"{path}.{name}"
            it.emit(Wrote(it.site(node), within, base, value))
        case _:
            pass


def rebind(it: Interpreter, target: cst.BaseExpression, value: Value) -> None:
    """Gives a mutated container back to where it came from, without a write of its own."""
    match target:
        case cst.Name():
            names.write_name(it, target.value, value)
        case cst.Attribute():
            for base in options(it.evaluate(target.value)):
                if isinstance(base, Instance):
                    it.write_attribute(base.ref, target.attr.value, value)
        case cst.Subscript():
            index = _index(it, target)
            rebind(it, target.value, containers.replaced(it.evaluate(target.value), index, value))
        case _:
            pass


def _assign_item(it: Interpreter, target: cst.Subscript, value: Value) -> None:
    base = it.evaluate(target.value)
    for option in options(base):
        match option:
            case Key(path=str(path)) | Opaque(path=str(path)) | Stream(path=str(path)):
                it.emit(Wrote(it.site(target), path, option, value))
            case _:
                pass
    if not isinstance(base, (Key, Stream)):
        rebind(it, target, value)


def _index(it: Interpreter, target: cst.Subscript) -> Value:
    if len(target.slice) == 1 and isinstance(target.slice[0].slice, cst.Index):
        return it.evaluate(target.slice[0].slice.value)
    return Opaque()


def _unpack(it: Interpreter, target: cst.Tuple | cst.List, value: Value) -> None:
    elements = target.elements
    star = next((i for i, e in enumerate(elements) if isinstance(e, cst.StarredElement)), None)
    known = containers.known_items(value)
    if known is not None and star is None and len(known) != len(elements):
        known = None
    for index, one in enumerate(elements):
        if isinstance(one, cst.StarredElement):
            assign(it, one, value)
        elif known is not None and star is None:
            assign(it, one.value, known[index])
        else:
            position = Const(index if star is None or index < star else index - len(elements))
            assign(it, one.value, it.each(value, lambda v, p=position: _taken(v, p)))  # type: ignore[misc]


def _taken(value: Value, position: Const) -> Value:
    """One of the values that unpacking yields: an item, or what iterating yields."""
    if isinstance(value, (Opaque, Key)):
        return containers.element(value)
    return containers.item(value, position)
