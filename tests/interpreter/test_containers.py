"""Tuples, lists, dicts: what is in them, what comes out, what a change leaves."""

from __future__ import annotations

import pytest
import support
from interpreting import shown

from flake8_nnx_rng.interpreter import collection_methods, containers
from flake8_nnx_rng.interpreter.taint import Carried, Held
from flake8_nnx_rng.interpreter.values import (
    NONE,
    Arguments,
    Bag,
    Choice,
    Const,
    Instance,
    Items,
    Key,
    Layer,
    Opaque,
    Record,
    Stream,
    Table,
    Value,
)

(CLASS,) = support.parse("class C: pass\n").classes
A = frozenset({Held("a")})
B = frozenset({Carried("state")})
ONE, TWO, KEY, DATA = Const(1), Const(2), Key(A), Opaque(B)
PAIR = Items((ONE, KEY))
TABLE = Table((("k", KEY),))
OPEN = Table((("k", KEY),), DATA)
RECORD = Record("R", (("f", KEY), ("g", ONE)))
CHILDREN = Layer("flax.nnx.List", Arguments((Items((KEY, ONE)),)))

ELEMENTS: dict[str, tuple[Value, str]] = {
    "a tuple's items": (PAIR, "1 | key{a}"),
    "nothing is known of an empty tuple": (Items(()), "data"),
    "a bag's element": (Bag(KEY), "key{a}"),
    "a dict's keys, which are no values": (TABLE, "data"),
    "alternatives": (Choice((PAIR, Bag(TWO))), "1 | 2 | key{a}"),
    "an array of keys": (Key(A, "p"), "key{a}@p"),
    "data of a place, by a place within": (Opaque(A, "p"), "data{a}@p[...]"),
    "data of no place": (DATA, "data{carry}"),
    "a record's fields": (RECORD, "1 | key{a}"),
    "a layer's children": (CHILDREN, "1 | key{a}"),
    "a stream's names depend on it": (Stream(A), "data{a}"),
}


@pytest.mark.parametrize(("value", "expected"), ELEMENTS.values(), ids=ELEMENTS.keys())
def test_iterating_yields(value: Value, expected: str) -> None:
    assert shown(containers.element(value)) == expected


@pytest.mark.parametrize(
    ("value", "items"),
    [
        pytest.param(PAIR, (ONE, KEY), id="tuple"),
        pytest.param(RECORD, (KEY, ONE), id="record"),
        pytest.param(Bag(ONE), None, id="bag"),
        pytest.param(DATA, None, id="data"),
    ],
)
def test_the_items_are_known_of(value: Value, items: tuple[Value, ...] | None) -> None:
    assert containers.known_items(value) == items


UNKNOWN = Opaque()
ITEMS: dict[str, tuple[Value, Value | slice, str]] = {
    "a tuple's item": (PAIR, Const(1), "key{a}"),
    "a tuple's item from the end": (PAIR, Const(-2), "1"),
    "a tuple beyond its end": (PAIR, TWO, "1 | key{a}"),
    "a tuple by an unknown index": (PAIR, UNKNOWN, "1 | key{a}"),
    "a bag": (Bag(KEY), ONE, "key{a}"),
    "a dict by a key it has": (TABLE, Const("k"), "key{a}"),
    "a dict by a key it has not": (TABLE, Const("l"), "data"),
    "an open dict by another key": (OPEN, Const("l"), "data{carry}"),
    "a dict by an unknown key": (OPEN, UNKNOWN, "data{carry} | key{a}"),
    "a record by position": (RECORD, Const(0), "key{a}"),
    "a record beyond its end": (RECORD, TWO, "1 | key{a}"),
    "a stream by name": (Stream(A, "p"), Const("noise"), "stream{a}@p.noise"),
    "a stream by an unknown name": (Stream(A, "p"), UNKNOWN, "stream{a}@p[...]"),
    "a stream by a number": (Stream(A, "p"), ONE, "stream{a}@p[...]"),
    "a local stream": (Stream(A), Const("noise"), "stream{a}"),
    "a key of an array of keys": (Key(A, "p"), ONE, "key{a}@p"),
    "held data by a literal": (Opaque(A, "p"), Const("k"), "data{a}@p['k']"),
    "held data by data": (Opaque(A, "p"), DATA, "data{a, carry}@p[...]"),
    "a layer's child": (CHILDREN, ONE, "1"),
    "an object's item": (Instance(CLASS, 1, "p"), ONE, "data@p"),
    "data by data": (Opaque(A), DATA, "data{a, carry}"),
    "a section of a tuple": (Items((ONE, KEY, TWO)), slice(1, None), "(key{a}, 2)"),
    "a section by bounds that are no numbers": (PAIR, slice("a", None), "[1 | key{a}...]"),
    "a section with a step of zero": (PAIR, slice(None, None, 0), "[1 | key{a}...]"),
    "a section of a bag": (Bag(KEY), slice(1, None), "[key{a}...]"),
    "a section of keys": (KEY, slice(1, None), "key{a}"),
    "a section of data": (Opaque(A, "p"), slice(1, None), "data{a}@p"),
    "a section of a stream": (Stream(A), slice(1, None), "rngs{a}"),
    "a section of a dict": (TABLE, slice(1, None), "data{a}"),
}


