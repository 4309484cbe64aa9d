"""Tests that can be decided: above all `rollout_extras is None`."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from flake8_nnx_rng.interpreter.engine import Interpreter
from flake8_nnx_rng.interpreter.values import (
    NONE,
    Bag,
    Choice,
    Const,
    Items,
    Opaque,
    Record,
    Table,
    Value,
    options,
)

EXTRAS_PATH = "rollout_extras"
"""Path of what the replay feeds back; it and its parts are known not to be None."""


def choose(
    it: Interpreter,
    test: cst.BaseExpression,
    then: Callable[[], Value],
    otherwise: Callable[[], Value],
) -> Value:
    """Runs the arm that a test decides on, or both."""
    decided = truth(it.evaluate(test))

    def arm(run: Callable[[], Value], which: bool) -> Callable[[], Value]:
        def under_test() -> Value:
            with it.under(test, which):
                return run()

        return under_test

    if decided is True:
        return arm(then, True)()
    if decided is False:
        return arm(otherwise, False)()
    return it.branch([arm(then, True), arm(otherwise, False)])


def truth(value: Value) -> bool | None:
    """Whether a value is true, or None if it cannot be told.

    Attributes of the module are never decided: both passes run in train mode, but which mode
    that is, `train()` and `eval()` say from outside.
    """
    return _agree([_truth(option) for option in options(value)])


def is_none(value: Value) -> bool | None:
    """Whether a value is None, or None if it cannot be told."""
    return _agree([_is_none(option) for option in options(value)])


def compare(operator: cst.BaseCompOp, left: Value, right: Value) -> bool | None:
    """The result of a comparison with None or between literals, or None."""
    negated = isinstance(operator, (cst.IsNot, cst.NotEqual))
    if not negated and not isinstance(operator, (cst.Is, cst.Equal)):
        return None
    if right == NONE or left == NONE:
        equal = is_none(left if right == NONE else right)
    elif isinstance(left, Const) and isinstance(right, Const):
        equal = left.value == right.value
    else:
        return None
    return None if equal is None else equal is not negated


def _agree(verdicts: list[bool | None]) -> bool | None:
    return verdicts[0] if len(set(verdicts)) == 1 else None


def _truth(value: Value) -> bool | None:
    match value:
        case Const(literal):
            return bool(literal)
        case Items(items):
            return bool(items)
        case Table((), None):
            return False
        case _:
            return None if _is_none(value) is None else not isinstance(value, (Bag, Choice))


def _is_none(value: Value) -> bool | None:
    match value:
        case Const(literal):
            return literal is None
        case Opaque(path=path):
            return False if path is not None and path.startswith(EXTRAS_PATH) else None
        case Bag() | Table() | Record():
            return False
        case _:
            return False
