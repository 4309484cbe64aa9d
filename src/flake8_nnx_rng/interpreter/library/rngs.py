"""Functions of `flax.nnx` on streams, Variables and module state."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeGuard

import libcst as cst

from flake8_nnx_rng.interpreter import uses
from flake8_nnx_rng.interpreter.engine import Interpreter
from flake8_nnx_rng.interpreter.events import Advanced, Use, Wrote
from flake8_nnx_rng.interpreter.library.handlers import Handler
from flake8_nnx_rng.interpreter.library.keys import made_from
from flake8_nnx_rng.interpreter.taint import merge
from flake8_nnx_rng.interpreter.values import (
    Arguments,
    External,
    Function,
    Instance,
    Items,
    Key,
    Layer,
    Opaque,
    Partial,
    Stream,
    Value,
    blur,
    options,
    taint_of,
)
from flake8_nnx_rng.knowledge import layers, streams


def _construct_stream(name: str) -> Handler:
    single = name == streams.STREAM

    def handler(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
        given = [option for value in arguments.values() for option in options(value)]
        copied = next((v for v in given if isinstance(v, Stream) and v.path is not None), None)
        if copied is not None:  # the copy starts at count 0 and repeats the keys of its original
            return Stream(copied.taint, copied.path, single, copied=True)
        for value in arguments.values():
            if any(isinstance(option, Key) for option in options(value)):
                uses.use(it, value, Use.FOLDED, node)  # each of its keys is folded into it
        taint = merge(taint_of(value) for value in given)
        keys = [value for value in given if isinstance(value, Key)]
        origin = keys[0] if len(keys) == len(given) == 1 else None
        made = uses.make(it, taint, node, origin=origin).regions if origin is not None else ()
        return Stream(
            made_from(it, name, taint, node, from_key=bool(keys)), None, single, made=made
        )

    return handler


def _advance_all(name: str) -> Handler:
    """`split_rngs(node, ...)` and its kin move every stream below the node."""
    restarts = name in streams.RESTART_FUNCTIONS

    def handler(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
        given = [option for value in arguments.values() for option in options(value)]
        for value in given:
            if isinstance(value, (Stream, Instance)) or _has_stream(value):
                it.emit(Advanced(it.site(node), value, restarts))
        for value in given:
            if isinstance(value, (Function, Partial)):
                return value
        return blur(*given)

    return handler


def _has_stream(value: Value) -> TypeGuard[Layer]:
    return isinstance(value, Layer) and value.name in layers.DRAWING_LAYERS


def _variable(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    """A Variable stands for its content; where it is held, it can be written."""
    content = arguments.get("value", 0) or blur(*arguments.values())
    return replace(content, path=None) if isinstance(content, (Key, Opaque)) else content


def _key_variable(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    return Key(merge(taint_of(value) for value in arguments.values()))


def _state(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    """`nnx.state(node, RngState)` is random state; without such a filter, only data."""
    target, *filters = arguments.positional or (Opaque(),)
    data = blur(target, *arguments.values())
    wanted = {option.name for f in filters for option in options(f) if isinstance(option, External)}
    if wanted & streams.STATE_FILTERS or isinstance(target, Stream):
        return Key(data.taint)
    return data


def _split(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    """`nnx.split(module, ...)`: a graph definition that `nnx.merge` makes the module of again."""
    target = arguments.get("node", 0) or Opaque()
    states = max(1, len(arguments.positional) - 1)
    return Items((Partial(External(MERGE), Arguments((target,))), *[blur(target)] * states))


def _merge(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    definition = arguments.get("graphdef", 0) or Opaque()
    if isinstance(definition, Partial) and definition.function == External(MERGE):
        return definition.arguments.positional[0]
    return blur(*arguments.values())


def _update(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    target = arguments.get("node", 0) or Opaque()
    state = arguments.get("state", 1) or Opaque()
    for option in options(target):
        path = getattr(option, "path", None)
        if path is not None:
            it.emit(Wrote(it.site(node), path, option, state))
    return Opaque()


MERGE = "flax.nnx.merge"

HANDLERS: dict[str, Handler] = {
    **{name: _construct_stream(name) for name in streams.STREAM_TYPES},
    **{name: _advance_all(name) for name in streams.ADVANCE_FUNCTIONS},
    **dict.fromkeys(streams.VARIABLE_TYPES, _variable),
    **dict.fromkeys(streams.KEY_TYPES, _key_variable),
    **dict.fromkeys(streams.STATE_FUNCTIONS, _state),
    **dict.fromkeys(streams.WRITE_FUNCTIONS, _update),
    "flax.nnx.split": _split,
    MERGE: _merge,
}
