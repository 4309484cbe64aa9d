"""Tests that can be decided."""

from __future__ import annotations

import libcst as cst
import pytest
from interpreting import events_in, machine, node, shown, value_of

from flake8_nnx_rng.interpreter import tests
from flake8_nnx_rng.interpreter.values import (
    NONE,
    Arguments,
    Bag,
    Choice,
    Const,
    External,
    Items,
    Key,
    Layer,
    Opaque,
    Record,
    Stream,
    Table,
    Value,
)

DATA = Opaque()
EXTRAS = Opaque(path="rollout_extras")

VERDICTS: dict[str, tuple[Value, bool | None, bool | None]] = {
    # value, its truth, whether it is None
    "None": (NONE, False, True),
    "a true literal": (Const(1), True, False),
    "a false literal": (Const(""), False, False),
    "data": (DATA, None, None),
    "held data": (Opaque(path="self.flag"), None, None),
    "the extras": (EXTRAS, True, False),
    "a part of the extras": (Opaque(path="rollout_extras['a']"), True, False),
    "a tuple": (Items((DATA,)), True, False),
    "an empty tuple": (Items(()), False, False),
    "a dict": (Table((("a", DATA),)), True, False),
    "an empty dict": (Table(()), False, False),
    "a record": (Record("R", ()), True, False),
    "a key": (Key(), True, False),
    "a stream": (Stream(), True, False),
    "a layer": (Layer("L", Arguments()), True, False),
    "two of one mind": (Choice((Const(1), Const(2))), True, False),
    "two of two minds": (Choice((NONE, Const(2))), None, None),
    "None or a false literal": (Choice((NONE, Const(0))), False, None),
}


@pytest.mark.parametrize(("value", "truth", "none"), VERDICTS.values(), ids=VERDICTS.keys())
def test_truth_and_absence_of(value: Value, truth: bool | None, none: bool | None) -> None:
    assert tests.truth(value) is truth
    assert tests.is_none(value) is none


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(Bag(DATA), id="a collection of unknown length"),
        pytest.param(Table((), DATA), id="a dict of unknown keys"),
        pytest.param(External("config.NOISY"), id="an imported name"),
    ],
)
def test_the_truth_is_not_known_of(value: Value) -> None:
    assert tests.truth(value) is None


COMPARISONS: dict[str, tuple[cst.BaseCompOp, Value, Value, bool | None]] = {
    "None is None": (cst.Is(), NONE, NONE, True),
    "None is not None": (cst.IsNot(), NONE, NONE, False),
    "the extras are not None": (cst.IsNot(), EXTRAS, NONE, True),
    "None and the extras, the other way round": (cst.Is(), NONE, EXTRAS, False),
    "data and None": (cst.Is(), DATA, NONE, None),
    "data and None, negated": (cst.IsNot(), DATA, NONE, None),
    "a key equals None": (cst.Equal(), Key(), NONE, False),
    "equal literals": (cst.Equal(), Const("a"), Const("a"), True),
    "unequal literals": (cst.NotEqual(), Const("a"), Const("b"), True),
    "a literal and data": (cst.Equal(), Const("a"), DATA, None),
    "an order is not decided": (cst.LessThan(), Const(1), Const(2), None),
    "membership is not decided": (cst.In(), NONE, NONE, None),
}


@pytest.mark.parametrize(
    ("operator", "left", "right", "verdict"), COMPARISONS.values(), ids=COMPARISONS.keys()
)
def test_comparing(
    operator: cst.BaseCompOp, left: Value, right: Value, verdict: bool | None
) -> None:
    assert tests.compare(operator, left, right) is verdict


@pytest.mark.parametrize(
    ("test", "chosen"),
    [
        pytest.param("True", "1", id="a true test runs its arm alone"),
        pytest.param("None", "2", id="a false test runs the other alone"),
        pytest.param("unknown()", "1 | 2", id="an open test runs both"),
    ],
)
def test_choose(test: str, chosen: str) -> None:
    it = machine("from somewhere import unknown")
    value = tests.choose(it, node(test), lambda: Const(1), lambda: Const(2))
    assert shown(value) == chosen


