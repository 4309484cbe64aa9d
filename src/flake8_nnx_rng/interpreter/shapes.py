"""Which draws are known to be one for all envs, as their shape leaves the envs out."""

from __future__ import annotations

from flake8_nnx_rng.interpreter import containers
from flake8_nnx_rng.interpreter.engine import Interpreter
from flake8_nnx_rng.interpreter.taint import BATCH, EACH_ENV, Entry, carried_in
from flake8_nnx_rng.interpreter.values import (
    NONE,
    Arguments,
    Const,
    Key,
    Stream,
    Table,
    Value,
    taint_of,
)
from flake8_nnx_rng.knowledge.signatures import INDEPENDENT, PERMUTATION, SHAPE, SIGNATURES


def is_shared(
    it: Interpreter, name: str, arguments: Arguments, source: Value, *, behind_key: bool
) -> bool:
    """Whether a draw is known to be one number or row for all envs.

    Args:
        it: The interpreter.
        name: The function of `jax.random`, or the method of a stream.
        arguments: Its arguments.
        source: The key or stream.
        behind_key: Whether the first argument is the key.
    """
    signature = SIGNATURES.get(name)
    if (
        signature is None
        or it.maps_envs
        or it.batches
        or arguments.rest is not None
        or _is_of_one(source)
    ):
        return False
    first = 1 if behind_key else 0
    given = {n: arguments.get(n, first + i) for i, n in enumerate(signature)}
    if name == PERMUTATION:
        return given[INDEPENDENT] in (None, Const(False))
    shape = given.get(SHAPE)
    if shape is not None and shape != NONE:
        return _leaves_envs_out(shape)
    others = (value for parameter, value in given.items() if parameter != SHAPE)
    return SHAPE in signature and all(v is None or isinstance(v, Const) for v in others)


def _is_of_one(source: Value) -> bool:
    """Whether it may be the key of one env, as in a loop over the keys of all, or of its input."""
    taint = taint_of(source)
    if taint & EACH_ENV or Entry.INPUT in taint:
        return True
    regions = source.regions if isinstance(source, (Key, Stream)) else ()
    return bool(carried_in(taint)) and not (regions and all(r.is_one_row for r in regions))


def _leaves_envs_out(shape: Value) -> bool:
    """Whether no part of a shape counts the envs: it is literal, or the end of a batch's shape."""
    if isinstance(shape, Table):
        return not shape.items and not taint_of(shape) & BATCH
    parts = containers.known_items(shape)
    return parts is not None and all(isinstance(part, Const) for part in parts)
