"""Maps over the envs: inside one, a value of the carry is the row of a single env."""

from __future__ import annotations

from dataclasses import replace

from flake8_nnx_rng.interpreter import containers
from flake8_nnx_rng.interpreter.engine import BATCH
from flake8_nnx_rng.interpreter.taint import Spread, Taint, carried_in, spread_as
from flake8_nnx_rng.interpreter.values import Items, Key, Opaque, Value


def mapped(value: Value) -> Value:
    """What a mapped function is given of an argument: one row of each of its leaves."""
    return containers.rebuilt(value, _row)


def unmapped(value: Value, *, keys_first: bool) -> Value:
    """What a map over the envs returns: the rows of all; `keys_first` is `out_axes=1`."""
    if keys_first and isinstance(value, Key) and value.count is not None:
        parts = (containers.part_of(value, index) for index in range(value.count))
        return Items(tuple(unmapped(part, keys_first=False) for part in parts))
    return containers.rebuilt(value, _of_all)


def is_of_all(value: Value) -> bool:
    """Whether any leaf has a row for every env."""
    return any(containers.is_of_all(_taint(leaf)) for leaf in containers.leaves(value))


def _taint(leaf: Value) -> Taint:
    return leaf.taint if isinstance(leaf, (Key, Opaque)) else frozenset()


def _row(leaf: Value) -> Value:
    match leaf:
        case Key(taint, _, _, count):
            if containers.is_of_all(taint):
                return replace(leaf, taint=spread_as(taint, containers.own))
            # An axis of split keys is mapped over: each call sees another one of them.
            made = leaf.made if count is None or leaf.name is None else f"{leaf.name}[...]"
            return replace(leaf, made=made, count=None)
        case Opaque(taint) if carried_in(taint):
            return replace(leaf, taint=spread_as(taint, containers.own))
        case Opaque(taint):  # another number for each env, as of `arange(batch_size)`
            return replace(leaf, taint=taint | BATCH)
        case _:
            return leaf


def _of_all(leaf: Value) -> Value:
    if isinstance(leaf, (Key, Opaque)):
        return replace(leaf, taint=spread_as(leaf.taint, _all))
    return leaf


def _all(spread: Spread) -> Spread:
    return Spread.ALL if spread is Spread.OWN else spread
