"""Loops over the rows of arrays of keys: each round is at another row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from flake8_nnx_rng.interpreter import trees
from flake8_nnx_rng.interpreter.deeds import Deed, Replaced, Used
from flake8_nnx_rng.interpreter.engine import Interpreter
from flake8_nnx_rng.interpreter.marks import forget, marks, note, regions
from flake8_nnx_rng.interpreter.regions import Region
from flake8_nnx_rng.interpreter.values import Key, Value


@contextmanager
def going_over(it: Interpreter, element: Value) -> Iterator[Callable[[], None]]:
    """Runs a loop whose rounds are given one row of an array each; yields what begins a round.

    After it every row was used for what one was used for.
    """
    found = (region for leaf in trees.leaves(element) for region in regions(leaf))
    arrays = {region.array for region in found if region.is_current}
    start = len(it.journal)

    def is_over(region: Region) -> bool:
        return region.is_current and region.array in arrays

    yield lambda: forget(it, is_over)
    if arrays:
        for region, how in marks(it):
            if is_over(region):
                note(it, region.settled(), how)
        forget(it, is_over)
        it.journal[start:] = [_settled(deed, is_over) for deed in it.journal[start:]]


def _settled(deed: Deed, is_over: Callable[[Region], bool]) -> Deed:
    """What was done to one row, as done to every row."""
    if not isinstance(deed, (Used, Replaced)):
        return deed
    return replace(deed, keys=tuple(_every(key, is_over) for key in deed.keys))


def _every(key: Value, is_over: Callable[[Region], bool]) -> Value:
    if not isinstance(key, Key) or not any(map(is_over, key.regions)):
        return key
    return replace(key, made=tuple(r.settled() if is_over(r) else r for r in key.regions))
