"""Maps over the envs: inside one, a value of the carry is the row of a single env."""

from __future__ import annotations

from dataclasses import replace

from flake8_nnx_rng.interpreter import key_arrays, taint, trees
from flake8_nnx_rng.interpreter.engine import Interpreter
from flake8_nnx_rng.interpreter.taint import Entry, Spread, carried_in, spread_as
from flake8_nnx_rng.interpreter.values import Bag, Items, Key, Opaque, Table, Value, taint_of

MAPPED = "flake8_nnx_rng.mapped"
"""The name of a function that is called with rows: of the function, its in_axes and out_axes."""

VECTORIZED = "flake8_nnx_rng.vectorized"
"""The same of one that may also be called with a single row, as `jnp.vectorize` yields."""


def mapped(value: Value) -> Value:
    """What a mapped function is given of an argument: one row of each of its leaves."""
    return trees.rebuilt(value, _row)


def unmapped(value: Value, *, keys_first: bool) -> Value:
    """What a map over the envs returns: the rows of all; `keys_first` is `out_axes=1`."""
    if keys_first and isinstance(value, Key) and value.count is not None:
        parts = (key_arrays.part_of(value, index) for index in range(value.count))
        return Items(tuple(unmapped(part, keys_first=False) for part in parts))
    if keys_first and isinstance(value, Key):
        return Bag(unmapped(key_arrays.nameless(value), keys_first=False))
    return trees.rebuilt(value, _of_all)


def is_of_all(value: Value) -> bool:
    """Whether any leaf has a row for every env, be it in another order."""
    return any(_is_batch(leaf) for leaf in trees.leaves(value))


def _is_batch(leaf: Value) -> bool:
    if isinstance(leaf, Key) and any(region.has_turned_rows for region in leaf.regions):
        return True
    return isinstance(leaf, (Key, Opaque)) and taint.is_of_all(leaf.taint)


def shape(it: Interpreter, array: Value) -> Value:
    """The shape of an array: of what has a row for each env, the first axis counts the envs."""
    is_batched = not it.maps_envs and (is_of_all(array) or Entry.INPUT in taint_of(array))
    return Table(((0, Opaque(taint.BATCH)),), Opaque()) if is_batched else Opaque()


def single_keys(value: Value) -> list[Key]:
    """The carried keys of a single env in a value, which have no axis left to map over."""
    return [
        leaf
        for leaf in trees.leaves(value)
        if isinstance(leaf, Key)
        and leaf.path is not None
        and any(source.spread is Spread.OWN for source in carried_in(leaf.taint))
    ]


def _row(leaf: Value) -> Value:
    match leaf:
        case Key(sources, _, _, count) if not taint.is_of_all(sources):
            # An axis of split keys is mapped over: each call sees another one of them.
            return leaf if count is None else replace(key_arrays.every_part(leaf), count=None)
        case Key(sources) | Opaque(sources) if carried_in(sources):
            return replace(leaf, taint=spread_as(sources, taint.own))
        case _:
            return leaf


def _of_all(leaf: Value) -> Value:
    if isinstance(leaf, (Key, Opaque)):
        return replace(leaf, taint=spread_as(leaf.taint, taint.of_all))
    return leaf
