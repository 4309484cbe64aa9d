"""The least value that covers others, and what a held place makes of a value."""

from __future__ import annotations

import pytest
import support
from interpreting import events_in, node, shown

from flake8_nnx_rng.interpreter.joins import (
    MAX_DEPTH,
    Store,
    held,
    join,
    join_all,
    join_stores,
    widen,
)
from flake8_nnx_rng.interpreter.taint import Carried, Drawn, Entry, Fixed, Held, Sample
from flake8_nnx_rng.interpreter.values import (
    MAX_CHOICES,
    NONE,
    Arguments,
    Bag,
    Choice,
    Const,
    External,
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
    depth,
)

(CLASS,) = support.parse("class C: pass\n").classes
A = frozenset({Held("a")})
B = frozenset({Carried("state")})
C = frozenset({Held("b")})
INPUT = frozenset({Entry.INPUT})
HERE = node("here")
SAMPLE = frozenset({Sample(HERE)})
ONE, TWO = Const(1), Const(2)

JOINS: dict[str, tuple[Value, Value, str]] = {
    "equal values are one": (Key(A), Key(A), "key{a}"),
    "data of one kind gathers taints": (Opaque(A), Opaque(C), "data{a, b}"),
    "data of two kinds stays apart": (Opaque(A), Opaque(B), "data{a} | data{carry}"),
    "data keeps a common path": (Opaque(A, "p"), Opaque(C, "p"), "data{a, b}@p"),
    "data of two places stays apart": (Opaque(A, "p"), Opaque(A, "q"), "data{a}@p | data{a}@q"),
    "keys of one kind gather taints": (Key(A, "p"), Key(C, "p"), "key{a, b}@p"),
    "keys of two kinds stay apart": (Key(A, "p"), Key(B, "p"), "key{a}@p | key{carry}@p"),
    "whatever is threaded is of one kind": (Key(B), Key(A | INPUT), "key{a, carry, input}"),
    "a sample makes no other kind": (Key(A), Key(A | SAMPLE), "key{a, sample here}"),
    "a key that was given out and a constant one stay apart": (
        Key(A | frozenset({Drawn(HERE)})),
        Key(A | frozenset({Fixed(HERE)})),
        "key{a, drawn here} | key{a, fixed here}",
    ),
    "what is clean joins any kind": (Key(), Key(A), "key{a}"),
    "a held key and a derived one stay apart": (Key(A, "p"), Key(A), "key{a} | key{a}@p"),
    "streams stay apart": (Stream(A, "p"), Stream(A, "q"), "rngs{a}@p | rngs{a}@q"),
    "kinds stay apart": (Key(A), Opaque(B), "data{carry} | key{a}"),
    "literals stay apart": (ONE, TWO, "1 | 2"),
    "tuples of one length join item by item": (
        Items((ONE, Key(A))),
        Items((ONE, Key(B))),
        "(1, key{a} | key{carry})",
    ),
    "tuples of different lengths lose it": (Items((ONE,)), Items((TWO, TWO)), "[1 | 2...]"),
    "a tuple joins into a bag": (Items((ONE,)), Bag(TWO), "[1 | 2...]"),
    "a bag takes a tuple": (Bag(TWO), Items((ONE,)), "[1 | 2...]"),
    "an empty tuple brings no item": (Items(()), Bag(ONE), "[1...]"),
    "an empty tuple brings no item to a bag": (Bag(ONE), Items(()), "[1...]"),
    "tables join key by key": (
        Table((("k", ONE),)),
        Table((("k", TWO), ("l", ONE))),
        "{'k': 1 | 2, 'l': 1}",
    ),
    "tables join their rests": (Table((), ONE), Table((), TWO), "{**1 | 2}"),
    "a table's only rest is kept": (Table((("k", ONE),)), Table((), TWO), "{'k': 1, **2}"),
    "records of one class join field by field": (
        Record("R", (("f", ONE),)),
        Record("R", (("f", TWO),)),
        "R(f=1 | 2)",
    ),
    "records of two classes stay apart": (
        Record("R", (("f", ONE),)),
        Record("S", (("f", ONE),)),
        "R(f=1) | S(f=1)",
    ),
    "layers at one place join": (
        Layer("L", Arguments((ONE,)), "p"),
        Layer("L", Arguments((TWO,)), "p"),
        "L@p",
    ),
    "layers at two places stay apart": (
        Layer("L", Arguments(), "p"),
        Layer("L", Arguments(), "q"),
        "L@p | L@q",
    ),
    "alternatives are covered once": (Choice((ONE, NONE)), Choice((TWO, NONE)), "1 | 2 | None"),
}


@pytest.mark.parametrize(("first", "second", "expected"), JOINS.values(), ids=JOINS.keys())
def test_join(first: Value, second: Value, expected: str) -> None:
    assert shown(join(first, second)) == expected


@pytest.mark.parametrize(("first", "second", "expected"), JOINS.values(), ids=JOINS.keys())
def test_joining_again_changes_nothing(first: Value, second: Value, expected: str) -> None:
    joined = join(first, second)
    assert shown(join(joined, first)) == shown(join(joined, second)) == expected


