"""The least value that covers two others, and values read from a held place."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import replace

from flake8_nnx_rng.interpreter.regions import Region
from flake8_nnx_rng.interpreter.taint import Entry, Held, Sample, Taint, is_threaded
from flake8_nnx_rng.interpreter.values import (
    MAX_CHOICES,
    NONE,
    Arguments,
    Bag,
    Choice,
    Const,
    Function,
    Instance,
    Items,
    Key,
    Layer,
    Method,
    Opaque,
    Partial,
    Record,
    Stream,
    Table,
    Value,
    blur,
    depth,
    options,
)

Store = dict[tuple[int, str], Value]
"""Local variables by call and attributes by object."""

MAX_REGIONS = 8
"""Alternatives of what a key may be beyond which it is not known."""

SEQUENTIAL = "flax.nnx.Sequential"

MAX_DEPTH = 8
"""Nesting of containers beyond which a growing value is blurred."""


def join(first: Value, second: Value) -> Value:
    """The least value that covers both."""
    if first is second or first == second:
        return first
    slots: dict[Hashable, list[Value]] = {}
    for option in (*options(first), *options(second)):
        slot = slots.setdefault(_slot(option), [])
        for index, known in enumerate(slot):
            if (fused := _fuse(known, option)) is not None:
                slot[index] = fused
                break
        else:
            slot.append(option)
    merged = [option for slot in slots.values() for option in slot]
    if len(merged) > MAX_CHOICES:
        merged = [*merged[: MAX_CHOICES - 1], blur(*merged[MAX_CHOICES - 1 :])]
    return merged[0] if len(merged) == 1 else Choice(tuple(merged))


def _slot(value: Value) -> Hashable:
    """Only values of one slot can be fused."""
    match value:
        case Opaque(path=path) | Key(path=path):
            return type(value), path
        case Items() | Bag():
            return Bag
        case Table():
            return Table
        case Record(name):
            return Record, name
        case Layer(name, path=path):
            return Layer, name, path
        case _:
            return value


def join_all(values: Iterable[Value]) -> Value:
    """The least value that covers all; unknown if there is none."""
    joined: Value | None = None
    for value in values:
        joined = value if joined is None else join(joined, value)
    return Opaque() if joined is None else joined


def join_stores(first: Store | None, second: Store | None) -> Store | None:
    """Joins what two paths leave behind; None stands for a path that ended."""
    if first is None or second is None:
        return second if first is None else first
    joined = dict(first)
    fused: dict[tuple[int, int], Value] = {}  # names of one object go on naming one object
    for place, value in second.items():
        known = first.get(place)
        if known is not value:  # most are: paths differ in a few variables
            pair = (id(known), id(value))
            if pair not in fused:
                fused[pair] = value if known is None else join(known, value)
            joined[place] = fused[pair]
    return joined


def widen(value: Value) -> Value:
    """Blurs a value that a loop keeps nesting deeper."""
    return blur(value) if depth(value) > MAX_DEPTH else value


def held(value: Value, path: str) -> Value:
    """The value as it is found later at a held place.

    Literals are forgotten, because `train()`, `eval()` and users set attributes from outside.
    """
    taint: Taint = frozenset({Held(path)})
    match value:
        case Const() | Opaque():
            return Opaque(taint, path)
        case Key():
            return Key(taint, path, count=value.count)
        case Stream():
            return replace(value, taint=taint, path=path)
        case Instance():
            return replace(value, path=path)
        case Layer(name, arguments):
            return replace(value, path=path, arguments=_adopted(name, arguments, path))
        case Items(()):  # a list that some method will fill
            return Bag(Opaque(taint, f"{path}[...]"))
        case Table((), None):
            return Table((), Opaque(taint, f"{path}[...]"))
        case Items(items):
            return Items(tuple(held(item, f"{path}[{i}]") for i, item in enumerate(items)))
        case Bag(element):
            return Bag(held(element, f"{path}[...]"))
        case Table(items, rest):
            return Table(
                tuple((key, held(item, f"{path}[{key!r}]")) for key, item in items),
                None if rest is None else held(rest, f"{path}[...]"),
            )
        case Record(_, fields):
            return value.with_values(held(v, f"{path}.{f}") for f, v in fields)
        case Method(receiver, name):
            return Method(held(receiver, path), name)
        case Function(defaults=defaults) if defaults:
            kept = tuple((name, held(v, f"{path}({name}=...)")) for name, v in defaults)
            return replace(value, defaults=kept)
        case Partial(function, arguments):
            return Partial(held(function, path), _held_arguments(arguments, path))
        case Choice(alternatives):
            # "self.rng = rng or None": the None is the caller's way to say that it is not used
            present = [o for o in alternatives if o != NONE]
            return join_all(held(option, path) for option in present)
        case _:
            return value


def _adopted(name: str, arguments: Arguments, path: str) -> Arguments:
    """A layer's arguments: the modules among them are found below it, literals stay known."""

    def adopt(value: Value, where: str) -> Value:
        match value:
            case Layer() | Instance():
                return held(value, where)
            case Items(items):
                return Items(tuple(adopt(item, f"{where}[{i}]") for i, item in enumerate(items)))
            case Bag(element):
                return Bag(adopt(element, f"{where}[...]"))
            case Choice(alternatives):
                return join_all(adopt(option, where) for option in alternatives)
            case _:
                return value

    def place(index: int) -> str:
        return f"{path}.layers[{index}]" if name == SEQUENTIAL else f"{path}[{index}]"

    rest = arguments.rest
    return Arguments(
        tuple(adopt(value, place(i)) for i, value in enumerate(arguments.positional)),
        tuple(
            (keyword, adopt(value, f"{path}.{keyword}")) for keyword, value in arguments.keywords
        ),
        None if rest is None else adopt(rest, f"{path}.layers[...]"),
    )


