"""Values: what they are made of and what flows into them."""

from __future__ import annotations

import pytest
import support
from interpreting import node

from flake8_nnx_rng.interpreter.taint import CLEAN, Carried, Held, Taint
from flake8_nnx_rng.interpreter.values import (
    NONE,
    Arguments,
    Bag,
    Choice,
    Const,
    External,
    Function,
    Instance,
    Items,
    Key,
    Layer,
    Method,
    Opaque,
    Partial,
    Record,
    Stream,
    Table,
    Value,
    blur,
    children,
    depth,
    options,
    taint_of,
)

FILE = support.parse("class C:\n    def f(self): pass\n")
(CLASS,) = FILE.classes
METHOD = CLASS.method("f")
assert METHOD is not None
FUNCTION = Function(METHOD, CLASS.scope)

A = frozenset({Held("a")})
B = frozenset({Carried("state")})
KEY, DATA = Key(A), Opaque(B)


@pytest.mark.parametrize(
    ("value", "taint"),
    [
        pytest.param(Opaque(A, "x"), A, id="data"),
        pytest.param(Key(A), A, id="key"),
        pytest.param(Stream(B), B, id="stream"),
        pytest.param(Const(1), CLEAN, id="a literal is clean"),
        pytest.param(External("jax.jit"), CLEAN, id="a library is clean"),
        pytest.param(Layer("L", Arguments((KEY,)), "a"), A, id="a held layer by its path"),
        pytest.param(Layer("L", Arguments((KEY,))), A, id="a layer of the pass by its arguments"),
        pytest.param(Instance(CLASS, 1, "a"), A, id="a held object by its path"),
        pytest.param(Instance(CLASS, 1), CLEAN, id="an object of the pass is clean"),
        pytest.param(Items((KEY, DATA)), A | B, id="every item"),
        pytest.param(Bag(KEY), A, id="every element"),
        pytest.param(Table((("k", KEY),), DATA), A | B, id="every entry"),
        pytest.param(Record("R", (("f", KEY), ("g", DATA))), A | B, id="every field"),
        pytest.param(Choice((KEY, DATA)), A | B, id="every alternative"),
        pytest.param(Method(KEY, "sum"), A, id="a method by its receiver"),
        pytest.param(Partial(External("f"), Arguments((KEY,))), A, id="a partial's arguments"),
        pytest.param(FUNCTION, CLEAN, id="a function is clean"),
        pytest.param(
            Function(METHOD, CLASS.scope, bound=KEY),
            A,
            id="a bound function by its object",
        ),
    ],
)
def test_a_value_has_the_taint_of_what_it_is_made_of(value: Value, taint: Taint) -> None:
    assert taint_of(value) == taint


def test_blurring_forgets_kind_and_path_and_keeps_the_taint() -> None:
    assert blur(Key(A, "self.key"), Items((DATA,))) == Opaque(A | B)


def test_blurring_nothing_is_clean_data() -> None:
    assert blur() == Opaque()


@pytest.mark.parametrize(
    ("value", "parts"),
    [
        pytest.param(Items((KEY, DATA)), [KEY, DATA], id="items"),
        pytest.param(Choice((KEY, DATA)), [KEY, DATA], id="choice"),
        pytest.param(Bag(KEY), [KEY], id="bag"),
        pytest.param(Table((("k", KEY),)), [KEY], id="table without rest"),
        pytest.param(Table((("k", KEY),), DATA), [KEY, DATA], id="table"),
        pytest.param(Record("R", (("f", KEY),)), [KEY], id="record"),
        pytest.param(Method(KEY, "m"), [KEY], id="method"),
        pytest.param(Partial(KEY, Arguments((), (("x", DATA),))), [KEY, DATA], id="partial"),
        pytest.param(Function(METHOD, CLASS.scope, bound=KEY), [KEY], id="bound function"),
        pytest.param(Layer("L", Arguments((KEY,), (("x", DATA),))), [KEY, DATA], id="layer"),
        pytest.param(FUNCTION, [], id="function"),
        pytest.param(KEY, [], id="key"),
    ],
)
def test_the_children_of_a_value_are_the_values_in_it(value: Value, parts: list[Value]) -> None:
    assert list(children(value)) == parts


def test_only_a_choice_has_several_options() -> None:
    assert options(Choice((KEY, DATA))) == (KEY, DATA)
    assert options(Items((KEY, DATA))) == (Items((KEY, DATA)),)


@pytest.mark.parametrize(
    ("value", "levels"),
    [
        pytest.param(KEY, 1, id="a leaf"),
        pytest.param(Items(()), 1, id="an empty tuple"),
        pytest.param(Items((KEY, Bag(KEY))), 3, id="the deepest item counts"),
    ],
)
def test_depth_counts_levels(value: Value, levels: int) -> None:
    assert depth(value) == levels


def test_a_field_of_a_record_is_found_by_name() -> None:
    record = Record("R", (("f", KEY),))
    assert record.field("f") == KEY
    assert record.field("g") is None


ARGUMENTS = Arguments((Const(0), Const(1)), (("a", Const(2)),), Const(3))


@pytest.mark.parametrize(
    ("name", "position", "value"),
    [
        pytest.param("a", None, Const(2), id="by keyword"),
        pytest.param("a", 0, Const(2), id="the keyword before the position"),
        pytest.param("b", 1, Const(1), id="by position"),
        pytest.param("b", 2, None, id="beyond the last position"),
        pytest.param("b", None, None, id="an unknown keyword"),
    ],
)
def test_an_argument_is_found(name: str, position: int | None, value: Value | None) -> None:
    assert ARGUMENTS.get(name, position) == value


def test_every_argument_is_listed_the_rest_last() -> None:
    assert ARGUMENTS.values() == [Const(0), Const(1), Const(2), Const(3)]
    assert Arguments((NONE,)).values() == [NONE]


def test_arguments_can_be_put_in_front() -> None:
    assert ARGUMENTS.before(KEY).positional == (KEY, Const(0), Const(1))
    assert ARGUMENTS.before(KEY).values() == [KEY, *ARGUMENTS.values()]


def test_values_are_compared_by_content() -> None:
    at = node("f()")
    assert Opaque(frozenset({Held("a")}), "a") == Opaque(A, "a")
    assert Partial(KEY, Arguments((Const(1),))) == Partial(KEY, Arguments((Const(1),)))
    assert at != node("f()"), "places are compared by identity"
