"""Tests that can be decided: above all `rollout_extras is None`."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from flake8_nnx_rng.interpreter import values
from flake8_nnx_rng.interpreter.engine import Interpreter
from flake8_nnx_rng.interpreter.taint import carried_in
from flake8_nnx_rng.interpreter.values import (
    NONE,
    Bag,
    Const,
    External,
    Items,
    Opaque,
    Record,
    Table,
    Value,
    options,
)
from flake8_nnx_rng.knowledge import library


def choose(
    it: Interpreter,
    test: cst.BaseExpression,
    then: Callable[[], Value],
    otherwise: Callable[[], Value],
) -> Value:
    """Runs the arm that a test decides on, or both."""
    decided = decide(it, test)

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


def decide(it: Interpreter, test: cst.BaseExpression) -> bool | None:
    """Evaluates a test as Python does; its truth, or None if that cannot be told.

    `flag and rollout_extras is None` is false in a replay, whatever the flag is.
    """
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        inner = decide(it, test.expression)
        return None if inner is None else not inner
    if not isinstance(test, cst.BooleanOperation):
        return truth(it.evaluate(test))
    needs_right = isinstance(test.operator, cst.And)
    left = decide(it, test.left)
    if left is (not needs_right):
        return left
    if left is needs_right:
        return decide(it, test.right)
    right: list[bool | None] = []

    def run_right() -> Value:
        with it.under(test.left, needs_right):
            right.append(decide(it, test.right))
        return NONE

    it.branch([lambda: NONE, run_right])
    return right[0] if right[0] is (not needs_right) else None


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
    if isinstance(operator, (cst.In, cst.NotIn)) and is_fed_back(right):
        return isinstance(operator, cst.In)  # whoever asks for a part has emitted it
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
        case Table(items) if items:
            return True
        case Opaque() if is_fed_back(value):
            return True
        case Opaque() | Bag() | Table() | External() | Record(values.UNKNOWN_OUTPUT):
            return None
        case _:
            return True


def _is_none(value: Value) -> bool | None:
    match value:
        case Const(literal):
            return literal is None
        case Opaque() if is_fed_back(value) or carried_in(value.taint):
            return False
        case Opaque() | External() | Record(values.UNKNOWN_OUTPUT):
            return None
        case _:
            return False


def is_fed_back(value: Value) -> bool:
    """Whether it is what the replay feeds back, or a part of it: then it is not None."""
    return isinstance(value, Opaque) and (value.path or "").startswith(library.EXTRAS)
