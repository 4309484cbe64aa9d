"""What `value.name` means for each kind of value."""

from __future__ import annotations

from collections.abc import Iterable
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
from flake8_nnx_rng.interpreter.joins import SEQUENTIAL, held, join_all
from flake8_nnx_rng.interpreter.taint import CLEAN, Held
from flake8_nnx_rng.interpreter.values import (
    UNKNOWN_OUTPUT,
    Arguments,
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
from flake8_nnx_rng.knowledge.children import promise_of_library
from flake8_nnx_rng.project import (
    AnnotatedSymbol,
    ClassInfo,
    ExpressionSymbol,
    FunctionSymbol,
    LibraryClass,
    Symbol,
)

LIBRARY_PART = ""
"""The attribute under which an object keeps what it is as a layer of the library."""

COMPUTED = "?"
"""The attribute under which `setattr` with a computed name keeps its values."""

_PROPERTIES = {"property", "cached_property"}
_STATIC = "staticmethod"
_CLASS = "classmethod"


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
            return _after(it, instance, after, name, node)
        case Class(info):
            found = member(it, info, name)
            if found is None:
                return Method(value, name)
            if isinstance(found, Function) and _CLASS in decorator_names(found.node):
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


def member(it: Interpreter, cls: ClassInfo, name: str) -> Value | None:
    """What the classes of the project bind a name to, along the MRO; None if none does."""
    for ancestor in it.hierarchy.mro(cls):
        if isinstance(ancestor, ClassInfo) and (symbols := ancestor.member(name)):
            return join_all(_class_value(it, symbol, ancestor, name) for symbol in symbols)
    return None


def bind(
    it: Interpreter,
    value: Value,
    instance: Instance | Record,
    node: cst.CSTNode,
    *,
    read: bool = True,
) -> Value:
    """Turns a function found in a class into what an object's attribute yields."""
    match value:
        case Partial(External("builtins.property"), made):
            return it.call(made.positional[0], Arguments((instance,)), node)
        case Partial(External("builtins.staticmethod"), made):
            return made.positional[0]
        case Partial(
            External(envs.MAPPED | envs.VECTORIZED),
            Arguments((Function() as function, in_axes, out_axes)),
        ):
            bound = bind(it, function, instance, node, read=False)
            axes = containers.known_items(in_axes)
            in_axes = in_axes if axes is None else Items(axes[1:])
            return replace(value, arguments=Arguments((bound, in_axes, out_axes)))
        case Partial(Function() as function, given):
            return Partial(bind(it, function, instance, node, read=False), given)
    if not isinstance(value, Function) or value.bound is not None:
        return value
    kinds = decorator_names(value.node)
    if _STATIC in kinds:
        return value
    if _CLASS in kinds and instance.cls is not None:
        return replace(value, bound=Class(instance.cls))
    bound = replace(value, bound=instance)
    if read and kinds & _PROPERTIES:
        return it.call(bound, Arguments(), node)
    return bound


def decorator_names(node: cst.CSTNode) -> set[str]:
    """The last names of a function's decorators, such as `property`."""
    found: set[str] = set()
    if isinstance(node, cst.FunctionDef):
        for decorator in node.decorators:
            named = names.named_by(decorator)
            last = named.attr if isinstance(named, cst.Attribute) else named
            if isinstance(last, cst.Name):
                found.add(last.value)
    return found


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
        inherited = _inherited(it.hierarchy.mro(instance.cls), name)
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


def library_part(it: Interpreter, instance: Instance) -> Value | None:
    """What an object is as a layer of the library that its class derives from."""
    known = it.read((instance.ref, LIBRARY_PART))
    if known is not None:
        return known
    name = library_layer(it, instance.cls)
    return None if name is None else Layer(name, Arguments(), instance.path, is_built=False)


def library_layer(it: Interpreter, cls: ClassInfo) -> str | None:
    """The layer of Flax that a class of the project derives from, if it is one that is known."""
    for ancestor in it.hierarchy.mro(cls):
        if isinstance(ancestor, LibraryClass) and ancestor.name in layers.MODELLED:
            return ancestor.name
    return None


def unknown_attribute(instance: Instance, name: str) -> Value:
    """An attribute that no code of the project was seen to set."""
    if instance.path is None:
        return Opaque()
    path = f"{instance.path}.{name}"
    return Opaque(frozenset({Held(path)}), path)


def _inherited(ancestors: Iterable[ClassInfo | LibraryClass], name: str) -> External | None:
    """A method that `StatefulModule` defines, if nothing between can define another."""
    libraries = (one.name for one in ancestors if isinstance(one, LibraryClass))
    owner = next((one for one in libraries if one != library.SAMPLER), None)
    is_its_own = owner == library.STATEFUL and name in library.INHERITED
    return External(library.INHERITED[name]) if is_its_own else None


def _after(
    it: Interpreter, instance: Instance, after: ClassInfo, name: str, node: cst.CSTNode
) -> Value:
    mro = list(it.hierarchy.mro(instance.cls))
    rest = mro[mro.index(after) + 1 :] if after in mro else []
    for ancestor in rest:
        if isinstance(ancestor, ClassInfo) and (symbols := ancestor.member(name)):
            found = join_all(_class_value(it, symbol, ancestor, name) for symbol in symbols)
            return it.each(found, lambda v: bind(it, v, instance, node))
        if isinstance(ancestor, LibraryClass) and ancestor.name in layers.MODELLED:
            if name == "__init__":
                return Method(instance, ancestor.name)
            part = library_part(it, instance)
            if part is not None:
                return Method(part, name)
        if name == "__call__" and promise_of_library(ancestor.name) is not None:
            return Layer(ancestor.name, Arguments(), "super()", is_built=False)
    inherited = _inherited(rest, name)
    if inherited is not None:
        return inherited
    # A library's own method: its draws are the library's business, its result depends on us.
    return Method(Opaque(), f"super().{name}")


def _class_value(it: Interpreter, symbol: Symbol, cls: ClassInfo, name: str) -> Value:
    match symbol:
        case FunctionSymbol(node):
            return names.decorated(it, node, cls.scope)
        case AnnotatedSymbol(annotation):
            typed = declared.value_of(annotation, cls.scope, f"self.{name}")
            return (
                Opaque(frozenset({Held(f"self.{name}")}), f"self.{name}")
                if typed is None
                else typed
            )
        case ExpressionSymbol(node):
            value = names.in_scope(it, node, cls.scope)
            return value if isinstance(value, Function) else held(value, f"{cls.name}.{name}")
        case _:
            return names.symbol_value(it, symbol, cls.scope, name)


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
