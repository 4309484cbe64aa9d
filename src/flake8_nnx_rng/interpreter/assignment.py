"""Binding a value to a target: a name, an attribute, an item or a pattern of these."""

from __future__ import annotations

from functools import partial

import libcst as cst

from flake8_nnx_rng.interpreter import containers, names, tests, uses
from flake8_nnx_rng.interpreter.engine import Interpreter
from flake8_nnx_rng.interpreter.events import Wrote
from flake8_nnx_rng.interpreter.joins import join
from flake8_nnx_rng.interpreter.taint import is_threaded
from flake8_nnx_rng.interpreter.values import (
    Bag,
    Class,
    Const,
    Instance,
    Items,
    Key,
    Opaque,
    Stream,
    Table,
    Value,
    options,
)
from flake8_nnx_rng.knowledge import streams


def assign(it: Interpreter, target: cst.CSTNode, value: Value) -> None:
    """Binds a value, unpacking it as the target asks."""
    match target:
        case cst.Name():
            _assign_name(it, target, value)
        case cst.Attribute():
            _assign_attribute(it, target, value)
        case cst.Subscript():
            _assign_item(it, target, value)
        case cst.Tuple() | cst.List():
            _unpack(it, target, value)
        case cst.StarredElement():
            assign(it, target.value, containers.bag([containers.element(value)]))
        case _:
            pass


def _assign_name(it: Interpreter, target: cst.Name, value: Value) -> None:
    if target.value in it.frame.global_names:
        before = names.read_name(it, target.value)
        it.emit(Wrote(it.site(target), target.value, before, value))
    names.write_name(it, target.value, value)


def _assign_attribute(it: Interpreter, target: cst.Attribute, value: Value) -> None:
    bases = options(it.evaluate(target.value))
    for base in bases:
        is_certain = len(bases) == 1
        write_attribute(it, base, target.attr.value, value, target, is_certain=is_certain)
        if isinstance(base, Table):
            _note_item_write(it, target.value, target, value)
            changed = containers.with_item(base, Const(target.attr.value), value)
            rebind(it, target.value, base, changed)


def write_attribute(
    it: Interpreter,
    base: Value,
    name: str,
    value: Value,
    node: cst.CSTNode,
    *,
    is_certain: bool = True,
) -> None:
    """Performs `base.name = value`; if it may be another object's, both values are possible."""
    match base:
        case Instance(_, ref, path):
            before = it.read((ref, name)) or Opaque()
            if path is not None:
                it.emit(Wrote(it.site(node), f"{path}.{name}", before, value))
            it.write_attribute(ref, name, value if is_certain else join(before, value))
        case Class(info):
            before = it.attribute(it, base, name, node)
            it.emit(Wrote(it.site(node), f"{info.name}.{name}", before, value))
        case Key() | Opaque() | Stream() if (path := held_path(base)) is not None:
            # `self.key.value = ...` writes self.key; `self.rngs.noise = ...` a stream
            within = path if name in streams.VALUE_ATTRIBUTES else f"{path}.{name}"
            it.emit(Wrote(it.site(node), within, base, value))
            uses.put(it, within, value)
        case _:
            pass


def rebind(it: Interpreter, target: cst.BaseExpression, old: Value, new: Value) -> None:
    """Changes a collection in place: under its name here, and under every other."""
    match target:
        case cst.Name() if it.read((it.frame.identity, target.value)) is not None:
            names.write_name(it, target.value, new)
        case cst.Attribute():
            for base in options(it.evaluate(target.value)):
                if isinstance(base, Instance):
                    it.write_attribute(base.ref, target.attr.value, new)
        case cst.Subscript():
            outer = it.evaluate(target.value)
            changed = containers.replaced(outer, _index(it, target), new)
            rebind(it, target.value, outer, changed)
        case _:
            pass
    it.replace_object(old, new)


def note_mutation(
    it: Interpreter, collection: cst.BaseExpression, node: cst.CSTNode, values: list[Value]
) -> None:
    """`self.buffer.append(key)` writes what the module holds."""
    for value in values:
        _note_item_write(it, collection, node, value)


def _note_item_write(
    it: Interpreter, collection: cst.BaseExpression, node: cst.CSTNode, value: Value
) -> None:
    if isinstance(collection, cst.Attribute):
        for base in options(it.evaluate(collection.value)):
            if isinstance(base, Instance) and base.path is not None:
                path = f"{base.path}.{collection.attr.value}[...]"
                it.emit(Wrote(it.site(node), path, Opaque(), value))


def _assign_item(it: Interpreter, target: cst.Subscript, value: Value) -> None:
    base = it.evaluate(target.value)
    index = _index(it, target)
    for option in options(base):
        written = containers.item(option, index) if _is_collection(option) else option
        if (path := held_path(written)) is not None:
            it.emit(Wrote(it.site(target), path, written, value))
            uses.put(it, path, value)
        elif _is_collection(option):
            _note_item_write(it, target.value, target, value)
    if not isinstance(base, (Key, Stream)):
        rebind(it, target.value, base, containers.replaced(base, index, value))


def held_path(value: Value) -> str | None:
    """Where data outlives the pass; None for what PPO threads through both passes."""
    if isinstance(value, (Key, Opaque, Stream)) and not is_threaded(value.taint):
        return value.path
    return None


def _is_collection(value: Value) -> bool:
    return isinstance(value, (Items, Bag, Table))


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
            assign(it, one.value, it.each(value, partial(_taken, position=position)))


def _taken(value: Value, position: Const) -> Value:
    """One of the values that unpacking yields: an item, or what iterating yields."""
    if tests.is_fed_back(value):
        return containers.item(value, position)
    if isinstance(value, Opaque):
        return containers.element(value)
    return containers.item(value, position)
