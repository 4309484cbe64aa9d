"""Loops: one item after the other where they are known, else to a fixpoint."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from flake8_nnx_rng.interpreter import containers, tests
from flake8_nnx_rng.interpreter.assignment import assign
from flake8_nnx_rng.interpreter.engine import OBJECTS_VERSION, Interpreter
from flake8_nnx_rng.interpreter.frames import LoopExits
from flake8_nnx_rng.interpreter.joins import Store, join_stores, widen
from flake8_nnx_rng.interpreter.rounds import going_over
from flake8_nnx_rng.interpreter.values import Value, taint_of

PATIENCE = 4
"""Rounds after which values that still grow in a loop are blurred."""

MAX_ROUNDS = 12

MAX_UNROLLED = 40
"""Items of a known collection that a loop takes one at a time."""


def run_for(it: Interpreter, node: cst.For) -> None:
    """Takes known items one at a time, all others in one until nothing changes any more."""
    collection = it.evaluate(node.iter)
    items = containers.known_items(collection)
    if items is not None and len(items) <= MAX_UNROLLED:
        _unrolled(it, node, items)
    else:
        element = it.iterate(collection, node)

        with going_over(it, element) as begin:

            def once() -> None:
                begin()
                assign(it, node.target, element)
                with it.repeating(taint_of(collection)):
                    it.execute(node.body.body)

            _loop(it, once)
    or_else(it, node.orelse)


def _unrolled(it: Interpreter, node: cst.For, items: tuple[Value, ...]) -> None:
    """Runs the body for one item after the other, as often as Python would."""
    exits = LoopExits()
    it.frame.loops.append(exits)
    for number, item in enumerate(items):
        if it.store is None:
            break
        assign(it, node.target, item)
        with it.round(number):
            it.execute(node.body.body)
        it.store = join_stores(it.store, exits.continues)
        exits.continues = None
    it.frame.loops.pop()
    it.store = join_stores(it.store, exits.breaks)


def run_while(it: Interpreter, node: cst.While) -> None:
    """Runs the body any number of times, unless the test is false at once."""

    def once() -> None:
        it.evaluate(node.test)
        it.execute(node.body.body)

    if tests.decide(it, node.test) is not False:
        _loop(it, once)
    or_else(it, node.orelse)


def _loop(it: Interpreter, once: Callable[[], None]) -> None:
    """Runs a body any number of times, until nothing changes any more."""
    exits = LoopExits()
    it.frame.loops.append(exits)
    for round_number in range(MAX_ROUNDS):
        before = it.store
        it.store = None if before is None else dict(before)
        once()
        after = join_stores(join_stores(before, it.store), exits.continues)
        if round_number >= PATIENCE and after is not None:
            after = {place: widen(value) for place, value in after.items()}
        it.store = after
        if _variables(after) == _variables(before):
            break
    it.frame.loops.pop()
    it.store = join_stores(it.store, exits.breaks)


def _variables(store: Store | None) -> Store | None:
    """A state without its version, which counts the rounds of a loop that writes attributes."""
    if store is None:
        return None
    return {place: value for place, value in store.items() if place != OBJECTS_VERSION}


def or_else(it: Interpreter, orelse: cst.Else | None) -> None:
    """The `else` block of a loop or a `try`."""
    if orelse is not None:
        it.execute(orelse.body.body)
