"""The abstract machine: budget, branches, alternatives and the record of events."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst
import pytest
from interpreting import events_in, machine, node, run, shown

from flake8_nnx_rng.interpreter import engine
from flake8_nnx_rng.interpreter.engine import BudgetError, Interpreter
from flake8_nnx_rng.interpreter.events import DrewOnHost, Wrote
from flake8_nnx_rng.interpreter.frames import Frame
from flake8_nnx_rng.interpreter.values import (
    Arguments,
    Choice,
    Const,
    Function,
    Key,
    Opaque,
    Table,
    Value,
)

HERE, THERE = node("here"), node("there")
PLACE = (1, "x")
ONE, TWO = Const(1), Const(2)


@pytest.fixture
def it() -> Interpreter:
    return machine("")


def _writing(it: Interpreter, value: Value) -> Callable[[], Value]:
    def arm() -> Value:
        it.write(PLACE, value)
        return value

    return arm


def test_the_arms_of_a_branch_start_alike_and_are_joined(it: Interpreter) -> None:
    it.write(PLACE, Const(0))
    seen: list[Value | None] = []

    def looking() -> Value:
        seen.append(it.read(PLACE))
        return Const(3)

    value = it.branch([_writing(it, ONE), _writing(it, TWO), looking])
    assert seen == [Const(0)]
    assert shown(value) == "1 | 2 | 3"
    assert it.read(PLACE) == Choice((ONE, TWO, Const(0)))


def test_an_arm_that_ends_leaves_nothing(it: Interpreter) -> None:
    def ending() -> Value:
        it.write(PLACE, TWO)
        it.store = None
        return TWO

    it.branch([_writing(it, ONE), ending])
    assert it.read(PLACE) == ONE
    it.branch([ending, ending])
    assert it.store is None


def test_a_branch_that_cannot_be_reached_writes_nothing(it: Interpreter) -> None:
    it.store = None
    it.branch([_writing(it, ONE)])
    assert it.store is None
    assert it.read(PLACE) is None


def test_a_single_value_is_handled_in_place(it: Interpreter) -> None:
    assert it.each(ONE, lambda v: Key()) == Key()
    store = it.store
    it.each(ONE, lambda v: v)
    assert it.store is store


def test_alternatives_are_handled_each_from_the_same_state(it: Interpreter) -> None:
    def writing(value: Value) -> Value:
        before = it.read(PLACE)
        it.write(PLACE, value)
        return Const(None) if before is None else before

    assert it.each(Choice((ONE, TWO)), writing) == Const(None)
    assert it.read(PLACE) == Choice((ONE, TWO))


def test_an_event_is_recorded_once_for_its_place_and_facts(it: Interpreter) -> None:
    for place in (HERE, HERE, THERE):
        it.emit(DrewOnHost(it.site(place), "f"))
    it.emit(DrewOnHost(it.site(HERE), "g"))
    it.emit(Wrote(it.site(HERE), "p", ONE, TWO))
    it.emit(Wrote(it.site(HERE), "p", ONE, TWO))
    kinds = [(type(event), event.site.node) for event in it.events.values()]
    assert kinds == [(DrewOnHost, HERE), (DrewOnHost, THERE), (DrewOnHost, HERE), (Wrote, HERE)]


def test_an_event_keeps_the_first_way_to_it(it: Interpreter) -> None:
    it.frame.label = "first"
    it.emit(DrewOnHost(it.site(HERE), "f"))
    it.frame.label = "second"
    it.emit(DrewOnHost(it.site(HERE), "f"))
    (event,) = it.events.values()
    assert event.site.trail == ("first",)


def test_nothing_is_recorded_while_the_constructor_runs(it: Interpreter) -> None:
    it.recording = False
    it.emit(DrewOnHost(it.site(HERE), "f"))
    assert it.events == {}


def test_nothing_is_recorded_that_cannot_be_reached(it: Interpreter) -> None:
    it.store = None
    it.emit(DrewOnHost(it.site(HERE), "f"))
    assert it.events == {}


def test_conditions_are_those_of_the_branches_in_progress(it: Interpreter) -> None:
    with it.under(HERE, True):
        with it.under(THERE, False):
            assert it.site(HERE).conditions == ((HERE, True), (THERE, False))
        assert it.site(HERE).conditions == ((HERE, True),)
    assert it.site(HERE).conditions == ()


def test_conditions_end_with_an_error(it: Interpreter) -> None:
    with pytest.raises(BudgetError), it.under(HERE, True):
        raise BudgetError
    assert it.conditions == ()


def test_the_trail_leaves_out_calls_without_a_name(it: Interpreter) -> None:
    scope = it.frame.scope
    it.frames += [Frame(2, scope, label="C.__call__"), Frame(3, scope), Frame(4, scope, label="f")]
    assert it.site(HERE).trail == ("C.__call__", "f")
    assert it.site(HERE).file is scope.file


def test_equal_parts_have_one_identity(it: Interpreter) -> None:
    assert it.identity("a", HERE) == it.identity("a", HERE)
    assert it.identity("a", HERE) != it.identity("a", THERE)


def test_a_pass_may_visit_so_many_nodes(monkeypatch: pytest.MonkeyPatch, it: Interpreter) -> None:
    monkeypatch.setattr(engine, "MAX_STEPS", 3)
    it.evaluate(node("1"))
    it.execute([cst.Pass()])
    it.evaluate(node("2"))
    with pytest.raises(BudgetError):
        it.evaluate(node("3"))


def test_statements_that_cannot_be_reached_are_not_visited(it: Interpreter) -> None:
    it.execute([cst.Pass(), cst.Raise(), cst.Pass()])
    assert it.steps == 2


def test_a_pass_that_is_too_long_keeps_what_it_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "MAX_STEPS", 40)
    audit = run("self.rngs()\n" + "y = x + 1\n" * 20)
    assert not audit.is_complete
    assert [event.site.trail for event in audit.rollout] == [("M.__call__",)]


def test_an_unknown_expression_is_made_of_its_parts(it: Interpreter) -> None:
    it.expressions = {cst.Name: lambda _, name: Key(path=name.value)}
    assert it.evaluate(node("f(a, b)")) == Opaque()
    assert it.steps > 1


def test_calling_what_cannot_be_called_is_data(it: Interpreter) -> None:
    assert it.call(Table(()), Arguments((ONE,)), HERE) == Opaque()


def test_a_function_sees_the_calls_around_it(it: Interpreter) -> None:
    outer = it.frame
    it.frames.append(Frame(7, outer.scope, outer=(outer.identity,)))
    unrelated = Frame(8, outer.scope)
    it.frames.insert(0, unrelated)
    lambda_ = node("lambda: 1")
    assert isinstance(lambda_, cst.Lambda)
    made = it.closure(lambda_)
    assert made == Function(lambda_, outer.scope, (7, outer.identity))
    assert outer.keeps_variables
    assert it.frame.keeps_variables
    assert not unrelated.keeps_variables


def test_writing_an_attribute_changes_the_version_of_all_objects(it: Interpreter) -> None:
    versions = [it.objects_version]
    for value in (ONE, TWO):
        it.write_attribute(1, "a", value)
        versions.append(it.objects_version)
    assert len(set(versions)) == 3
    it.write_attribute(1, "a", TWO)
    assert it.objects_version == versions[-1]


def test_writing_an_attribute_that_cannot_be_reached_changes_nothing(it: Interpreter) -> None:
    it.store = None
    it.write_attribute(1, "a", ONE)
    assert it.store is None
    assert it.objects_version is None


def test_a_draw_that_is_reached_in_two_ways_is_one_event() -> None:
    assert events_in("self.f()\nself.f()", members="def f(self): return self.rngs()") == [
        "self.rngs() draws from self.rngs"
    ]
