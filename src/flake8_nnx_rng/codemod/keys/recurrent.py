"""The initial carries of recurrent cells, drawn with a key for each env."""

from __future__ import annotations

import libcst as cst

from flake8_nnx_rng.codemod.envs.kinds import Kind
from flake8_nnx_rng.codemod.envs.mapping import Mapping
from flake8_nnx_rng.codemod.envs.per_env import ROW, PerEnv
from flake8_nnx_rng.codemod.envs.shapes import without_envs
from flake8_nnx_rng.codemod.refusal import RefusedError
from flake8_nnx_rng.codemod.text.imports import name_of_nnx
from flake8_nnx_rng.codemod.text.names import names_in
from flake8_nnx_rng.interpreter.values import Layer, options
from flake8_nnx_rng.knowledge.layers import (
    CARRY_ARGUMENT,
    CARRY_INITIALIZER,
    CARRY_METHOD,
    CELLS,
    KEY_ARGUMENT,
)

_PARAMETERS = ("input_shape", KEY_ARGUMENT, CARRY_INITIALIZER)
_SHAPING = ("seq_lengths", "time_major")


def carry_call(call: cst.Call, keys: str, per_env: PerEnv, is_row: bool) -> str:
    """The initial carry, drawn with a key for each env.

    Raises:
        RefusedError: It is not certain which axis of its shape counts the envs.
    """
    tree, given = per_env.rows.tree, arguments_of(call)
    shape = given.get("input_shape")
    if shape is None:
        raise RefusedError(f"`{per_env.short(call)}` is given no shape")
    initializer = given.get(CARRY_INITIALIZER)
    further = () if initializer is None else (f"{CARRY_INITIALIZER}={per_env.fixed(initializer)}",)
    if is_row:
        text = per_env.text(shape)
    elif per_env.rows.kind(shape) is Kind.SHAPE:
        text = without_envs(shape, per_env.rows, per_env.sheet)
    else:
        axes = per_env.short(shape)
        raise RefusedError(f"it is not certain which axis of `{axes}` counts the envs")
    mapping = Mapping(names_in(call))
    key = keys if is_row else mapping.key
    streams = f"{KEY_ARGUMENT}={name_of_nnx(call, tree)}.Rngs({key})"
    body = f"{per_env.text(call.func)}({', '.join([text, streams, *further])})"
    return body if is_row else mapping.call(per_env.jax, body, keys)


def recurrent_call(call: cst.Call, keys: str, per_env: PerEnv, layer: Layer, is_row: bool) -> str:
    """The call of a recurrent layer that is given an initial carry, drawn for each env.

    Raises:
        RefusedError: It is not certain which axes of its input are which.
    """
    cells = [one for value in layer.arguments.values() for one in options(value)]
    names = {one.name if isinstance(one, Layer) else "" for one in cells[:1]}
    has_axes = any(layer.arguments.get(name) is not None for name in _SHAPING)
    first = call.args[0] if call.args else None
    others = [arg for arg in call.args[1:] if not arg.keyword or arg.keyword.value != KEY_ARGUMENT]
    named = {arg.keyword.value if arg.keyword else "" for arg in others}
    is_plain = first is not None and first.keyword is None and not first.star
    if is_row or has_axes or not is_plain or not names <= CELLS or named & {"", *_SHAPING}:
        raise RefusedError(f"`{per_env.short(call)}` may take its time first, or other axes")
    assert first is not None
    if not per_env.rows.is_rows(first.value):
        raise RefusedError(f"`{per_env.short(call)}` is given nothing that counts the envs")
    given = per_env.text(first.value)
    mapping = Mapping(names_in(call))
    row, function = mapping.row_of(given, ROW), per_env.text(call.func)
    streams = f"{name_of_nnx(call, per_env.rows.tree)}.Rngs({mapping.key})"
    shape = f"(*{row}.shape[:-2], {row}.shape[-1])"
    body = f"{function}.cell.{CARRY_METHOD}({shape}, {KEY_ARGUMENT}={streams})"
    carry = f"{CARRY_ARGUMENT}={mapping.call(per_env.jax, body, keys)}"
    return f"{function}({', '.join([given, carry, *(per_env.text(arg) for arg in others)])})"


def arguments_of(call: cst.Call) -> dict[str, cst.BaseExpression]:
    """The arguments of a call that asks for a carry, by their names."""
    found = {}
    for index, arg in enumerate(call.args):
        if arg.star or index >= len(_PARAMETERS):
            raise RefusedError("a cell takes its arguments from a list")
        found[_PARAMETERS[index] if arg.keyword is None else arg.keyword.value] = arg.value
    return found
