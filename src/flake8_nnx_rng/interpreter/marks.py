"""What has become of each key on the path that led here: drawn from, split, folded into.

The marks live in the store, so that they join at branches as variables do: a key that either arm
uses is used after the branch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from flake8_nnx_rng.interpreter.deeds import Deed, Made, Moved, Replaced, Used
from flake8_nnx_rng.interpreter.engine import Interpreter
from flake8_nnx_rng.interpreter.events import Reused, Use
from flake8_nnx_rng.interpreter.joins import Store, join_all
from flake8_nnx_rng.interpreter.regions import Region, meet
from flake8_nnx_rng.interpreter.taint import Entry, carried_in, is_threaded
from flake8_nnx_rng.interpreter.values import Const, Key, Opaque, Value, options, taint_of

USED = -1
"""The object under which the store keeps the marks of keys."""

DREW_WITH = -2
"""The object under which it keeps from which parts of the carry a draw was made."""

MOVED = -3
"""The object under which it keeps how often each held stream has moved on, outside of loops."""

HELD = -4
"""The object under which it keeps which key is at a place that outlives the pass."""


def apply(it: Interpreter, deed: Deed) -> None:
    """Notes what becomes of a key on the path."""
    store = it.store
    if store is None or not it.recording:
        return
    match deed:
        case Made(array):
            forget(it, lambda region: region.array == array)
        case Moved():
            _count(store, deed)
        case Used():
            _mark(it, store, deed)
        case Replaced():
            _replace(store, deed)


def drawn_with(it: Interpreter) -> frozenset[tuple[str, ...]]:
    """The parts of the carry that each draw on the path was made from."""
    places = (name for ref, name in it.store or {} if ref == DREW_WITH)
    return frozenset(tuple(name.split("\n")) for name in places)


def moved(it: Interpreter) -> frozenset[tuple[str, Value]]:
    """How often each held stream has moved on, on the path."""
    return frozenset(
        (name, number) for (ref, name), number in (it.store or {}).items() if ref == MOVED
    )


def marks(it: Interpreter) -> frozenset[tuple[Region, Use]]:
    """What keys were used for on the path."""
    return frozenset(mark for _, mark in _places(it))


def _places(it: Interpreter) -> list[tuple[tuple[int, str], tuple[Region, Use]]]:
    """The same with its place in the store."""
    return [
        (place, value.value)
        for place, value in (it.store or {}).items()
        if place[0] == USED and isinstance(value, Const) and isinstance(value.value, tuple)
    ]


def note(it: Interpreter, region: Region, how: Use) -> None:
    """Marks a key."""
    if it.store is not None:
        it.store[(USED, f"{region!r} {how.name}")] = Const((region, how))


def forget(it: Interpreter, is_gone: Callable[[Region], bool]) -> None:
    """Takes the marks from keys that are others now."""
    if it.store is not None:
        for place, (region, _) in _places(it):
            if is_gone(region):
                del it.store[place]


def regions(key: Value) -> tuple[Region, ...]:
    """What a value may be as a key; nothing if that is not known."""
    match key:
        case Key():
            return key.regions
        case Opaque(path=str(path)) if not path.endswith("[...]"):
            return (Region(path),)  # of a collection a loop takes another one in every round
        case _:
            return ()


def parts(key: Value) -> tuple[str, ...]:
    """The parts of the carry that a key was made from, if nothing else varies in it."""
    taint = taint_of(key)
    if any(isinstance(source, Entry) for source in taint):
        return ()
    return tuple(sorted({source.path for source in carried_in(taint)}))


def _mark(it: Interpreter, store: Store, used: Used) -> None:
    """Marks what a key may be; it is used again if all that it may be is used already."""
    for origin in map(parts, used.keys) if used.use is Use.DRAWN else ():
        if origin:
            store[(DREW_WITH, "\n".join(origin))] = Const(True)
    known, found = marks(it), _alternatives(store, used.keys)
    before = [_fate(known, region) for region in found]
    for region in found:
        if region is not None:
            note(it, region, used.use)
    # One may fold many things into a key.
    if all(earlier and {used.use, *earlier} != {Use.FOLDED} for earlier in before):
        it.emit(Reused(used.site, used.keys[0], frozenset[Use]().union(*before), used.use))


def _count(store: Store, moved: Moved) -> None:
    place = (MOVED, moved.path)
    before = [n.value for n in options(store.get(place, Const(0))) if isinstance(n, Const)]
    store[place] = join_all(Const(n + moved.times) for n in before if isinstance(n, int))


def _replace(store: Store, replaced: Replaced) -> None:
    found = _alternatives(store, replaced.keys)
    known = tuple(region for region in found if region is not None)
    store[(HELD, replaced.path)] = Key(made=known if len(known) == len(found) else ())


def _fate(known: Iterable[tuple[Region, Use]], key: Region | None) -> frozenset[Use]:
    """What a key was used for, as far as it is known which one it is."""
    return frozenset(how for region, how in known if key is not None and meet(key, region))


def _alternatives(store: Store, keys: Iterable[Value]) -> list[Region | None]:
    """What keys may be now; None where that is not known."""
    now = [option for key in keys for option in options(_now(store, key))]
    return [region for key in now for region in regions(key) or (None,)]


def _now(store: Store, key: Value) -> Value:
    """The key that is at a place that outlives the pass, where the pass may have put another."""
    match key:
        case Key(taint, str(path), None) | Opaque(taint, str(path)) if not is_threaded(taint):
            return store.setdefault((HELD, path), key)
        case _:
            return key
