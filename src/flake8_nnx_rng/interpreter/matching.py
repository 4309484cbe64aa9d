"""`match`: above all `match rollout_extras: case None`."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import libcst as cst

from flake8_nnx_rng.interpreter import containers, tests
from flake8_nnx_rng.interpreter.assignment import assign
from flake8_nnx_rng.interpreter.engine import Interpreter
from flake8_nnx_rng.interpreter.values import NONE, Record, Value, blur

STRUCTURES = (cst.MatchMapping, cst.MatchSequence, cst.MatchClass)
"""Patterns that look inside their subject."""


def run_match(it: Interpreter, node: cst.Match) -> None:
    """Runs every case that may match, up to the first that must."""
    subject = it.evaluate(node.subject)

    def arm(case: cst.MatchCase) -> Callable[[], Value]:
        def run() -> Value:
            bound = _bindings(it, case.pattern, subject)
            unknown = [(name, blur(subject)) for name in _captured(case.pattern)]
            for name, value in unknown if bound is None else bound:
                assign(it, name, value)
            if case.guard is not None:
                it.evaluate(case.guard)
            it.execute(case.body.body)
            return NONE

        return run

    cases = [case for case in node.cases if _may_match(case, subject)]
    certain = next((i for i, case in enumerate(cases) if _must_match(case, subject)), None)
    if certain is None:
        it.branch([*map(arm, cases), lambda: NONE])
    else:
        it.branch([arm(case) for case in cases[: certain + 1]])


def _bindings(
    it: Interpreter, pattern: cst.MatchPattern, subject: Value
) -> list[tuple[cst.Name, Value]] | None:
    """The names that a pattern binds, each with its part of the subject; None if unknown."""
    match pattern:
        case cst.MatchAs(pattern=inner, name=name):
            found = [] if inner is None else _bindings(it, inner, subject)
            own = [] if name is None else [(name, subject)]
            return None if found is None else [*found, *own]
        case cst.MatchTuple() | cst.MatchList():
            parts = _sequence_parts(pattern, subject)
        case cst.MatchMapping(rest=None):
            parts = [
                (element.pattern, containers.item(subject, it.evaluate(element.key)))
                for element in pattern.elements
            ]
        case cst.MatchClass():
            parts = _class_parts(it, pattern, subject)
        case _:
            return None if any(_captured(pattern)) else []
    if parts is None:
        return None
    below = [_bindings(it, inner, part) for inner, part in parts]
    return None if None in below else [pair for found in below if found for pair in found]


_Parts = list[tuple[cst.MatchPattern, Value]]


def _sequence_parts(pattern: cst.MatchTuple | cst.MatchList, subject: Value) -> _Parts | None:
    items = containers.known_items(subject)
    inner = [e.value for e in pattern.patterns if isinstance(e, cst.MatchSequenceElement)]
    if items is None or len(inner) != len(pattern.patterns) or len(inner) != len(items):
        return None
    return list(zip(inner, items, strict=True))


def _class_parts(it: Interpreter, pattern: cst.MatchClass, subject: Value) -> _Parts | None:
    """Fields by keyword, and those of a record by position."""
    fields = subject.fields if isinstance(subject, Record) else ()
    if len(pattern.patterns) > len(fields):
        return None
    by_position = zip((one.value for one in pattern.patterns), fields, strict=False)
    return [
        *((inner, value) for inner, (_, value) in by_position),
        *((one.pattern, it.attribute(it, subject, one.key.value, pattern)) for one in pattern.kwds),
    ]


def _may_match(case: cst.MatchCase, subject: Value) -> bool:
    """Whether a case can be reached: `case None` only by what may be None, a structure by more."""
    if _is_none_pattern(case.pattern):
        return tests.is_none(subject) is not False
    return not (isinstance(case.pattern, STRUCTURES) and tests.is_none(subject) is True)


def _must_match(case: cst.MatchCase, subject: Value) -> bool:
    """Whether no later case can be reached."""
    if case.guard is not None:
        return False
    if _is_none_pattern(case.pattern):
        return tests.is_none(subject) is True
    if isinstance(case.pattern, STRUCTURES):  # whoever asks for the extras' parts has emitted them
        return tests.is_fed_back(subject)
    return isinstance(case.pattern, cst.MatchAs) and case.pattern.pattern is None


def _is_none_pattern(pattern: cst.MatchPattern) -> bool:
    return isinstance(pattern, cst.MatchSingleton) and pattern.value.value == "None"


def _captured(pattern: cst.CSTNode) -> Iterable[cst.Name]:
    if isinstance(pattern, (cst.MatchAs, cst.MatchStar)) and pattern.name is not None:
        yield pattern.name
    for child in pattern.children:
        if not isinstance(child, (cst.Name, cst.Attribute)):
            yield from _captured(child)
