"""Tuples, lists, dicts and what can be taken out of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from flake8_nnx_rng.interpreter import key_arrays, trees
from flake8_nnx_rng.interpreter.joins import join, join_all
from flake8_nnx_rng.interpreter.taint import Entry, Taken, own, spread_as, within
from flake8_nnx_rng.interpreter.values import (
    Arguments,
    Bag,
    Choice,
    Const,
    Instance,
    Items,
    Key,
    Layer,
    Opaque,
    Record,
    Stream,
    Table,
    Value,
    blur,
    options,
    taint_of,
)

COPYING = frozenset({"_replace", "replace"})
"""Methods of a record that copy it with other fields."""

FIRST, SECOND = Const(0), Const(1)
"""Indices of a pair."""


def element(value: Value) -> Value:
    """What iterating over a value yields, all items in one."""
    match value:
        case Items(items):
            return _any_of(items)
        case Bag(inner):
            return trees.rebuilt(inner, key_arrays.unplaced)
        case Table():
            return Opaque()
        case Choice(alternatives):
            return join_all(element(option) for option in alternatives)
        case Key():
            known = key_arrays.parts_of(value)
            return key_arrays.row_of(value) if known is None else _any_of(known)
        case Opaque(_, str(path)):
            found = part(value, f"{path}[...]")
            return replace(found, taint=spread_as(found.taint, own))
        case Record(_, fields):
            return join_all(v for _, v in fields)
        case Layer(_, arguments):
            return join_all(element(v) for v in arguments.values())
        case _:
            return blur(value)


def _any_of(items: Sequence[Value]) -> Value:
    """One of several items; of keys it is not known which one."""
    if len(items) == 1:
        return items[0]
    return trees.rebuilt(join_all(items), key_arrays.unplaced)


def known_items(value: Value) -> tuple[Value, ...] | None:
    """The items of a collection of known length, or None."""
    match value:
        case Items(items):
            return items
        case Record(_, fields):
            return tuple(v for _, v in fields)
        case Key():
            return key_arrays.parts_of(value)
        case _:
            return None


def bag(items: Iterable[Value]) -> Value:
    """A collection of which only the kinds of items are known."""
    return Bag(join_all(items))


def item(value: Value, index: Value | slice) -> Value:
    """What `value[index]` yields."""
    if isinstance(index, slice):
        return _section(value, index)
    literal = index.value if isinstance(index, Const) else None
    match value:
        case Items(items):
            if isinstance(literal, int) and -len(items) <= literal < len(items):
                return items[literal]
            return _any_of(items)
        case Bag(inner):
            return trees.rebuilt(inner, key_arrays.nameless)
        case Table(items, rest):
            known = dict(items)
            if isinstance(index, Const) and literal in known:
                return known[literal]
            if isinstance(index, Const):
                return Opaque() if rest is None else rest
            return join_all(value.values())
        case Record(_, fields):
            if isinstance(literal, int) and -len(fields) <= literal < len(fields):
                return fields[literal][1]
            return join_all(v for _, v in fields)
        case Stream(path=path):
            return named_stream(value, literal if isinstance(literal, str) else None, path)
        case Key():
            return key_arrays.indexed(value, index)
        case Opaque(taint, str(path)):
            shown = repr(literal) if isinstance(index, Const) and literal is not ... else "..."
            whole = Opaque(taint | taint_of(index), path)
            return part(whole, f"{path}[{shown}]")
        case Layer(_, arguments):
            return join_all(item(v, index) for v in arguments.values())
        case Instance():
            return Opaque(taint_of(value), value.path)
        case _:
            return blur(value, index)


def part(whole: Opaque, path: str) -> Opaque:
    """A part of data that is found at a path; of what PPO threads, it is known which part."""
    taint = within(whole.taint, whole.path, path)
    if Entry.EXTRAS in taint and whole.path is not None:
        taint = taint - {Taken(whole.path)} | {Taken(path)}
    return Opaque(taint, path)


def named_stream(value: Stream, name: str | None, path: str | None) -> Stream:
    """The stream of an `nnx.Rngs` under a name; an unknown name is shown as `[...]`."""
    if path is None:
        taken = [region.taken(name) for region in value.made] if name is not None else []
        return replace(value, single=True, made=tuple(filter(None, taken)))
    return replace(value, single=True, path=f"{path}[...]" if name is None else f"{path}.{name}")


def with_item(table: Value, key: Value, value: Value) -> Table:
    """The dict after `table[key] = value`."""
    items, rest = _parts(table)
    if isinstance(key, Const):
        items[key.value] = value
        return Table(tuple(items.items()), rest)
    return Table(tuple(items.items()), value if rest is None else join(rest, value))


def with_all(table: Value, other: Value) -> Table:
    """The dict after `table.update(other)`."""
    items, rest = _parts(table)
    for option in options(other):
        if isinstance(option, Table):
            items.update(dict(option.items))
            extra = option.rest
        else:
            extra = element(option)
        if extra is not None:
            rest = extra if rest is None else join(rest, extra)
    return Table(tuple(items.items()), rest)


def table_of(tables: Iterable[Value]) -> Table:
    """One dict with the entries of several."""
    merged = Table(())
    for table in tables:
        merged = with_all(merged, table)
    return merged


def with_element(collection: Value, value: Value) -> Value:
    """The list after `collection.append(value)`; its length is then unknown."""
    return Bag(join(element(collection), value)) if _has_items(collection) else Bag(value)


def replaced(collection: Value, index: Value | slice, value: Value) -> Value:
    """The collection after `collection[index] = value`."""
    match collection:
        case Table():
            return with_item(collection, index if not isinstance(index, slice) else Opaque(), value)
        case Items(items) if isinstance(index, Const) and isinstance(index.value, int):
            position = index.value
            if -len(items) <= position < len(items):
                changed = list(items)
                changed[position] = value
                return Items(tuple(changed))
            return Bag(join(element(collection), value))
        case Items() | Bag():
            return Bag(join(element(collection), value))
        case _:
            return blur(collection, value)


def combine(left: Value, right: Value) -> Value:
    """What a binary operator yields: `+` on known sequences, else blurred data."""
    match left, right:
        case Items(first), Items(second):
            return Items((*first, *second))
        case (Items() | Bag(), Items() | Bag()):
            return Bag(join(element(left), element(right)))
        case (Bag() | Items(), Const()):
            return Bag(element(left))
        case Table(), Table():
            return with_all(left, right)
        case _:
            return blur(left, right)


def _section(value: Value, index: slice) -> Value:
    match value:
        case Items(items):
            try:
                return Items(items[index])
            except (TypeError, ValueError):  # x["a":] or a zero step: an error of the user's
                return Bag(element(value))
        case Key():
            return key_arrays.section(value, index)
        case Table(items, Opaque() as rest) if _is_tail(index) and _are_first(items, index.start):
            return Table((), rest)  # of a shape, without the axis that counts the envs
        case Bag() | Opaque() | Stream():
            return value
        case _:
            return blur(value)


def _is_tail(index: slice) -> bool:
    return isinstance(index.start, int) and index.stop is None and index.step is None


def _are_first(items: tuple[tuple[object, Value], ...], start: int) -> bool:
    return all(isinstance(key, int) and 0 <= key < start for key, _ in items)


def _parts(table: Value) -> tuple[dict[object, Value], Value | None]:
    if isinstance(table, Table):
        return dict(table.items), table.rest
    return {}, element(table)


def _has_items(collection: Value) -> bool:
    return not (isinstance(collection, Items) and not collection.items)


def children_of(layer: Layer) -> tuple[Value, ...]:
    """The layers of an `nnx.Sequential`, in order."""
    children: list[Value] = []
    for value in layer.arguments.positional:
        known = known_items(value)
        children.extend([value] if known is None else known)
    if layer.arguments.rest is not None:
        children.append(layer.arguments.rest)
    return tuple(children)


def with_fields(record: Record, arguments: Arguments) -> Record:
    """The record after `dataclasses.replace(record, **arguments)`."""
    given = dict(arguments.keywords)
    return record.with_values(given.get(name, v) for name, v in record.fields)
