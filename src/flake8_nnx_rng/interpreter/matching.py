"""`match`: above all `match rollout_extras: case None`."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import libcst as cst

from flake8_nnx_rng.interpreter import containers, tests
from flake8_nnx_rng.interpreter.assignment import assign
from flake8_nnx_rng.interpreter.engine import Interpreter
from flake8_nnx_rng.interpreter.values import NONE, Value, blur

STRUCTURES = (cst.MatchMapping, cst.MatchSequence, cst.MatchClass)
"""Patterns that look inside their subject."""


def run_match(it: Interpreter, node: cst.Match) -> None:
    """Runs every case that may match, up to the first that must."""
    subject = it.evaluate(node.subject)

    def arm(case: cst.MatchCase) -> Callable[[], Value]:
        def run() -> Value:
            if isinstance(case.pattern, cst.MatchAs) and case.pattern.pattern is None:
                if case.pattern.name is not None:
                    assign(it, case.pattern.name, subject)
            elif (items := _matched_items(case.pattern, subject)) is not None:
                for name, item in items:
                    assign(it, name, item)
            else:
                for name in _captured(case.pattern):
                    assign(it, name, blur(subject))
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


def _matched_items(
    pattern: cst.MatchPattern, subject: Value
) -> list[tuple[cst.Name, Value]] | None:
    """The names and items of `case (a, b)` for a subject of known length, or None."""
    items = containers.known_items(subject)
    if items is None or not isinstance(pattern, (cst.MatchTuple, cst.MatchList)):
        return None
    names = [
        element.value
        for element in pattern.patterns
        if isinstance(element, cst.MatchSequenceElement)
    ]
    captured = [
        n.name for n in names if isinstance(n, cst.MatchAs) and n.pattern is None and n.name
    ]
    if len(captured) != len(pattern.patterns) or len(captured) != len(items):
        return None
    return list(zip(captured, items, strict=True))


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
