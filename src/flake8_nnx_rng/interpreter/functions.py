"""Calling functions of the project: binding parameters, running the body."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from flake8_nnx_rng.interpreter import containers, declared, journal, names
from flake8_nnx_rng.interpreter.engine import Interpreter
from flake8_nnx_rng.interpreter.events import Advanced
from flake8_nnx_rng.interpreter.frames import Frame
from flake8_nnx_rng.interpreter.joins import held, join_all, join_stores
from flake8_nnx_rng.interpreter.values import (
    NONE,
    Arguments,
    Bag,
    Const,
    External,
    Function,
    Instance,
    Items,
    Layer,
    Opaque,
    Record,
    Stream,
    Table,
    Value,
    blur,
    options,
)
from flake8_nnx_rng.knowledge import library, streams
from flake8_nnx_rng.knowledge.functions import TRACES
from flake8_nnx_rng.project import ExternalSymbol, Scope, dotted_names

ENTRY = "__call__"
"""The method that PPO calls."""

MAX_CALLS = 40
"""Depth of calls beyond which a call is treated as unknown."""

MAX_RECURSION = 2
"""How often one function may be on the stack."""


def call_function(
    it: Interpreter, function: Function, arguments: Arguments, node: cst.CSTNode
) -> Value:
    """Runs a function's body with the arguments bound, and joins what it returns.

    A call that was seen before in the same circumstances is not run again: helpers that call
    helpers would otherwise take exponential time, and their events are known.
    """
    if function.bound is not None:
        arguments = arguments.before(function.bound)
    if it.active.count(function.node) >= MAX_RECURSION or len(it.active) >= MAX_CALLS:
        it.cut_short += 1
        return blur(*arguments.values())
    is_elsewhere = it.recording and function.scope.file is not it.frames[0].scope.file
    circumstances = (
        function,
        arguments,
        it.recording,
        it.repeated,
        it.maps_envs,
        it.batches,
        it.anchor(node) if is_elsewhere else None,  # what happens elsewhere is told here
        it.objects_version,
    )
    if circumstances in it.results:
        result, deeds = it.results[circumstances]
        return journal.repeat(it, deeds, result, node)
    cut_short, entries = it.cut_short, len(it.journal)
    frame = _frame(it, function, node)
    result, deeds = journal.closing(it, entries, _run(it, function, arguments, frame))
    if it.store is None or frame.keeps_variables:
        return result
    _forget(it, frame)
    is_whole = it.cut_short == cut_short and it.objects_version == circumstances[-1]
    if is_whole and not function.frames:
        it.results[circumstances] = result, deeds
    return result


def _frame(it: Interpreter, function: Function, node: cst.CSTNode) -> Frame:
    caller = it.frame
    scope = function.scope
    if isinstance(function.node, cst.FunctionDef):
        scope = function.scope.file.scope_of(function.node)
    label = _label(it, function)
    identity = it.identity_here(function.node, node, function.frames)
    return Frame(
        identity,
        scope,
        function.frames,
        label,
        function.bound or caller.receiver,
        function.owner,
        node,
        it.anchor(node),
        is_traced=caller.is_traced or _is_traced(function, node, caller.scope),
        is_shared=identity in it.kept,
    )


def _is_traced(function: Function, call: cst.CSTNode, scope: Scope) -> bool:
    """Whether JAX traces a function that is called: by its decorators, or by what calls it."""
    decorators = function.node.decorators if isinstance(function.node, cst.FunctionDef) else ()
    by_decorators = (n for d in decorators for n in _applied(d.decorator))
    return any(_names_trace(node, function.scope) for node in by_decorators) or any(
        _names_trace(node, scope) for node in _applied(call)
    )


def _applied(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """What `f`, `f(...)`, `f(...)(...)` and `partial(f, ...)` apply."""
    yield node
    while isinstance(node, cst.Call):
        yield from (argument.value for argument in node.args[:1])
        node = node.func
        yield node


def _names_trace(node: cst.CSTNode, scope: Scope) -> bool:
    if not isinstance(node, (cst.Name, cst.Attribute)):
        return False
    symbols = (symbol for symbol, _ in dotted_names(node, scope))
    return any(
        isinstance(symbol, ExternalSymbol) and library.canonical(symbol.name) in TRACES
        for symbol in symbols
    )


def _label(it: Interpreter, function: Function) -> str:
    """The name of a call in a trail, with its class where that is not the caller's own."""
    is_entry = len(it.frames) == 1
    if isinstance(function.node, cst.Lambda):
        name = ENTRY if is_entry else ""
    else:
        name = function.node.name.value
    bound = function.bound
    owner = bound.cls if isinstance(bound, (Instance, Record)) else None
    if name and owner is not None and (is_entry or bound != it.frames[0].receiver):
        return f"{owner.name}.{name}"
    return name


