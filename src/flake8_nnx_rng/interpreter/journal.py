"""What a call did to keys that outlive it, so that it need not be run again to do so again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

import libcst as cst

from flake8_nnx_rng.interpreter import trees
from flake8_nnx_rng.interpreter.deeds import Deed, Made, Moved, Replaced, Used
from flake8_nnx_rng.interpreter.engine import Interpreter
from flake8_nnx_rng.interpreter.key_arrays import nameless
from flake8_nnx_rng.interpreter.marks import apply, parts, regions
from flake8_nnx_rng.interpreter.values import Key, Stream, Value

MAX_NAMES = 32
"""Keys in the result of a call beyond which they are told apart no longer."""


def record(it: Interpreter, deed: Deed) -> None:
    """Notes what becomes of a key, and that the calls in progress did so."""
    it.journal.append(deed)
    apply(it, deed)


def closing(it: Interpreter, start: int, result: Value) -> tuple[Value, tuple[Deed, ...]]:
    """The result of a call, and what it did since `start` of the journal to keys that outlive it.

    The journal forgets the rest, so that it does not grow with every level of calls.
    """
    deeds = it.journal[start:]
    made = {deed.array for deed in deeds if isinstance(deed, Made)}
    returned = {
        region.array
        for leaf in trees.leaves(result)
        if isinstance(leaf, (Key, Stream))
        for region in leaf.made or ()
    }
    if len(returned) > MAX_NAMES:
        result, returned = trees.rebuilt(result, nameless), set()
    kept: dict[object, Deed] = {}
    moves = Counter[str]()
    written: set[str] = set()
    for deed in deeds:
        match deed:
            case Made(array) if array in returned:
                kept.setdefault(deed, deed)
            case Moved(path, times):
                moves[path] += times
            case Used(keys=keys, use=use):
                keys = tuple(_kept(key, made - returned) for key in keys)
                facts = tuple((regions(key), parts(key)) for key in keys)
                anew = frozenset(region.array for found, _ in facts for region in found) & written
                kept.setdefault((facts, use, anew), replace(deed, keys=keys))
            case Replaced(path, keys):
                keys = tuple(_kept(key, made - returned) for key in keys)
                kept.setdefault((path, keys), replace(deed, keys=keys))
                written.add(path)
    journal = (*kept.values(), *(Moved(path, times) for path, times in moves.items()))
    it.journal[start:] = journal
    return result, journal


def repeat(it: Interpreter, journal: Iterable[Deed], result: Value, node: cst.CSTNode) -> Value:
    """Uses keys again as a call did that is not run again; its result, with keys of its own."""
    fresh: dict[str, str] = {}
    for deed in tuple(journal):
        match deed:
            case Made(array):
                fresh[array] = f"#{it.identity_here(array, node)}"
                record(it, Made(fresh[array]))
            case Moved():
                record(it, deed)
            case Used(keys=keys) | Replaced(keys=keys):
                record(it, replace(deed, keys=tuple(_renamed(key, fresh) for key in keys)))
    return trees.rebuilt(result, lambda leaf: _renamed(leaf, fresh)) if fresh else result


def _kept(key: Value, lost: set[str]) -> Value:
    return nameless(key) if any(region.array in lost for region in regions(key)) else key


def _renamed(leaf: Value, fresh: dict[str, str]) -> Value:
    if not isinstance(leaf, (Key, Stream)) or not leaf.made:
        return leaf
    made = (replace(region, array=fresh.get(region.array, region.array)) for region in leaf.made)
    return replace(leaf, made=tuple(made))