def _held_arguments(arguments: Arguments, path: str) -> Arguments:
    return Arguments(
        tuple(held(value, path) for value in arguments.positional),
        tuple((name, held(value, path)) for name, value in arguments.keywords),
        None if arguments.rest is None else held(arguments.rest, path),
    )


def _fuse(first: Value, second: Value) -> Value | None:
    """Both in one value of the same kind, or None if they must stay alternatives."""
    if first == second:
        return first
    match first, second:
        case Opaque(), Opaque() if _are_alike(first, second):
            return Opaque(first.taint | second.taint, first.path)
        case Key(), Key() if _are_alike(first, second):
            made = first.made if first.made == second.made else _either(first, second)
            count = first.count if first.count == second.count else None
            return Key(first.taint | second.taint, first.path, made, count)
        case Items(left), Items(right) if len(left) == len(right):
            return Items(tuple(map(join, left, right)))
        case (Items(()), Bag()):
            return second
        case (Bag(), Items(())):
            return first
        case (Items() | Bag(), Items() | Bag()):
            return Bag(join(_element(first), _element(second)))
        case Table(), Table():
            return _fuse_tables(first, second)
        case Record(name, left), Record(other, right) if name == other:
            by_name = dict(right)
            return first.with_values(join(v, by_name.get(f, v)) for f, v in left)
        case Layer(), Layer() if (first.name, first.path) == (second.name, second.path):
            arguments = _fuse_arguments(first.arguments, second.arguments)
            return Layer(first.name, arguments, first.path, first.is_built and second.is_built)
        case _:
            return None


def _either(first: Key, second: Key) -> tuple[Region, ...]:
    """What one of two keys may be, if that is known of both."""
    regions = {*first.regions, *second.regions}
    is_known = first.regions and second.regions and len(regions) <= MAX_REGIONS
    return tuple(sorted(regions, key=repr)) if is_known else ()


def _are_alike(first: Opaque | Key, second: Opaque | Key) -> bool:
    """Whether two alternatives may be told apart no longer.

    One that PPO threads through both passes must not hide one that it does not, nor a key that
    was reported where it was drawn one that was made of a constant.
    """
    if first.path != second.path:
        return False
    if not first.taint or not second.taint:
        return True
    return _kinds(first.taint) == _kinds(second.taint)


def _kinds(taint: Taint) -> frozenset[type]:
    return frozenset({Entry}) if is_threaded(taint) else frozenset(map(type, taint)) - {Sample}


def _fuse_tables(first: Table, second: Table) -> Table:
    left, right = dict(first.items), dict(second.items)
    items = {
        key: join(left.get(key, right.get(key, NONE)), right.get(key, left.get(key, NONE)))
        for key in (*left, *right)
    }
    rests = [rest for rest in (first.rest, second.rest) if rest is not None]
    return Table(tuple(items.items()), join_all(rests) if rests else None)


def _fuse_arguments(first: Arguments, second: Arguments) -> Arguments:
    """Arguments on which both constructions agree; the others become unknown."""
    names = {name for name, _ in (*first.keywords, *second.keywords)}
    return Arguments(
        tuple(
            join(first.get("", i) or Opaque(), second.get("", i) or Opaque())
            for i in range(max(len(first.positional), len(second.positional)))
        ),
        tuple(
            (name, join(first.get(name) or Opaque(), second.get(name) or Opaque()))
            for name in sorted(names)
        ),
        blur(*first.values(), *second.values()),
    )


def _element(value: Items | Bag) -> Value:
    return value.element if isinstance(value, Bag) else join_all(value.items)
