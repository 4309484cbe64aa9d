"""Arrays of keys: the rows of a batch, and the keys that a split makes."""

from __future__ import annotations

from dataclasses import replace

from flake8_nnx_rng.interpreter.taint import (
    BATCH,
    is_of_all,
    is_threaded,
    of_another,
    own,
    spread_as,
)
from flake8_nnx_rng.interpreter.values import Const, Key, Value, taint_of


def part_of(key: Key, index: int) -> Key:
    """One of the keys that a split made."""
    made = "" if key.name is None else f"{key.name}[{index}]"
    return Key(key.taint, None, made)


def parts_of(key: Key) -> tuple[Key, ...] | None:
    """All the keys that a split made, if they are counted along the first axis."""
    if key.count is None or is_of_all(key.taint):
        return None
    return tuple(part_of(key, index) for index in range(key.count))


def row_of(key: Key) -> Key:
    """The key that a loop over an array is at, another one in every round."""
    return Key(spread_as(key.taint, own), key.path, made="")


def indexed(key: Key, index: Value) -> Key:
    """One key of an array; of the rows of all envs, that of one env if the index is a literal."""
    if not isinstance(index, Const) or not isinstance(index.value, int):
        return replace(row_of(key), taint=spread_as(key.taint, own) | taint_of(index))
    if key.count and not is_of_all(key.taint):
        return part_of(key, index.value % key.count)
    taint = spread_as(key.taint, of_another) - BATCH
    made = "" if key.name is None else f"{key.name}[{index.value}]"
    path = None if is_threaded(taint) else key.path
    return Key(taint, path, made, key.count)


def shifted(key: Key) -> Key:
    """The rows of an array in another order, or some of them: each stands for another env."""
    return replace(key, taint=spread_as(key.taint, of_another), path=None, made="")


def column(key: Key, index: int) -> Key:
    """What `keys[:, index]` yields for keys that were split env by env."""
    if key.count is not None and -key.count <= index < key.count:
        return part_of(key, index % key.count)
    return Key(key.taint, None, "")
