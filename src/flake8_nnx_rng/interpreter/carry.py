"""The carry that PPO hands in: what `initialize_state` returned, each part known by its path."""

from __future__ import annotations

from flake8_nnx_rng.interpreter.joins import join, join_all
from flake8_nnx_rng.interpreter.taint import Carried
from flake8_nnx_rng.interpreter.values import (
    NONE,
    Bag,
    Choice,
    Const,
    Items,
    Key,
    Opaque,
    Record,
    Table,
    Value,
)

ROOT = "state"
"""The path of the whole carry."""

UNKNOWN_CARRY = Opaque(frozenset({Carried(ROOT)}), ROOT)
"""The carry of a class whose `initialize_state` is not known."""


def carried(initial: Value, path: str = ROOT) -> Value:
    """The state that PPO hands in: what `initialize_state` returned, step after step."""
    unknown = Opaque(frozenset({Carried(path)}), path)
    match initial:
        case Const(None):  # "if state is None: ...": the state of later steps is another
            return join(NONE, unknown)
        case Key():
            return Key(unknown.taint, path)
        case Items(items):
            return Items(tuple(carried(v, f"{path}[{i}]") for i, v in enumerate(items)))
        case Bag(element):
            return Bag(carried(element, f"{path}[...]"))
        case Table(items, rest):
            entries = tuple((key, carried(v, f"{path}[{key!r}]")) for key, v in items)
            return Table(entries, None if rest is None else carried(rest, f"{path}[...]"))
        case Record(_, fields):
            return initial.with_values(carried(v, f"{path}.{f}") for f, v in fields)
        case Choice(alternatives):
            return join_all(carried(option, path) for option in alternatives)
        case _:
            return unknown
