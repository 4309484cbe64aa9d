"""Calls of other modules: what goes in, and marks on what comes out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from flake8_nnx_rng.interpreter import trees
from flake8_nnx_rng.interpreter.engine import Interpreter
from flake8_nnx_rng.interpreter.escapes import hand_over
from flake8_nnx_rng.interpreter.events import CalledChild, ReadPart
from flake8_nnx_rng.interpreter.taint import Part, Passed, Redrawn, Sample
from flake8_nnx_rng.interpreter.values import (
    UNKNOWN_OUTPUT,
    Arguments,
    Instance,
    Layer,
    Opaque,
    Record,
    Value,
    blur,
    taint_of,
)
from flake8_nnx_rng.knowledge import library
from flake8_nnx_rng.knowledge.children import CONTAINER, Promise, Threads, promise_of_library

EXTRAS_POSITION = 2
_STATES = ("state", "module_state", "network_state", "key")


def call_child(
    it: Interpreter, child: Instance | Layer, arguments: Arguments, node: cst.CSTNode
) -> Record:
    """A module is called; its fields depend on all that it is given and needs."""
    name = child.path or (child.cls.name if isinstance(child, Instance) else child.name)
    promise = promise_of(it, child)
    state, extras = _given(arguments)
    it.emit(CalledChild(it.site(node), name, promise, state, extras, is_certain=True))
    given = [v for v in arguments.values() if v is not extras or promise.extras is not Threads.NO]
    # Whether a child that has a state is given its own is told by the event.
    further = [v for v in given if v is not state or promise.carry is Threads.NO]
    mark = hand_over(it, name, further, node)
    result = blur(child, *given, Opaque(mark))
    passed = {Passed(s.node) for s in result.taint if isinstance(s, (Sample, Redrawn))}
    return _output(library.OUTPUT, name, Opaque(result.taint | passed), node)


def call_unknown(
    it: Interpreter, path: str, result: Opaque, arguments: Arguments, node: cst.CSTNode
) -> Value:
    """Something held was called: with two arguments or more it may be a module.

    Whether it is one shows when a field of its result is read.
    """
    is_like_a_child = len(arguments.positional) > 1 or arguments.get(library.EXTRAS) is not None
    if not is_like_a_child:
        return result
    state, extras = _given(arguments)
    it.emit(CalledChild(it.site(node), path, CONTAINER, state, extras, is_certain=False))
    passed = {Passed(s.node) for s in result.taint if isinstance(s, Redrawn)}
    return _output(UNKNOWN_OUTPUT, path, Opaque(result.taint | passed), node)


def note_read(it: Interpreter, field: Value, name: str, node: cst.CSTNode) -> None:
    """A field of a child's output was read by name."""
    for source in taint_of(field):
        if isinstance(source, Part) and source.field == name:
            it.emit(ReadPart(it.site(node), source.node))


def promise_of(it: Interpreter, child: Value) -> Promise:
    """What a module needs of its caller, as far as it is known what it was built of."""
    return _promise(it, child, ())


def _promise(it: Interpreter, child: Value, above: tuple[Value, ...]) -> Promise:
    own: Promise | None = None
    if isinstance(child, Layer):
        own = promise_of_library(child.name)
    elif isinstance(child, Instance):
        own = it.promise(child.cls)
    own = own or CONTAINER
    if Threads.AS_CHILDREN not in (own.extras, own.carry):
        return own
    below = [_promise(it, part, (*above, child)) for part in _modules_in(it, child, above)]
    return Promise(
        _settled(own.extras, [promise.extras for promise in below]),
        _settled(own.carry, [promise.carry for promise in below]),
    )


def _settled(own: Threads, below: list[Threads]) -> Threads:
    """The answer of a container is that of its modules, if it is known what they are."""
    if own is not Threads.AS_CHILDREN or not below:
        return own
    return next((t for t in (Threads.YES, Threads.AS_CHILDREN) if t in below), Threads.NO)


def _modules_in(it: Interpreter, value: Value, above: tuple[Value, ...]) -> Iterator[Value]:
    """The modules that another one was built of."""
    if isinstance(value, Layer):
        parts: Iterable[Value] = value.arguments.values()
    elif isinstance(value, Instance) and value not in above:
        parts = [v for (ref, _), v in (it.store or {}).items() if ref == value.ref]
    else:
        return
    for part in parts:
        for leaf in trees.leaves(part):
            if isinstance(leaf, Layer) and promise_of_library(leaf.name) is not None:
                yield leaf
            elif isinstance(leaf, Instance) and leaf not in above:
                if it.hierarchy.is_stateful(leaf.cls):
                    yield leaf
                else:
                    yield from _modules_in(it, leaf, (*above, value))


def _given(arguments: Arguments) -> tuple[Value | None, Value | None]:
    """State and extras of a call; what is not told apart may be either."""
    state = arguments.get("", 0)
    for name in _STATES:
        state = state or arguments.get(name)
    extras = arguments.get(library.EXTRAS, EXTRAS_POSITION)
    return state or arguments.rest, extras or arguments.rest


def _output(kind: str, child: str, taint: Opaque, node: cst.CSTNode) -> Record:
    return Record(
        kind,
        tuple(
            (field, Opaque(taint.taint | {Part(node, child, field)}))
            for field in library.OUTPUT_FIELDS
        ),
    )