@pytest.mark.parametrize(("value", "index", "expected"), ITEMS.values(), ids=ITEMS.keys())
def test_subscripting_yields(value: Value, index: Value | slice, expected: str) -> None:
    assert shown(containers.item(value, index)) == expected


CHANGES: dict[str, tuple[Value, Value | slice, str]] = {
    "an entry of a dict": (TABLE, Const("k"), "{'k': 2}"),
    "a new entry of a dict": (TABLE, Const("l"), "{'k': key{a}, 'l': 2}"),
    "an unknown entry of a dict": (TABLE, UNKNOWN, "{'k': key{a}, **2}"),
    "an unknown entry of an open dict": (OPEN, UNKNOWN, "{'k': key{a}, **2 | data{carry}}"),
    "a section of a dict": (TABLE, slice(1), "{'k': key{a}, **2}"),
    "an item of a tuple": (PAIR, ONE, "(1, 2)"),
    "an item from the end": (PAIR, Const(-2), "(2, key{a})"),
    "an item beyond the end": (PAIR, TWO, "[1 | 2 | key{a}...]"),
    "an unknown item": (PAIR, UNKNOWN, "[1 | 2 | key{a}...]"),
    "an item of a bag": (Bag(KEY), ONE, "[2 | key{a}...]"),
    "an item of data": (DATA, ONE, "data{carry}"),
}


@pytest.mark.parametrize(("value", "index", "expected"), CHANGES.values(), ids=CHANGES.keys())
def test_assigning_two_to(value: Value, index: Value | slice, expected: str) -> None:
    assert shown(containers.replaced(value, index, TWO)) == expected


COMBINATIONS: dict[str, tuple[Value, Value, str]] = {
    "tuples are chained": (PAIR, Items((TWO,)), "(1, key{a}, 2)"),
    "a tuple and a bag are a bag": (PAIR, Bag(TWO), "[1 | 2 | key{a}...]"),
    "a list times a number": (PAIR, TWO, "[1 | key{a}...]"),
    "a bag times a number": (Bag(KEY), TWO, "[key{a}...]"),
    "dicts are merged": (TABLE, Table((("k", ONE), ("l", TWO))), "{'k': 1, 'l': 2}"),
    "anything else is data of both": (KEY, DATA, "data{a, carry}"),
}


@pytest.mark.parametrize(
    ("left", "right", "expected"), COMBINATIONS.values(), ids=COMBINATIONS.keys()
)
def test_combining(left: Value, right: Value, expected: str) -> None:
    assert shown(containers.combine(left, right)) == expected


MERGES: dict[str, tuple[Value, Value, str]] = {
    "a dict": (TABLE, Table((("l", ONE),)), "{'k': key{a}, 'l': 1}"),
    "an open dict": (TABLE, Table((), ONE), "{'k': key{a}, **1}"),
    "two open dicts": (OPEN, Table((), ONE), "{'k': key{a}, **1 | data{carry}}"),
    "data": (TABLE, DATA, "{'k': key{a}, **data{carry}}"),
    "either of two": (
        TABLE,
        Choice((Table((("l", ONE),)), KEY)),
        "{'k': key{a}, 'l': 1, **key{a}}",
    ),
    "a dict into data": (DATA, TABLE, "{'k': key{a}, **data{carry}}"),
}


@pytest.mark.parametrize(("table", "other", "expected"), MERGES.values(), ids=MERGES.keys())
def test_updating_with(table: Value, other: Value, expected: str) -> None:
    assert shown(containers.with_all(table, other)) == expected


def test_several_dicts_become_one() -> None:
    assert shown(containers.table_of([TABLE, Table((("l", ONE),))])) == "{'k': key{a}, 'l': 1}"


