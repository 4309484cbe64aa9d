"""What `value.name` means for each kind of value."""

from __future__ import annotations

from dataclasses import replace

import libcst as cst

from flake8_nnx_rng.interpreter import (
    children,
    collection_methods,
    containers,
    declared,
    envs,
    names,
)
from flake8_nnx_rng.interpreter.engine import Interpreter
from flake8_nnx_rng.interpreter.inheritance import (
    CLASS_METHOD,
    bind,
    decorator_names,
    inherited_method,
    member,
    member_after,
)
from flake8_nnx_rng.interpreter.joins import SEQUENTIAL, held, join_all
from flake8_nnx_rng.interpreter.taint import CLEAN, Held
from flake8_nnx_rng.interpreter.values import (
    UNKNOWN_OUTPUT,
    Class,
    External,
    Function,
    Instance,
    Items,
    Key,
    Layer,
    Method,
    Opaque,
    Partial,
    Record,
    SourceModule,
    Stream,
    Super,
    Table,
    Value,
    blur,
    taint_of,
)
from flake8_nnx_rng.knowledge import functions, host, keys, layers, library, streams
from flake8_nnx_rng.project import (
    AnnotatedSymbol,
    ClassInfo,
)

COMPUTED = "?"
"""The attribute under which `setattr` with a computed name keeps its values."""


def attribute(it: Interpreter, value: Value, name: str, node: cst.CSTNode) -> Value:
    """What the attribute of a value may be."""
    match value:
        case External(module):
            return External(library.canonical(f"{module}.{name}"))
        case SourceModule():
            return names.module_attribute(it, value, name)
        case Instance():
            return _instance_attribute(it, value, name, node)
        case Super(instance, after):
            return member_after(it, instance, after, name, node)
        case Class(info):
            found = member(it, info, name)
            if found is None:
                return Method(value, name)
            if isinstance(found, Function) and CLASS_METHOD in decorator_names(found.node):
                return replace(found, bound=value)
            return found
        case Stream():
            return _stream_attribute(value, name)
        case Key(taint, path):
            if name in functions.SHAPE_ATTRIBUTES:
                return _array_attribute(it, value, name)
            return value if name in streams.VALUE_ATTRIBUTES else Method(value, name)
        case Layer(_, _, path):
            return _layer_attribute(value, name, path)
        case Record():
            known = value.field(name)
            if known is not None:
                children.note_read(it, known, name, node)
                return known
            found = None if value.cls is None else member(it, value.cls, name)
            if found is not None:
                return bind(it, found, value, node)
            is_data = value.name == UNKNOWN_OUTPUT and name not in containers.COPYING
            return attribute(it, blur(value), name, node) if is_data else Method(value, name)
        case Table():
            found = dict(value.items).get(name, value.rest)
            return (
                found
                if found is not None and name not in collection_methods.KNOWN_METHODS
                else Method(value, name)
            )
        case Opaque(taint, path):
            if name in functions.SHAPE_ATTRIBUTES:
                return _array_attribute(it, value, name)
            if name in streams.VALUE_ATTRIBUTES:
                return value
            return Opaque(taint) if path is None else containers.part(value, f"{path}.{name}")
        case _:
            return Method(value, name)


def _array_attribute(it: Interpreter, array: Key | Opaque, name: str) -> Value:
    """What is fixed under jit about an array: its shape, or the type by which keys are told."""
    if name == functions.SHAPE:
        return envs.shape(it, array)
    is_key_type = name == functions.DTYPE and isinstance(array, Key)
    return External(keys.KEY_TYPE) if is_key_type else Opaque()


def attributes_like(it: Interpreter, instance: Instance, prefix: str, node: cst.CSTNode) -> Value:
    """All that `getattr(instance, prefix + anything)` may find, methods included."""
    names_found = {n for (ref, n) in it.store or {} if ref == instance.ref}
    for ancestor in it.hierarchy.mro(instance.cls):
        if isinstance(ancestor, ClassInfo):
            names_found.update(ancestor.scope.bindings)
    chosen = sorted(name for name in names_found if name.startswith((prefix, COMPUTED)))
    if not chosen:
        return unknown_attribute(instance, f"{prefix}...")
    return join_all(attribute(it, instance, name, node) for name in chosen)


def every_attribute(it: Interpreter, instance: Instance) -> Value:
    """All that `getattr(instance, unknown name)` may find among what was assigned."""
    store = it.store or {}
    found = [value for (ref, _), value in store.items() if ref == instance.ref]
    return join_all(found) if found else Opaque(taint_of(instance), instance.path)


def _instance_attribute(it: Interpreter, instance: Instance, name: str, node: cst.CSTNode) -> Value:
    value = it.read((instance.ref, name))
    if value is not None:
        return _as_declared(it, instance, name, value)
    if name == "__class__":
        return Class(instance.cls)
    if name == "__dict__":
        store = it.store or {}
        return Table(tuple((n, v) for (ref, n), v in store.items() if ref == instance.ref))
    found = member(it, instance.cls, name)
    if found is None:
        inherited = inherited_method(it.hierarchy.mro(instance.cls), name)
        return inherited or unknown_attribute(instance, name)
    is_own = instance == it.frames[0].receiver
    if name == "__call__" and not is_own and it.hierarchy.is_stateful(instance.cls):
        return instance  # a child, checked by itself
    bound = it.each(found, lambda v: bind(it, v, instance, node))
    is_data = not isinstance(found, (Function, Partial))
    return held(bound, f"{instance.path}.{name}") if is_data and instance.path else bound


def _as_declared(it: Interpreter, instance: Instance, name: str, value: Value) -> Value:
    """An attribute of unknown type, as a declaration in the class body says what it is."""
    if isinstance(value, Opaque) and value.path is not None:
        for ancestor in it.hierarchy.mro(instance.cls):
            if isinstance(ancestor, ClassInfo):
                for symbol in ancestor.member(name):
                    if isinstance(symbol, AnnotatedSymbol):
                        return declared.refine(value, symbol.annotation, ancestor.scope, name)
    return value


def unknown_attribute(instance: Instance, name: str) -> Value:
    """An attribute that no code of the project was seen to set."""
    if instance.path is None:
        return Opaque()
    path = f"{instance.path}.{name}"
    return Opaque(frozenset({Held(path)}), path)


def _stream_attribute(value: Stream, name: str) -> Value:
    if name == "__call__":
        return value
    known = (
        streams.DRAW_METHODS
        | streams.INITIALIZER_METHODS
        | streams.ADVANCE_METHODS
        | streams.MAPPING_METHODS
        | streams.READ_METHODS
        | streams.WRITE_METHODS
    )
    if name in known:
        return Method(value, name)
    if value.single:
        path = None if value.path is None else f"{value.path}.{name}"
        if name not in streams.STREAM_STATE:
            return Opaque(value.taint, path)
        return Key(value.taint, path, value.made or None)
    return containers.named_stream(value, name, value.path)


def _layer_attribute(value: Layer, name: str, path: str | None) -> Value:
    within = None if path is None else f"{path}.{name}"
    taint = CLEAN if within is None else frozenset({Held(within)})
    known = layers.DRAWING_LAYERS.get(value.name)
    if value.name == SEQUENTIAL and name == "layers":
        return Items(containers.children_of(value))
    if known is not None and name == known.stream:
        return Stream(taint, within)
    if name in layers.METHODS or value.name in host.GENERATOR_FACTORIES:
        return Method(value, name)
    return Opaque(taint | blur(*value.arguments.values()).taint, within)
