"""Layers that draw by themselves, given a key for each env."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from flake8_nnx_rng.codemod.envs.kinds import Kind
from flake8_nnx_rng.codemod.envs.mapping import Mapping
from flake8_nnx_rng.codemod.envs.per_env import ROW, PerEnv
from flake8_nnx_rng.codemod.keys.recurrent import carry_call, recurrent_call
from flake8_nnx_rng.codemod.keys.sites import is_carry
from flake8_nnx_rng.codemod.refusal import RefusedError
from flake8_nnx_rng.codemod.text.imports import name_of_nnx
from flake8_nnx_rng.codemod.text.names import names_in
from flake8_nnx_rng.codemod.text.structure import assigning
from flake8_nnx_rng.interpreter import Audit, Drew
from flake8_nnx_rng.knowledge.layers import KEY_ARGUMENT

TAKING_KEYS = frozenset({"flax.nnx.Dropout", "flax.nnx.bridge.ToNNX"})
"""Layers that are told which key to draw with when they are called."""

RECURRENT = "flax.nnx.RNN"


def layer_call(
    call: cst.Call, keys: str, per_env: PerEnv, audits: Sequence[Audit], is_row: bool
) -> str:
    """The call of a layer that is told which key to draw with.

    Raises:
        RefusedError: The layer takes no key, or it is not certain what of it counts the envs.
    """
    layers = [
        event.layer
        for audit in audits
        for event in audit.events()
        if isinstance(event, Drew) and event.layer is not None and event.site.node is call
    ]
    if is_carry(call):
        return carry_call(call, keys, per_env, is_row)
    names = {layer.name for layer in layers}
    if names == {RECURRENT} and not _has_layers(call, [str(one.path) for one in layers], per_env):
        return recurrent_call(call, keys, per_env, layers[0], is_row)
    unable = sorted(names - TAKING_KEYS)
    if unable:
        raise RefusedError(f"{unable[0].removeprefix('flax.')} takes no key when it is called")
    has_many = _has_layers(call, [str(layer.path) for layer in layers], per_env)
    mapping = Mapping(names_in(call))
    parts = []
    for arg in call.args:
        if arg.star:
            raise RefusedError(f"`{per_env.short(call.func)}` takes its arguments from a list")
        if arg.keyword is not None and arg.keyword.value == KEY_ARGUMENT:
            continue
        prefix = "" if arg.keyword is None else f"{arg.keyword.value}="
        kind_of = Kind.FIXED if is_row else per_env.rows.kind(arg.value)
        if kind_of in (Kind.ROWS, Kind.TREE):
            parts.append(prefix + mapping.row_of(per_env.text(arg.value), ROW))
        elif kind_of is Kind.FIXED:
            parts.append(prefix + per_env.text(arg.value))
        else:
            text = per_env.short(arg.value)
            raise RefusedError(f"it is not certain whether `{text}` is of one env")
    function = per_env.text(call.func)
    rngs = f"{name_of_nnx(call, per_env.rows.tree)}.Rngs({{}})" if has_many else "{}"
    if is_row:
        return f"{function}({', '.join([*parts, f'{KEY_ARGUMENT}={rngs.format(keys)}'])})"
    if not mapping.given:
        raise RefusedError(f"`{per_env.short(call)}` is given nothing that counts the envs")
    body = f"{function}({', '.join([*parts, f'{KEY_ARGUMENT}={rngs.format(mapping.key)}'])})"
    return mapping.call(per_env.jax, body, keys)


def _has_layers(call: cst.Call, paths: list[str], per_env: PerEnv) -> bool:
    """Whether what is called is a sequence of layers, rather than the one that draws.

    Raises:
        RefusedError: It may be something else.
    """
    tree, function = per_env.rows.tree, per_env.rows.tree.function(call)
    code = tree.code(call.func)
    if isinstance(call.func, cst.Name) and function is not None:
        values = [tree.code(assign.value) for assign in assigning(code, function, tree)]
        code = values[0] if len(values) == 1 else code
    within = code.removeprefix("self")  # in a child, where the path is longer
    if within.startswith(".") and all(path.endswith(within) for path in paths):
        return False
    if within.startswith(".") and all(f"{within}.layers[" in path for path in paths):
        return True
    raise RefusedError(f"`{per_env.short(call.func)}` may be another layer than the one that draws")
