"""PyTrees of collections: their leaves, and the same collections with other content."""

from __future__ import annotations

from collections.abc import Callable

from flake8_nnx_rng.interpreter.joins import join_all
from flake8_nnx_rng.interpreter.values import Bag, Choice, Items, Record, Table, Value, children


def leaves(value: Value) -> list[Value]:
    """The leaves of a PyTree of collections; one that is in several places counts once."""
    found: list[Value] = []
    seen: set[int] = set()
    pending = [value]
    while pending:
        part = pending.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        if isinstance(part, (Items, Bag, Table, Record, Choice)):
            pending.extend(reversed([*children(part)]))
        else:
            found.append(part)
    return found


def rebuilt(value: Value, change: Callable[[Value], Value]) -> Value:
    """The same collections with every leaf changed."""

    def changed(part: Value, inside: Callable[[Value], Value]) -> Value:
        return inside(part) if _is_collection(part) else change(part)

    return _walked(value, changed)


def substitute(value: Value, old: Value, new: Value) -> Value:
    """The value with one object in it, known by its identity, changed into another."""

    def changed(part: Value, inside: Callable[[Value], Value]) -> Value:
        if part is old:
            return new
        return part if isinstance(part, Record) else inside(part)  # records are immutable

    return _walked(value, changed)


def _is_collection(value: Value) -> bool:
    return isinstance(value, (Items, Bag, Table, Record, Choice))


def _walked(value: Value, changed: Callable[[Value, Callable[[Value], Value]], Value]) -> Value:
    """Changes a tree from the top; an object in several places stays one.

    Args:
        value: The tree.
        changed: What becomes of a part; it is given what changes the inside of one.
    """
    done: dict[int, Value] = {}

    def walk(part: Value) -> Value:
        if id(part) not in done:
            done[id(part)] = changed(part, inside)
        return done[id(part)]

    def inside(part: Value) -> Value:
        return _with_children(part, walk)

    return walk(value)


def _with_children(value: Value, change: Callable[[Value], Value]) -> Value:
    """A collection with every child changed; itself if none of them is another now."""
    if not _is_collection(value):
        return value
    before = tuple(children(value))
    after = tuple(map(change, before))
    if all(old is new for old, new in zip(before, after, strict=True)):
        return value
    match value:
        case Items():
            return Items(after)
        case Bag():
            return Bag(after[0])
        case Choice():
            return join_all(after)
        case Table(entries, rest):
            items = tuple((key, new) for (key, _), new in zip(entries, after, strict=False))
            return Table(items, None if rest is None else after[-1])
        case Record():
            return value.with_values(after)
        case _:
            return value
