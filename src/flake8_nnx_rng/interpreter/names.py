"""What a name means: a variable of a frame, or something the project defines."""

from __future__ import annotations

import libcst as cst

from flake8_nnx_rng.interpreter import declared
from flake8_nnx_rng.interpreter.engine import Interpreter
from flake8_nnx_rng.interpreter.frames import Frame
from flake8_nnx_rng.interpreter.joins import held, join, join_all
from flake8_nnx_rng.interpreter.taint import Held
from flake8_nnx_rng.interpreter.values import (
    Arguments,
    Class,
    Const,
    External,
    Function,
    Opaque,
    Partial,
    SourceModule,
    Value,
)
from flake8_nnx_rng.knowledge import functions, library
from flake8_nnx_rng.project import (
    AnnotatedSymbol,
    ClassSymbol,
    ExpressionSymbol,
    ExternalSymbol,
    FunctionSymbol,
    ParameterSymbol,
    Scope,
    SourceFile,
    Symbol,
    dotted_names,
    lookup,
)
from flake8_nnx_rng.source import Definition, Found, Outside, Place

_CONSTANTS = {"None": None, "True": True, "False": False}


def read_name(it: Interpreter, name: str) -> Value:
    """The value of a name in the call in progress."""
    if name in _CONSTANTS:
        return Const(_CONSTANTS[name])
    frame = it.frame
    home = frame.redirected.get(name)
    for identity in frame.visible if home is None else (home,):
        value = it.read((identity, name))
        if value is not None:
            return value
    return global_value(it, name, frame.scope)


def write_name(it: Interpreter, name: str, value: Value) -> None:
    """Binds a name in the call in progress."""
    frame = it.frame
    place = (frame.redirected.get(name, frame.identity), name)
    known = it.read(place) if frame.is_shared else None
    it.write(place, value if known is None else join(known, value))


def global_value(it: Interpreter, name: str, scope: Scope) -> Value:
    """What a name that no frame holds stands for in the file."""
    found = lookup(name, scope)
    if found is None:
        return Opaque()
    symbols, home = found
    place = (id(home), name)
    if place not in it.globals:
        it.globals[place] = Opaque(frozenset({Held(name)}), name)  # ends a cycle of aliases
        it.globals[place] = join_all(symbol_value(it, s, home, name) for s in symbols)
    return it.globals[place]


def symbol_value(it: Interpreter, symbol: Symbol, scope: Scope, name: str) -> Value:
    """The value that a binding gives to a name, as it is found from outside its scope."""
    unknown = Opaque(frozenset({Held(name)}), name)
    match symbol:
        case ExternalSymbol(dotted):
            return imported(it, dotted, scope.file)
        case ClassSymbol(node):
            return Class(scope.file.class_of(node))
        case FunctionSymbol(node):
            return decorated(it, node, scope)
        case ExpressionSymbol(node):
            return _held_or_literal(in_scope(it, node, scope), name)
        case AnnotatedSymbol(annotation):
            return declared.value_of(annotation, scope, name) or unknown
        case ParameterSymbol(cst.Param(annotation=cst.Annotation(annotation))):
            return declared.value_of(annotation, scope, name) or unknown
        case _:
            return unknown


def imported(it: Interpreter, name: str, file: SourceFile) -> Value:
    """What the full name of an import stands for in a file."""
    return join_all(_value_at(it, one, name, file) for one in file.find(name))


def module_attribute(it: Interpreter, module: SourceModule, name: str) -> Value:
    """What an attribute of a module of the project stands for."""
    file = it.frame.scope.file
    found = file.below(module.name, module.place, name)
    return join_all(_value_at(it, one, f"{module.name}.{name}", file) for one in found)


def _value_at(it: Interpreter, found: Found, name: str, file: SourceFile) -> Value:
    match found:
        case Outside(full):
            return External(library.canonical(full))
        case Place():
            return SourceModule(name, found)
        case Definition(_, defined, attributes):
            home = file.home_of(found)
            value = global_value(it, defined, home)
            for attribute in attributes:
                value = it.attribute(it, value, attribute, home.node)
            return value


def named_by(decorator: cst.Decorator) -> cst.BaseExpression:
    """What a decorator names: `jax.jit` in `@jax.jit` and in `@jax.jit(static_argnums=0)`."""
    expression = decorator.decorator
    return expression.func if isinstance(expression, cst.Call) else expression


def decorated(it: Interpreter, node: cst.FunctionDef, scope: Scope) -> Value:
    """A function as its name finds it: what the project's own decorators make of it."""
    owner = scope.file.class_of(scope.node) if isinstance(scope.node, cst.ClassDef) else None
    value: Value = Function(node, scope, owner=owner)
    for decorator in reversed(node.decorators):
        if any(_changes_calls(s) for s, _ in dotted_names(named_by(decorator), scope)):
            wrapper = in_scope(it, decorator.decorator, scope)
            value = wrapped(it, wrapper, value, decorator)
    return value


def _changes_calls(decorator: Symbol) -> bool:
    """Whether a decorator may change with what a function is called."""
    if isinstance(decorator, ExternalSymbol):
        return library.canonical(decorator.name) in functions.MAPS | {"functools.partial"}
    return isinstance(decorator, FunctionSymbol)


def wrapped(it: Interpreter, wrapper: Value, function: Value, node: cst.CSTNode) -> Value:
    """What a decorator makes of a function; most of a library's leave its draws as they are."""
    if isinstance(wrapper, Function) or _maps(wrapper):
        recording, it.recording = it.recording, False
        made = it.call(wrapper, Arguments((function,)), node)
        it.recording = recording
        return made if isinstance(made, (Function, Partial)) else function
    return function


def _maps(wrapper: Value) -> bool:
    """Whether a decorator is `jax.vmap`, or `partial(jax.vmap, ...)`."""
    function = wrapper.function if isinstance(wrapper, Partial) else wrapper
    return isinstance(function, External) and function.name in functions.MAPS


def in_scope(it: Interpreter, node: cst.BaseExpression, scope: Scope) -> Value:
    """Evaluates an expression where it stands, outside any pass: nothing is recorded."""
    recording, it.recording = it.recording, False
    it.frames.append(Frame(it.identity(scope), scope))
    try:
        return it.evaluate(node)
    finally:
        it.frames.pop()
        it.recording = recording


def _held_or_literal(value: Value, name: str) -> Value:
    """Module-level literals are constants by convention; everything else is held there."""
    return value if isinstance(value, Const) else held(value, name)
