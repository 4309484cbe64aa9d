"""What a call means for each kind of callee."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import libcst as cst

from flake8_nnx_rng.interpreter import (
    assignment,
    children,
    collection_methods,
    containers,
    functions,
    methods,
    modules,
    objects,
)
from flake8_nnx_rng.interpreter.drawing import draw_key
from flake8_nnx_rng.interpreter.engine import Callee, Interpreter
from flake8_nnx_rng.interpreter.joins import join, join_all
from flake8_nnx_rng.interpreter.library import externals, keys
from flake8_nnx_rng.interpreter.taint import Asked, Drawn, is_threaded, within
from flake8_nnx_rng.interpreter.unknown import unknown_call
from flake8_nnx_rng.interpreter.values import (
    Arguments,
    Class,
    Const,
    External,
    Function,
    Instance,
    Key,
    Layer,
    Method,
    Opaque,
    Partial,
    Stream,
    Table,
    Value,
    options,
)
from flake8_nnx_rng.knowledge import streams
from flake8_nnx_rng.knowledge.keys import SAMPLING_METHODS, SAMPLING_PARAMETERS


def call_expression(it: Interpreter, node: cst.Call) -> Value:
    """Evaluates a call: callee first, then arguments, as Python does."""
    if isinstance(node.func, cst.Name) and node.func.value == "super":
        return objects.super_object(it, node)
    callee = it.evaluate(node.func)
    arguments = evaluate_arguments(it, node.args)
    if isinstance(node.func, cst.Attribute):
        _mutate(it, node.func, arguments)
    key = _sampling_key(node.func, callee, arguments)
    if key is not None:
        return keys.sample(it, key, callee, arguments, node)
    return it.call(callee, arguments, node)


def _sampling_key(func: cst.BaseExpression, callee: Value, arguments: Arguments) -> Value | None:
    """The key that a distribution is told to sample with, if that is what a call does."""
    if not isinstance(func, cst.Attribute) or func.attr.value not in SAMPLING_METHODS:
        return None
    if not all(isinstance(option, (Opaque, Method)) for option in options(callee)):
        return None
    named = (arguments.get(name) for name in SAMPLING_PARAMETERS)
    by_position = (value for value in arguments.positional if _is_one_of(value, Key, Stream))
    keys_given = (key for key in (*named, *by_position) if key is not None)
    return next((key for key in keys_given if not _is_no_seed(key)), None)


def _is_one_of(value: Value, *kinds: type[Any]) -> bool:
    return any(isinstance(option, kinds) for option in options(value))


def _is_no_seed(value: Value) -> bool:
    return isinstance(value, Const) and not isinstance(value.value, int)


def evaluate_arguments(it: Interpreter, args: Sequence[cst.Arg]) -> Arguments:
    """Evaluates the arguments of a call in order."""
    positional: list[Value] = []
    keywords: list[tuple[str, Value]] = []
    rest: list[Value] = []
    for argument in args:
        value = it.evaluate(argument.value)
        if argument.keyword is not None:
            keywords.append((argument.keyword.value, value))
        elif argument.star == "*":
            items = containers.known_items(value)
            if items is not None and not rest:
                positional.extend(items)
            else:
                rest.append(containers.element(value))
        elif argument.star == "**":
            named, others = _keywords_in(value)
            keywords.extend(named)
            rest.extend(others)
        else:
            positional.append(value)
    return Arguments(tuple(positional), tuple(keywords), join_all(rest) if rest else None)


def _keywords_in(value: Value) -> tuple[list[tuple[str, Value]], list[Value]]:
    if isinstance(value, Table):
        named = [(str(key), v) for key, v in value.items]
        return named, [] if value.rest is None else [value.rest]
    return [], [containers.element(option) for option in options(value)]


def _mutate(it: Interpreter, func: cst.Attribute, arguments: Arguments) -> None:
    """`xs.append(x)`: what `xs` names from now on."""
    name = func.attr.value
    if name not in collection_methods.MUTATORS:
        return
    receivers = options(it.evaluate(func.value))
    assignment.note_mutation(it, func.value, func, arguments.values())
    changed = [collection_methods.mutate(receiver, name, arguments) for receiver in receivers]
    pairs = [(old, new) for old, new in zip(receivers, changed, strict=True) if new is not None]
    for old, new in pairs:
        it.replace_object(old, new if len(receivers) == 1 else join(old, new))
    if pairs:
        untouched = [old for old, new in zip(receivers, changed, strict=True) if new is None]
        after = join_all([*(new for _, new in pairs), *untouched])
        assignment.rebind(it, func.value, receivers[0], after)


def _partial(it: Interpreter, callee: Partial, arguments: Arguments, node: cst.CSTNode) -> Value:
    given = callee.arguments
    merged = Arguments(
        (*given.positional, *arguments.positional),
        (*given.keywords, *arguments.keywords),
        arguments.rest or given.rest,
    )
    return it.call(callee.function, merged, node)


def _external(it: Interpreter, callee: External, arguments: Arguments, node: cst.CSTNode) -> Value:
    return externals.call_external(it, callee.name, arguments, node)


def _method(it: Interpreter, callee: Method, arguments: Arguments, node: cst.CSTNode) -> Value:
    return methods.call_method(it, callee.receiver, callee.name, arguments, node)


def _stream(it: Interpreter, callee: Stream, arguments: Arguments, node: cst.CSTNode) -> Value:
    return draw_key(it, callee, node)


def _class(it: Interpreter, callee: Class, arguments: Arguments, node: cst.CSTNode) -> Value:
    return objects.construct(it, callee.info, arguments, node)


def _opaque(it: Interpreter, callee: Opaque, arguments: Arguments, node: cst.CSTNode) -> Value:
    """Calls something of unknown type: if held, a child, a function, perhaps a stream."""
    if callee.path is None:
        return unknown_call(it, "an unknown function", callee, arguments, node)
    base, _, name = callee.path.rpartition(".")
    stream = methods.assumed_stream(callee, base, name)
    if stream is not None and stream[1]:
        return methods.call_method(it, *stream, arguments, node)
    if stream is not None and not arguments.values():
        return draw_key(it, stream[0], node)
    if base and name in streams.VARIABLE_METHODS:
        return methods.call_method(it, replace(callee, path=base), name, arguments, node)
    if base and name in collection_methods.METHODS and is_threaded(callee.taint):
        whole = Opaque(within(callee.taint, callee.path, base), base)
        key = arguments.get("", 0) if name in collection_methods.KEYED else None
        return whole if key is None else containers.item(whole, key)
    if base and name in _VIEWS and not arguments.values():
        return collection_methods.METHODS[name](replace(callee, path=base), arguments)
    result = unknown_call(it, callee.path, callee, arguments, node)
    if Drawn(node) not in result.taint:  # nothing was handed over, which would be told instead
        result = Opaque(result.taint | {Asked(callee.path, node)})
    return children.call_unknown(it, callee.path, result, arguments, node)


_VIEWS = frozenset({"items", "values"})
"""Methods by which the content of a held dict is found, also where its type is unknown."""

CALLEES: dict[type[Any], Callee] = {
    Class: _class,
    External: _external,
    Function: functions.call_function,
    Instance: modules.call_instance,
    Layer: modules.call_layer,
    Method: _method,
    Opaque: _opaque,
    Partial: _partial,
    Stream: _stream,
}
