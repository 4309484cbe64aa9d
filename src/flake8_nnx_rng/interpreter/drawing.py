"""The events of drawing, shared by everything that can draw."""

from __future__ import annotations

from dataclasses import replace

import libcst as cst

from flake8_nnx_rng.interpreter import uses
from flake8_nnx_rng.interpreter.engine import Interpreter
from flake8_nnx_rng.interpreter.events import Advanced, Drew
from flake8_nnx_rng.interpreter.taint import CLEAN, Drawn, Redrawn, Sample, Taint, is_threaded
from flake8_nnx_rng.interpreter.values import Key, Layer, Opaque, Stream


def drew(
    it: Interpreter,
    source: Stream | Key | Opaque,
    taint: Taint,
    node: cst.CSTNode,
    layer: Layer | None = None,
    *,
    shared: bool = False,
) -> Taint:
    """Records a draw; returns the mark of its numbers, which says if PPO replays them by itself."""
    told = replace(source, taint=taint)
    if isinstance(told, Stream):
        told = replace(told, made=())
        uses.move(it, told)
    it.emit(Drew(it.site(node), told, layer, shared, it.batches))
    return frozenset({Redrawn(node) if is_threaded(taint) else Sample(node)})


def draw_key(it: Interpreter, stream: Stream, node: cst.CSTNode) -> Key:
    """A stream gives out a key and moves on."""
    mark = drew(it, stream, stream.taint, node)
    taint = _given_out(it, stream, node) | mark | it.repeated
    return uses.make(it, taint, node, origin=stream)


def advance(it: Interpreter, stream: Stream, node: cst.CSTNode, arguments: Taint = CLEAN) -> Stream:
    """A stream moves on and gives out streams of its own."""
    it.emit(Advanced(it.site(node), replace(stream, made=())))
    uses.move(it, stream)
    # What a stream of the pass itself gives out is reported where it is drawn from.
    given_out = stream.taint if stream.path is None else _given_out(it, stream, node)
    taint = given_out | arguments
    return Stream(
        taint, None, stream.single, made=uses.make(it, taint, node, origin=stream).regions
    )


def _given_out(it: Interpreter, stream: Stream, node: cst.CSTNode) -> Taint:
    """What a stream gives out is reported at the stream, and so marked; not outside a pass."""
    if is_threaded(stream.taint) or not it.recording:
        return stream.taint
    return stream.taint | {Drawn(node), Sample(node)}
