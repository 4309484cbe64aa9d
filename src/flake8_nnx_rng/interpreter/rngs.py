"""Functions of `flax.nnx` on streams, Variables and module state."""

from __future__ import annotations

import libcst as cst

from flake8_nnx_rng.interpreter.engine import Interpreter
from flake8_nnx_rng.interpreter.events import Advanced, Wrote
from flake8_nnx_rng.interpreter.handlers import Handler
from flake8_nnx_rng.interpreter.keys import made_from
from flake8_nnx_rng.interpreter.taint import merge
from flake8_nnx_rng.interpreter.values import (
    Arguments,
    External,
    Function,
    Instance,
    Key,
    Layer,
    Opaque,
    Stream,
    Value,
    blur,
    options,
    taint_of,
)
from flake8_nnx_rng.knowledge import streams


def _construct_stream(name: str) -> Handler:
    single = name == streams.STREAM

    def handler(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
        given = [option for value in arguments.values() for option in options(value)]
        copied = next((v for v in given if isinstance(v, Stream) and v.path is not None), None)
        if copied is not None:  # the copy starts at count 0 and repeats the keys of its original
            return Stream(copied.taint, copied.path, single)
        taint = merge(taint_of(value) for value in given)
        return Stream(made_from(it, name, taint, node), None, single)

    return handler


def _advance_all(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    """`split_rngs(node, ...)` and its kin move every stream below the node."""
    given = [option for value in arguments.values() for option in options(value)]
    for value in given:
        if isinstance(value, (Stream, Instance, Layer)):
            it.emit(Advanced(it.site(node), value))
    for value in given:
        if isinstance(value, Function):
            return value
    return blur(*given)


def _variable(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    """A Variable stands for its content; where it is held, it can be written."""
    return arguments.get("value", 0) or blur(*arguments.values())


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


def _update(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    target = arguments.get("node", 0) or Opaque()
    state = arguments.get("state", 1) or Opaque()
    for option in options(target):
        path = getattr(option, "path", None)
        if path is not None:
            it.emit(Wrote(it.site(node), path, option, state))
    return Opaque()


HANDLERS: dict[str, Handler] = {
    **{name: _construct_stream(name) for name in streams.STREAM_TYPES},
    **dict.fromkeys(streams.ADVANCE_FUNCTIONS, _advance_all),
    **dict.fromkeys(streams.VARIABLE_TYPES, _variable),
    **dict.fromkeys(streams.KEY_TYPES, _key_variable),
    **dict.fromkeys(streams.STATE_FUNCTIONS, _state),
    **dict.fromkeys(streams.WRITE_FUNCTIONS, _update),
}
