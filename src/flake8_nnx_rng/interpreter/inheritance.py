"""What classes give their objects: members along the MRO, bound, and what libraries define."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import libcst as cst

from flake8_nnx_rng.interpreter import containers, declared, envs, names
from flake8_nnx_rng.interpreter.engine import Interpreter
from flake8_nnx_rng.interpreter.joins import held, join_all
from flake8_nnx_rng.interpreter.taint import Held
from flake8_nnx_rng.interpreter.values import (
    Arguments,
    Class,
    External,
    Function,
    Instance,
    Items,
    Layer,
    Method,
    Opaque,
    Partial,
    Record,
    Value,
)
from flake8_nnx_rng.knowledge import layers, library
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

_PROPERTIES = {"property", "cached_property"}
_STATIC = "staticmethod"
CLASS_METHOD = "classmethod"


def member(it: Interpreter, cls: ClassInfo, name: str) -> Value | None:
    """What the classes of the project bind a name to, along the MRO; None if none does."""
    for ancestor in it.hierarchy.mro(cls):
        if isinstance(ancestor, ClassInfo) and (symbols := ancestor.member(name)):
            return join_all(_class_value(it, symbol, ancestor, name) for symbol in symbols)
    return None


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
    if CLASS_METHOD in kinds and instance.cls is not None:
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


def inherited_method(ancestors: Iterable[ClassInfo | LibraryClass], name: str) -> External | None:
    """A method that `StatefulModule` defines, if nothing between can define another."""
    libraries = (one.name for one in ancestors if isinstance(one, LibraryClass))
    owner = next((one for one in libraries if one != library.SAMPLER), None)
    is_its_own = owner == library.STATEFUL and name in library.INHERITED
    return External(library.INHERITED[name]) if is_its_own else None


def member_after(
    it: Interpreter, instance: Instance, after: ClassInfo, name: str, node: cst.CSTNode
) -> Value:
    """What `super().name` is: what the classes behind one along the MRO bind the name to."""
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
    inherited = inherited_method(rest, name)
    if inherited is not None:
        return inherited
    # A library's own method: its draws are the library's business, its result depends on us.
    return Method(Opaque(), f"super().{name}")


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
