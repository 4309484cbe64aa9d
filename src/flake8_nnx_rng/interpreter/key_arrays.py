"""Arrays of keys: the rows of a batch, and the keys that a split makes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from flake8_nnx_rng.interpreter.taint import (
    EACH_ENV,
    Call,
    is_of_all,
    is_threaded,
    of_another,
    own,
    spread_as,
)
from flake8_nnx_rng.interpreter.values import NONE, Const, Key, Value, taint_of

ELLIPSIS = Const(...)


def part_of(key: Key, index: int) -> Key:
    """One of the keys that a split made."""
    made = "" if key.name is None else f"{key.name}[{index}]"
    return Key(key.taint, None, made)


def parts_of(key: Key) -> tuple[Key, ...] | None:
    """All the keys that a split made, if they are counted along the first axis."""
    if key.count is None or is_of_all(key.taint):
        return None
    return tuple(part_of(key, index) for index in range(key.count))


def nameless(value: Value) -> Value:
    """One of several keys of which it is not known which one it is."""
    return replace(value, made="") if isinstance(value, Key) else value


def row_of(key: Key) -> Key:
    """The key that a loop over an array is at, another one in every round."""
    return Key(spread_as(key.taint, own), key.path, made="")


def indexed(key: Key, index: Value) -> Key:
    """One key of an array; of the rows of all envs, an env's own if the index counts the envs."""
    if index == ELLIPSIS:
        return key
    if Call.ENV in taint_of(index):
        return row_of(key)
    if not isinstance(index, Const) or not isinstance(index.value, int):
        return Key(spread_as(key.taint, of_another) | taint_of(index), key.path, made="")
    if key.count and not is_of_all(key.taint):
        return part_of(key, index.value % key.count)
    taint = spread_as(key.taint, of_another) - EACH_ENV
    made = "" if key.name is None else f"{key.name}[{index.value}]"
    path = None if is_threaded(taint) else key.path
    return Key(taint, path, made, key.count)


def along_axes(key: Key, indices: Sequence[Value | slice]) -> Key:
    """What `keys[i, j]` yields: each index takes from the first axis, or from a later one."""
    is_first = True
    for index in indices:
        if index == NONE:  # a new axis
            continue
        if isinstance(index, slice):
            key = section(key, index) if is_first else key
            is_first = False
        elif index == ELLIPSIS:
            is_first = False
        else:
            key = indexed(key, index) if is_first else column(key, index)
    return key


def section(key: Key, index: slice) -> Key:
    """What a slice yields: all rows, if it may be all of them, else some of them or in disorder."""
    is_whole = index.start in (None, 0) and index.step is None
    if is_whole and not isinstance(index.stop, int):
        return key
    some = shifted(key)
    return replace(some, taint=some.taint - EACH_ENV) if is_whole else some


def shifted(key: Key) -> Key:
    """The rows of an array in another order, or some of them: each stands for another env."""
    return replace(key, taint=spread_as(key.taint, of_another), path=None, made="")


def column(key: Key, index: Value) -> Key:
    """What `keys[:, index]` yields for keys that were split env by env."""
    number = index.value if isinstance(index, Const) else None
    if key.count is not None and isinstance(number, int) and -key.count <= number < key.count:
        return part_of(key, number % key.count)
    return Key(key.taint, None, "")