def test_joined_layers_agree_argument_by_argument_and_hide_what_else_was_given() -> None:
    first = Layer("L", Arguments((ONE, Key(A)), (("rate", ONE),)), "p")
    second = Layer("L", Arguments((ONE,), (("rate", ONE), ("rngs", Key(B)))), "p")
    joined = join(first, second)
    assert isinstance(joined, Layer)
    assert [shown(v) for v in joined.arguments.positional] == ["1", "data | key{a}"]
    assert {k: shown(v) for k, v in joined.arguments.keywords} == {
        "rate": "1",
        "rngs": "data | key{carry}",
    }
    assert joined.arguments.rest == Opaque(A | B)


def test_too_many_alternatives_are_blurred_with_their_taint() -> None:
    values: list[Value] = [*map(Const, range(MAX_CHOICES)), Stream(B, "last")]
    joined = join_all(values)
    assert isinstance(joined, Choice)
    assert joined.options == (*map(Const, range(MAX_CHOICES - 1)), Opaque(B))


def test_as_many_alternatives_as_allowed_are_kept_apart() -> None:
    values = tuple(map(Const, range(MAX_CHOICES)))
    assert join_all(values) == Choice(values)


def test_joining_nothing_is_unknown() -> None:
    assert join_all([]) == Opaque()


PLACE, OTHER = (1, "x"), (1, "y")


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        pytest.param(None, None, None, id="both paths ended"),
        pytest.param({PLACE: ONE}, None, {PLACE: ONE}, id="the second ended"),
        pytest.param(None, {PLACE: ONE}, {PLACE: ONE}, id="the first ended"),
        pytest.param({PLACE: ONE}, {PLACE: TWO}, {PLACE: Choice((ONE, TWO))}, id="both wrote"),
        pytest.param({PLACE: ONE}, {OTHER: TWO}, {PLACE: ONE, OTHER: TWO}, id="each its own"),
    ],
)
def test_stores_are_joined_place_by_place(
    first: Store | None, second: Store | None, expected: Store | None
) -> None:
    assert join_stores(first, second) == expected


def test_joining_stores_leaves_them_as_they_were() -> None:
    first: Store = {PLACE: ONE}
    join_stores(first, {PLACE: TWO, OTHER: TWO})
    assert first == {PLACE: ONE}


def _nested(levels: int) -> Value:
    value: Value = Key(A)
    for _ in range(levels - 1):
        value = Items((value,))
    return value


def test_a_value_that_nests_too_deeply_is_blurred() -> None:
    assert depth(_nested(MAX_DEPTH)) == MAX_DEPTH
    assert widen(_nested(MAX_DEPTH)) == _nested(MAX_DEPTH)
    assert widen(_nested(MAX_DEPTH + 1)) == Opaque(A)


HELD: dict[str, tuple[Value, str]] = {
    "a literal is forgotten": (ONE, "data@p"),
    "data": (Opaque(B, "q"), "data@p"),
    "a key": (Key(B, "q"), "key@p"),
    "a stream": (Stream(B), "rngs@p"),
    "a single stream stays single": (Stream(B, None, single=True), "stream@p"),
    "a layer": (Layer("L", Arguments((ONE,))), "L@p"),
    "an object": (Instance(CLASS, 1), "C@p"),
    "items by their index": (Items((Key(), ONE)), "(key@p[0], data@p[1])"),
    "elements": (Bag(Key()), "[key@p[...]...]"),
    "entries by their key": (Table((("k", Key()),), Key()), "{'k': key@p['k'], **key@p[...]}"),
    "entries without rest": (Table((("k", Key()),)), "{'k': key@p['k']}"),
    "fields by their name": (Record("R", (("f", Key()),)), "R(f=key@p.f)"),
    "a method of what is held": (Method(Stream(), "normal"), "rngs@p.normal"),
    "a partial": (
        Partial(External("f"), Arguments((Key(),), (("x", Stream()),), Opaque(B))),
        "partial(f, key@p, rngs@p, data@p)",
    ),
    "a partial without rest": (Partial(External("f"), Arguments()), "partial(f)"),
    "an optional argument without its None": (Choice((NONE, Key(B))), "key@p"),
    "alternatives": (Choice((Stream(B), Key(B))), "key@p | rngs@p"),
    "a library is what it is": (External("jax.jit"), "jax.jit"),
}


@pytest.mark.parametrize(("value", "expected"), HELD.values(), ids=HELD.keys())
def test_a_held_value_is_known_by_its_place(value: Value, expected: str) -> None:
    assert shown(held(value, "p")) == expected


@pytest.mark.parametrize(("value", "expected"), HELD.values(), ids=HELD.keys())
def test_holding_a_value_twice_is_holding_it_once(value: Value, expected: str) -> None:
    assert shown(held(held(value, "p"), "p")) == expected


def test_a_layer_in_a_sequence_is_held_among_its_layers() -> None:
    place = "self.l.layers[0]"
    told = events_in("self.l(x)", init="self.l = nnx.Sequential(nnx.Dropout(0.5, rngs=rngs))")
    assert told == [f"self.l(x) draws from {place}.rngs in Dropout@{place}"]
