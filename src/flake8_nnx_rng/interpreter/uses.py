"""What has become of each key on the path that led here: drawn from, split, folded into.

The marks live in the store, so that they join at branches as variables do: a key that either arm
uses is used after the branch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

import libcst as cst

from flake8_nnx_rng.interpreter import trees
from flake8_nnx_rng.interpreter.engine import Interpreter
from flake8_nnx_rng.interpreter.events import Derived, Returned, Reused, Site, Use
from flake8_nnx_rng.interpreter.joins import join_all
from flake8_nnx_rng.interpreter.key_arrays import nameless
from flake8_nnx_rng.interpreter.taint import Entry, Taint, carried_in
from flake8_nnx_rng.interpreter.values import Const, Key, Opaque, Stream, Value, options, taint_of

USED = -1
"""The object under which the store keeps the marks of keys."""

MAX_NAMES = 32
"""Keys in the result of a call beyond which they are told apart no longer."""

DREW_WITH = -2
"""The object under which it keeps from which parts of the carry a draw was made."""


MOVED = -3
"""The object under which it keeps how often each held stream has moved on, outside of loops."""


@dataclass(frozen=True, slots=True)
class Moved:
    """A held stream moved on in a call, this many times."""

    path: str
    times: int = 1


@dataclass(frozen=True, slots=True)
class Used:
    """A key was used in a call; the alternatives are what the key may be."""

    site: Site
    keys: tuple[Value, ...]
    use: Use


def use(it: Interpreter, key: Value, how: Use, node: cst.CSTNode) -> None:
    """Records that a key is used, and whether it had been used before."""
    used = Used(it.site(node), options(key), how)
    it.journal.append(used)
    _mark(it, used)


def move(it: Interpreter, stream: Stream) -> None:
    """Records that a stream gives something out; rounds of a loop are not told apart."""
    if stream.path is not None and not any(frame.loops for frame in it.frames):
        moved = Moved(stream.path)
        it.journal.append(moved)
        _count(it, moved)


def make(it: Interpreter, taint: Taint, node: cst.CSTNode, count: int | None = None) -> Key:
    """A new key, which nothing has used yet."""
    name = f"#{it.identity_here('key', node)}"
    it.journal.append(name)
    _renew(it, name)
    return Key(taint, None, name, count)


def closing(it: Interpreter, start: int, result: Value) -> tuple[Value, tuple[object, ...]]:
    """The result of a call, and what it did since `start` of the journal to keys that outlive it.

    The journal forgets the rest, so that it does not grow with every level of calls.
    """
    entries = it.journal[start:]
    made = {entry for entry in entries if isinstance(entry, str)}
    returned = {
        _root(leaf.made)
        for leaf in trees.leaves(result)
        if isinstance(leaf, Key) and leaf.made is not None
    }
    if len(returned) > MAX_NAMES:
        result, returned = trees.rebuilt(result, nameless), set()
    kept: dict[object, object] = {}
    moves = Counter[str]()
    for entry in entries:
        if isinstance(entry, Moved):
            moves[entry.path] += entry.times
        elif isinstance(entry, Used):
            keys = tuple(_kept(key, made - returned) for key in entry.keys)
            facts = tuple((_name(key), _parts(key)) for key in keys)
            kept.setdefault((facts, entry.use), replace(entry, keys=keys))
        elif entry in returned:
            kept.setdefault(entry, entry)
    journal = (*kept.values(), *(Moved(path, times) for path, times in moves.items()))
    it.journal[start:] = journal
    return result, journal


def repeat(it: Interpreter, journal: Iterable[object], result: Value, node: cst.CSTNode) -> Value:
    """Uses keys again as a call did that is not run again; its result, with keys of its own."""
    fresh: dict[str, str] = {}
    for entry in tuple(journal):
        if isinstance(entry, str):
            fresh[entry] = f"#{it.identity_here(entry, node)}"
            it.journal.append(fresh[entry])
            _renew(it, fresh[entry])
        elif isinstance(entry, Moved):
            it.journal.append(entry)
            _count(it, entry)
        elif isinstance(entry, Used):
            used = replace(entry, keys=tuple(_renamed(key, fresh) for key in entry.keys))
            it.journal.append(used)
            _mark(it, used)
    return trees.rebuilt(result, lambda leaf: _renamed(leaf, fresh)) if fresh else result


def returned(it: Interpreter, site: Site, value: Value) -> Returned:
    """The entry point returns, with what has become of keys and streams on the path."""
    return Returned(site, value, drawn_with(it), spent(it), moved(it))


def drawn_with(it: Interpreter) -> frozenset[tuple[str, ...]]:
    """The parts of the carry that each draw on the path was made from."""
    places = (name for ref, name in it.store or {} if ref == DREW_WITH)
    return frozenset(tuple(name.split("\n")) for name in places)


def moved(it: Interpreter) -> frozenset[tuple[str, Value]]:
    """How often each held stream has moved on, on the path."""
    return frozenset(
        (name, number) for (ref, name), number in (it.store or {}).items() if ref == MOVED
    )


def spent(it: Interpreter) -> frozenset[str]:
    """The names of keys on the path that were drawn from or split."""
    return frozenset(name for name, how in marks(it) if how is not Use.FOLDED)


def marks(it: Interpreter) -> frozenset[tuple[str, Use]]:
    """What keys were used for on the path."""
    places = (name.split("\n") for ref, name in it.store or {} if ref == USED)
    return frozenset((name, Use[how]) for name, how in places)


def derived(it: Interpreter, key: Value, how: Use, given: Taint, node: cst.CSTNode) -> None:
    """Records that another key was made of a key."""
    if isinstance(key, (Key, Opaque)):
        it.emit(Derived(it.site(node), key, how, given))


def _mark(it: Interpreter, used: Used) -> None:
    """Marks what a key may be; it is used again if all that it may be is used already."""
    if it.store is None or not it.recording:
        return
    before: list[frozenset[Use]] = []
    for key in used.keys:
        if used.use is Use.DRAWN and (parts := _parts(key)):
            it.store[(DREW_WITH, "\n".join(parts))] = Const(True)
        name = _name(key)
        places = {how: (USED, f"{name}\n{how.name}") for how in Use}
        before.append(frozenset(how for how, place in places.items() if place in it.store))
        if name is not None:
            it.store[places[used.use]] = Const(True)
    earlier = frozenset[Use]().union(*before)
    if all(before) and {used.use, *earlier} != {Use.FOLDED}:  # one may fold in many things
        it.emit(Reused(used.site, used.keys[0], earlier, used.use))


def _count(it: Interpreter, moved: Moved) -> None:
    if it.store is None or not it.recording:
        return
    place = (MOVED, moved.path)
    before = [n.value for n in options(it.store.get(place, Const(0))) if isinstance(n, Const)]
    it.store[place] = join_all(Const(n + moved.times) for n in before if isinstance(n, int))


def _renew(it: Interpreter, name: str) -> None:
    """Forgets what became of a key of the same name that an earlier round of a loop made."""
    if it.store is not None:
        for place in [p for p in it.store if p[0] == USED and _root(p[1]) == name]:
            del it.store[place]


def _root(name: str) -> str:
    return name.partition("\n")[0].partition("[")[0]


def _parts(key: Value) -> tuple[str, ...]:
    """The parts of the carry that a key was made from, if nothing else varies in it."""
    taint = taint_of(key)
    if any(isinstance(source, Entry) for source in taint):
        return ()
    return tuple(sorted({source.path for source in carried_in(taint)}))


def _kept(key: Value, lost: set[str]) -> Value:
    return nameless(key) if _root(_name(key) or "") in lost else key


def _name(key: Value) -> str | None:
    match key:
        case Key():
            return key.name
        case Opaque(path=str(path)) if not path.endswith("[...]"):
            return path  # what a loop takes out of a collection is another one in every round
        case _:
            return None


def _renamed(leaf: Value, fresh: dict[str, str]) -> Value:
    if not isinstance(leaf, Key) or leaf.made is None or _root(leaf.made) not in fresh:
        return leaf
    root = _root(leaf.made)
    return replace(leaf, made=leaf.made.replace(root, fresh[root], 1))
