"""Keys and streams that are handed to code that is not followed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from flake8_nnx_rng.interpreter import containers, trees
from flake8_nnx_rng.interpreter.drawing_layers import sources
from flake8_nnx_rng.interpreter.engine import Interpreter
from flake8_nnx_rng.interpreter.events import Escaped
from flake8_nnx_rng.interpreter.joins import SEQUENTIAL
from flake8_nnx_rng.interpreter.taint import CLEAN, Drawn, Sample, Taint, is_threaded
from flake8_nnx_rng.interpreter.values import (
    Arguments,
    Instance,
    Key,
    Layer,
    Opaque,
    Stream,
    Value,
    options,
)
from flake8_nnx_rng.knowledge import streams


def hand_over(it: Interpreter, name: str, given: Iterable[Value], node: cst.CSTNode) -> Taint:
    """Records what a call gives away; returns the mark of whatever the callee makes of it.

    What it makes is numbers or other keys, and both are told here, not where they are used.
    """
    mark = CLEAN
    seen: set[int] = set()
    for value in given:
        for random in _random_in(it, value, seen):
            it.emit(Escaped(it.site(node), random, name))
            if not is_threaded(random.taint) and it.recording:
                mark = frozenset({Drawn(node), Sample(node)})
    return mark


def _random_in(it: Interpreter, value: Value, seen: set[int]) -> Iterator[Stream | Key]:
    """The keys and streams in a value: in collections, and below the objects in it."""
    for leaf in (option for part in trees.leaves(value) for option in options(part)):
        match leaf:
            case Stream():
                yield leaf
            case Key() if leaf.taint:
                yield leaf
            case Opaque(taint, str(path)) if streams.is_stream_name(path):
                yield Stream(taint, path)
            case Instance(_, ref) if ref not in seen and _is_open(it, leaf):
                seen.add(ref)
                for held in [v for (owner, _), v in (it.store or {}).items() if owner == ref]:
                    yield from _random_in(it, held, seen)
                    if not _is_audited(it, leaf):
                        yield from _drawn_from(held)
            case _:
                pass


def _drawn_from(held: Value) -> Iterator[Stream | Key]:
    """The streams of the layers that an object holds, which is handed over to be run.

    The audited module is handed over for its own sake: it says itself where its layers are called.
    """
    for leaf in trees.leaves(held):
        if isinstance(leaf, Layer):
            parts = containers.children_of(leaf) if leaf.name == SEQUENTIAL else ()
            yield from (own for part in parts for own in _drawn_from(part))
            yield from (own for own in sources(leaf, Arguments()) if isinstance(own, Stream))


def _is_open(it: Interpreter, instance: Instance) -> bool:
    """Whether what an object holds is the business of the module that is audited.

    A child that is a `StatefulModule` is audited by itself, whoever calls it.
    """
    return _is_audited(it, instance) or not it.hierarchy.is_stateful(instance.cls)


def _is_audited(it: Interpreter, instance: Instance) -> bool:
    audited = it.frames[0].receiver
    return isinstance(audited, Instance) and audited.ref == instance.ref