def test_replacing_fields_of_a_record_leaves_the_others_and_adds_none() -> None:
    changed = containers.with_fields(RECORD, Arguments((), (("g", TWO), ("h", ONE))))
    assert changed == Record("R", (("f", KEY), ("g", TWO)))


def _call(*positional: Value, rest: Value | None = None, **keywords: Value) -> Arguments:
    return Arguments(positional, tuple(keywords.items()), rest)


MUTATIONS: dict[str, tuple[Value, str, Arguments, str]] = {
    "append to an empty list": (Items(()), "append", _call(KEY), "[key{a}...]"),
    "append to a list": (PAIR, "append", _call(TWO), "[1 | 2 | key{a}...]"),
    "append what a star brings": (Items(()), "append", _call(rest=KEY), "[key{a}...]"),
    "append nothing": (Items(()), "append", _call(), "[data...]"),
    "append to data": (DATA, "append", _call(KEY), "data{a, carry}"),
    "insert takes the last argument": (Items(()), "insert", _call(ONE, KEY), "[key{a}...]"),
    "add to a set": (Bag(ONE), "add", _call(TWO), "[1 | 2...]"),
    "extend a list": (Items((ONE,)), "extend", _call(Items((TWO,))), "[1 | 2...]"),
    "extend data": (DATA, "extend", _call(Items((KEY,))), "data{a, carry}"),
    "update a dict by a dict": (TABLE, "update", _call(Table((("k", ONE),))), "{'k': 1}"),
    "update a dict by names": (TABLE, "update", _call(l=ONE), "{'k': key{a}, 'l': 1}"),
    "update a set": (Bag(ONE), "update", _call(Items((KEY,))), "data{a}"),
    "set a default that is there": (
        TABLE,
        "setdefault",
        _call(Const("k"), ONE),
        "{'k': 1 | key{a}}",
    ),
    "set a default": (Table(()), "setdefault", _call(Const("k"), ONE), "{'k': 1}"),
    "set a default of data": (DATA, "setdefault", _call(Const("k"), KEY), "data{a, carry}"),
}


@pytest.mark.parametrize(
    ("value", "method", "arguments", "expected"), MUTATIONS.values(), ids=MUTATIONS.keys()
)
def test_after(value: Value, method: str, arguments: Arguments, expected: str) -> None:
    changed = collection_methods.mutate(value, method, arguments)
    assert changed is not None
    assert shown(changed) == expected


@pytest.mark.parametrize("value", [KEY, Stream(), NONE], ids=["key", "stream", "None"])
def test_what_is_no_collection_is_not_changed_by_such_methods(value: Value) -> None:
    assert collection_methods.mutate(value, "update", _call(KEY)) is None


READS: dict[str, tuple[Value, str, Arguments, str]] = {
    "get an entry": (TABLE, "get", _call(Const("k")), "key{a}"),
    "get an entry that is not there": (TABLE, "get", _call(Const("l")), "None"),
    "get with a default": (TABLE, "get", _call(Const("l"), ONE), "1"),
    "get from an open dict": (OPEN, "get", _call(Const("l")), "None | data{carry}"),
    "get an unknown entry": (TABLE, "get", _call(UNKNOWN), "None | key{a}"),
    "get from a list": (Bag(KEY), "get", _call(Const("k")), "None | key{a}"),
    "values of a dict": (TABLE, "values", _call(), "(key{a})"),
    "values of an open dict": (OPEN, "values", _call(), "[data{carry} | key{a}...]"),
    "values of a bag": (Bag(KEY), "values", _call(), "[key{a}...]"),
    "items of a dict": (TABLE, "items", _call(), "(('k', key{a}))"),
    "items of an open dict": (OPEN, "items", _call(), "[('k' | data, data{carry} | key{a})...]"),
    "items of a bag": (Bag(KEY), "items", _call(), "[(data, key{a})...]"),
    "keys": (TABLE, "keys", _call(), "[data...]"),
    "pop an entry": (TABLE, "pop", _call(Const("k")), "key{a}"),
    "pop an item": (PAIR, "pop", _call(), "1 | key{a}"),
    "pop a pair": (Bag(KEY), "popitem", _call(), "(data, key{a})"),
    "a copy": (PAIR, "copy", _call(), "(1, key{a})"),
}


@pytest.mark.parametrize(
    ("value", "method", "arguments", "expected"), READS.values(), ids=READS.keys()
)
def test_reading(value: Value, method: str, arguments: Arguments, expected: str) -> None:
    assert shown(collection_methods.METHODS[method](value, arguments)) == expected
