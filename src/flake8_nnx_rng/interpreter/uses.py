"""Records what keys and streams are used for."""

from __future__ import annotations

import libcst as cst

from flake8_nnx_rng.interpreter.deeds import Made, Moved, Replaced, Used
from flake8_nnx_rng.interpreter.engine import Interpreter
from flake8_nnx_rng.interpreter.events import Derived, Returned, Site, Use
from flake8_nnx_rng.interpreter.journal import record
from flake8_nnx_rng.interpreter.marks import drawn_with, marks, moved
from flake8_nnx_rng.interpreter.regions import ALL, ROWS, Region
from flake8_nnx_rng.interpreter.taint import Taint
from flake8_nnx_rng.interpreter.values import Key, Opaque, Stream, Value, options


def use(it: Interpreter, key: Value, how: Use, node: cst.CSTNode) -> None:
    """Records that a key is used, and whether it had been used before."""
    record(it, Used(it.site(node), options(key), how))


def put(it: Interpreter, path: str, key: Value) -> None:
    """Records that another key is held at a place from now on."""
    record(it, Replaced(path, options(key)))


def move(it: Interpreter, stream: Stream) -> None:
    """Records that a stream gives something out; rounds of a loop are not told apart."""
    if stream.path is not None and not any(frame.loops for frame in it.frames):
        record(it, Moved(stream.path))


def make(
    it: Interpreter,
    taint: Taint,
    node: cst.CSTNode,
    count: int | None = None,
    origin: Value | None = None,
) -> Key:
    """A new key, which nothing has used yet; what is made of one row of an array is one row's."""
    name = f"#{it.identity_here('key', node)}"
    record(it, Made(name))
    return Key(taint, None, (Region(name, (_row_of(origin),)),), count)


def _row_of(origin: Value | None) -> str:
    """The row that a key is, if it is the same wherever it is used; else all."""
    regions = origin.regions if isinstance(origin, (Key, Stream)) else ()
    rows = {region.indices[ROWS] for region in regions if region.is_one_row}
    is_one = len(rows) == 1 and all(region.is_one_row for region in regions)
    return rows.pop() if is_one else ALL


def returned(it: Interpreter, site: Site, value: Value) -> Returned:
    """The entry point returns, with what has become of keys and streams on the path."""
    return Returned(site, value, drawn_with(it), marks(it), moved(it))


def derived(it: Interpreter, key: Value, how: Use, given: Taint, node: cst.CSTNode) -> None:
    """Records that another key was made of a key."""
    if isinstance(key, (Key, Opaque)):
        it.emit(Derived(it.site(node), key, how, given))