ASKING = [
    "rollout_extras is None",
    "None is rollout_extras",
    "rollout_extras == None",
    "not rollout_extras",
    "not (rollout_extras is not None)",
    "rollout_extras is None and True",
    "rollout_extras is None or False",
    "rollout_extras is None and x",
    "x and rollout_extras is None",
    "x and not rollout_extras and state",
    "not (x or rollout_extras is not None)",
    "rollout_extras is None or 'a' not in rollout_extras",
    "bool(rollout_extras) is False",
    "(extras := rollout_extras) is None",
    "(rollout_extras or {}).get('a') is None",
    "getattr(rollout_extras, 'a', None) is None",
]


@pytest.mark.parametrize("test", ASKING)
@pytest.mark.parametrize("form", ["if {}:\n    self.rngs()", "self.rngs() if {} else x"])
def test_the_extras_decide_a_branch_in_either_pass(test: str, form: str) -> None:
    body = form.format(test)
    (told,) = events_in(body)
    assert told.startswith("self.rngs() draws from self.rngs if ")
    assert events_in(body, replay=True) == []


@pytest.mark.parametrize(
    "test", ["rollout_extras['a'] is None", "rollout_extras.a is None", "rollout_extras[0] is None"]
)
def test_a_part_of_the_extras_is_there_in_the_replay(test: str) -> None:
    body = f"if rollout_extras is not None:\n    if {test}:\n        self.rngs()"
    assert events_in(body) == events_in(body, replay=True) == []


@pytest.mark.parametrize(
    "test",
    ["self.deterministic", "self.flag", "self.flag is None", "self.thing", "training", "x is None"],
)
def test_what_may_be_set_from_outside_decides_nothing(test: str) -> None:
    body = f"if {test}:\n    self.rngs()\nelse:\n    self.stream()"
    expected = [
        f"self.rngs() draws from self.rngs if {test}",
        f"self.stream() draws from self.stream unless {test}",
    ]
    assert events_in(body, init="self.flag = None", before="training = object()") == expected


def test_a_module_level_literal_decides() -> None:
    body = "if NOISY:\n    self.rngs()"
    assert events_in(body, before="NOISY = False") == []
    assert events_in(body, before="NOISY = True") == ["self.rngs() draws from self.rngs if NOISY"]


def test_a_test_on_extras_kept_in_a_variable_decides() -> None:
    assert value_of("fresh = rollout_extras is None\n1 if fresh else 2") == "1"


@pytest.mark.parametrize("test", ["x or rollout_extras is None", "not (x and rollout_extras)"])
def test_what_the_extras_alone_do_not_decide_is_open(test: str) -> None:
    body = f"if {test}: self.rngs()"
    assert len(events_in(body)) == len(events_in(body, replay=True)) == 1


CASES: dict[str, tuple[str, bool, bool]] = {
    # a match whose one arm draws; whether it does in the rollout, in the replay
    "none": ("case None: self.rngs()\n    case _: pass", True, False),
    "none or not at all": ("case None: self.rngs()", True, False),
    "all but none": ("case None: pass\n    case _: self.rngs()", False, True),
    "a name after none": ("case None: pass\n    case e: self.rngs()", False, True),
    "none under a guard": ("case None if x: pass\n    case _: self.rngs()", True, True),
    "what comes after a structure": ("case {'a': a}: pass\n    case _: self.rngs()", True, False),
    "a structure": ("case (a, b): self.rngs()", False, True),
}


@pytest.mark.parametrize(("cases", "rollout", "replay"), CASES.values(), ids=CASES.keys())
def test_a_match_of_the_extras_reaches(cases: str, rollout: bool, replay: bool) -> None:
    body = f"match rollout_extras:\n    {cases}"
    assert bool(events_in(body)) is rollout
    assert bool(events_in(body, replay=True)) is replay


def test_the_carry_is_none_only_where_the_module_starts_with_none() -> None:
    body = "if state is None: self.rngs()"
    assert events_in(body) == []
    assert events_in(body, members="def initialize_state(self, n): return None") != []