def _run(it: Interpreter, function: Function, arguments: Arguments, frame: Frame) -> Value:
    it.active.append(function.node)
    it.frames.append(frame)
    try:
        _bind(it, function, arguments)
        _apply_decorators(it, function)
        return _result(it, function.node, frame)
    finally:
        it.frames.pop()
        it.active.pop()


def _result(it: Interpreter, node: cst.FunctionDef | cst.Lambda, frame: Frame) -> Value:
    if isinstance(node, cst.Lambda):
        return it.evaluate(node.body)
    it.execute(node.body.body)
    if it.store is not None:
        frame.returned.append(NONE)
    for store in frame.exits:
        it.store = join_stores(it.store, store)
    if frame.yielded:
        return Bag(join_all(frame.yielded))
    return join_all(frame.returned) if frame.returned else Opaque()


def _bind(it: Interpreter, function: Function, arguments: Arguments) -> None:
    parameters = function.node.params
    ordered = [*parameters.posonly_params, *parameters.params]
    given = dict(arguments.keywords)
    for index, parameter in enumerate(ordered):
        name = parameter.name.value
        if index < len(arguments.positional):
            value: Value | None = arguments.positional[index]
        else:
            value = given.pop(name, None)
        _bind_one(it, function, parameter, value, arguments.rest)
    for parameter in parameters.kwonly_params:
        _bind_one(it, function, parameter, given.pop(parameter.name.value, None), arguments.rest)
    if isinstance(parameters.star_arg, cst.Param):
        more = arguments.positional[len(ordered) :]
        rest = [] if arguments.rest is None else [arguments.rest]
        value = containers.bag([*more, *rest]) if rest else Items(more)
        names.write_name(it, parameters.star_arg.name.value, value)
    if isinstance(parameters.star_kwarg, cst.Param):
        table = Table(tuple(given.items()), arguments.rest)
        names.write_name(it, parameters.star_kwarg.name.value, table)


def _bind_one(
    it: Interpreter,
    function: Function,
    parameter: cst.Param,
    value: Value | None,
    rest: Value | None,
) -> None:
    name = parameter.name.value
    if value is None and parameter.default is not None:
        default = _default(it, function, parameter.default, name)
        value = default if rest is None else join_all([default, rest])
    if value is None:
        value = Opaque() if rest is None else rest
    if parameter.annotation is not None:
        annotation = parameter.annotation.annotation
        value = declared.refine(value, annotation, it.frame.scope, name)
    names.write_name(it, name, value)


def _default(it: Interpreter, function: Function, node: cst.BaseExpression, name: str) -> Value:
    """A default is evaluated once, when the function is defined; it outlives the calls."""
    if function.frames:
        known = dict(function.defaults).get(name)
        return it.evaluate(node) if known is None else known
    value = names.in_scope(it, node, function.scope)
    if isinstance(value, Const):
        return value
    label = function.node.name.value if isinstance(function.node, cst.FunctionDef) else "lambda"
    return held(value, f"{label}({name}=...)")


def _apply_decorators(it: Interpreter, function: Function) -> None:
    """`@nnx.split_rngs(...)` advances the streams of whatever the function is given."""
    if not isinstance(function.node, cst.FunctionDef) or not function.node.decorators:
        return
    for decorator in function.node.decorators:
        named = names.named_by(decorator)
        if not isinstance(named, (cst.Name, cst.Attribute)):
            continue
        for option in options(it.evaluate(named)):
            if isinstance(option, External) and option.name in streams.ADVANCE_FUNCTIONS:
                _advance_parameters(it, function.node, decorator)


def _advance_parameters(it: Interpreter, node: cst.FunctionDef, at: cst.CSTNode) -> None:
    for parameter in node.params.params:
        for value in options(names.read_name(it, parameter.name.value)):
            if isinstance(value, (Stream, Instance, Layer)):
                it.emit(Advanced(it.site(at), value))


def _forget(it: Interpreter, frame: Frame) -> None:
    """Drops the call's variables: no function defined in it may still read them."""
    assert it.store is not None
    for place in [place for place in it.store if place[0] == frame.identity]:
        del it.store[place]
