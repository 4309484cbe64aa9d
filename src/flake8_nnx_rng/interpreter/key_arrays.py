"""Arrays of keys: the rows of a batch, and the keys that a split makes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from flake8_nnx_rng.interpreter.regions import ALL, CURRENT, Region
from flake8_nnx_rng.interpreter.taint import (
    EACH_ENV,
    Call,
    is_of_all,
    is_threaded,
    of_another,
    own,
    spread_as,
)
from flake8_nnx_rng.interpreter.values import NONE, Const, Key, Stream, Value, taint_of

ELLIPSIS = Const(...)


def part_of(key: Key, index: int) -> Key:
    """One of the keys that a split made."""
    return Key(key.taint, None, _taken(key, str(index), is_row=False))


def every_part(key: Key) -> Key:
    """Each of the keys that a split made, one call for all of them."""
    return replace(key, made=_taken(key, ALL, is_row=False))


def parts_of(key: Key) -> tuple[Key, ...] | None:
    """All the keys that a split made, if they are counted along the first axis."""
    if key.count is None or is_of_all(key.taint):
        return None
    return tuple(part_of(key, index) for index in range(key.count))


def nameless(value: Value) -> Value:
    """One of several keys or streams of which it is not known which one it is."""
    return replace(value, made=()) if isinstance(value, (Key, Stream)) else value


def unplaced(value: Value) -> Value:
    """One of several keys that were put together: a row of an array is another one each time."""
    is_known = isinstance(value, Key) and all(region.is_current for region in value.regions)
    return value if is_known else nameless(value)


def row_of(key: Key) -> Key:
    """The key that a loop over an array is at, another one in every round."""
    return Key(spread_as(key.taint, own), key.path, _first(key, CURRENT), key.count)


def _first(key: Key, index: str) -> tuple[Region, ...]:
    """What stands along the first axis of an array, which counts the envs or what a split made."""
    return _taken(key, index, is_row=_has_rows(key))


def _has_rows(key: Key) -> bool:
    return is_of_all(key.taint) or any(region.has_turned_rows for region in key.regions)


def _taken(key: Key, index: str, *, is_row: bool) -> tuple[Region, ...]:
    found = [region.taken(index, is_row=is_row) for region in key.regions]
    known = tuple(region for region in found if region is not None)
    return known if len(known) == len(found) else ()


def indexed(key: Key, index: Value) -> Key:
    """One key of an array; of the rows of all envs, an env's own if the index counts the envs."""
    if index == ELLIPSIS:
        return key
    if Call.ENV in taint_of(index):
        return replace(row_of(key), made=(), count=None)
    if not isinstance(index, Const) or not isinstance(index.value, int):
        return Key(spread_as(key.taint, of_another) | taint_of(index), key.path, made=())
    if key.count and not is_of_all(key.taint):
        return part_of(key, index.value % key.count)
    taint = spread_as(key.taint, of_another) - EACH_ENV
    path = None if is_threaded(taint) else key.path
    return Key(taint, path, _first(key, str(index.value)), key.count)


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
    bounds = (index.start, index.stop, index.step)
    if bounds == (None, None, -1):
        return turned(key, "reversed")
    is_whole = index.start in (None, 0) and index.step is None
    if is_whole and not isinstance(index.stop, int):
        return key
    some = shifted(key)
    if all(bound is None or isinstance(bound, int) for bound in bounds):
        some = replace(some, made=_first(key, ":".join(map(str, bounds))))
    return replace(some, taint=some.taint - EACH_ENV) if is_whole else some


def shifted(key: Key) -> Key:
    """The rows of an array in another order, or some of them: each stands for another env."""
    return replace(key, taint=spread_as(key.taint, of_another), path=None, made=())


def turned(key: Key, turn: str) -> Key:
    """All the rows of an array in another order."""
    is_row = _has_rows(key)
    regions = tuple(region.turned(turn, is_row=is_row) for region in key.regions)
    return replace(shifted(key), made=regions)


def column(key: Key, index: Value) -> Key:
    """What `keys[:, index]` yields for keys that were split env by env."""
    number = index.value if isinstance(index, Const) else None
    if key.count is not None and isinstance(number, int) and -key.count <= number < key.count:
        return part_of(key, number % key.count)
    return Key(key.taint, None, ())
