"""What a type annotation says about a value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import libcst as cst

from flake8_nnx_rng.interpreter.taint import Held, Taint
from flake8_nnx_rng.interpreter.values import Arguments, Key, Layer, Opaque, Stream, Value
from flake8_nnx_rng.knowledge import host, layers, library, streams
from flake8_nnx_rng.project import ExternalSymbol, Scope, dotted_names

_WRAPPERS = {"Optional", "Union", "Annotated", "Final", "ClassVar"}


def value_of(
    annotation: cst.BaseExpression, scope: Scope, path: str, taint: Taint | None = None
) -> Value | None:
    """The value held at a path if the annotation names a type that matters, else None."""
    taint = frozenset({Held(path)}) if taint is None else taint
    for name in _type_names(annotation, scope):
        if name in streams.STREAM_TYPES:
            return Stream(taint, path, single=name == streams.STREAM)
        if name in streams.KEY_TYPES:
            return Key(taint, path)
        if name in layers.SELF_WILLED or name in host.GENERATOR_FACTORIES:
            return Layer(name, Arguments(), path, is_built=False)
    return None


def refine(value: Value, annotation: cst.BaseExpression, scope: Scope, name: str) -> Value:
    """Data of unknown type, as the annotation says what it is."""
    if not isinstance(value, Opaque):
        return value
    typed = value_of(annotation, scope, value.path or name, value.taint)
    if isinstance(typed, (Key, Stream, Layer)):
        return replace(typed, path=value.path)
    return value


def _type_names(annotation: cst.BaseExpression, scope: Scope) -> Iterator[str]:
    match annotation:
        case cst.SimpleString():
            text = annotation.evaluated_value
            try:
                yield from _type_names(cst.parse_expression(str(text)), scope)
            except cst.ParserSyntaxError:
                return
        case cst.BinaryOperation():
            yield from _type_names(annotation.left, scope)
            yield from _type_names(annotation.right, scope)
        case cst.Subscript():
            wrapper = annotation.value
            name = wrapper.attr if isinstance(wrapper, cst.Attribute) else wrapper
            if isinstance(name, cst.Name) and name.value in _WRAPPERS:
                for element in annotation.slice:
                    if isinstance(element.slice, cst.Index):
                        yield from _type_names(element.slice.value, scope)
        case cst.Name() | cst.Attribute():
            for symbol, _ in dotted_names(annotation, scope):
                if isinstance(symbol, ExternalSymbol):
                    yield library.canonical(symbol.name)
        case _:
            return
