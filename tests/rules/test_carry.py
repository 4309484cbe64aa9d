"""The parts of the carry in a state."""

from __future__ import annotations

import pytest

from flake8_nnx_rng.interpreter.taint import Carried
from flake8_nnx_rng.interpreter.values import (
    NONE,
    Bag,
    Choice,
    Items,
    Key,
    Opaque,
    Record,
    Table,
    Value,
)
from flake8_nnx_rng.rules.carry import at, is_unchanged, is_within, leaves


def carried(path: str) -> Opaque:
    return Opaque(frozenset({Carried(path)}), path)


NEW = Key(frozenset({Carried("state")}))
UNCHANGED = {
    "the whole": (carried("state"), "state"),
    "the whole, of which it is a part": (carried("state"), "state['key']"),
    "an item": (Items((carried("state[0]"), NEW)), "state[0]"),
    "an entry": (Table((("key", carried("state['key']")), ("n", NEW))), "state['key']"),
    "a field": (Record("R", (("key", carried("state.key")),)), "state.key"),
    "an entry of an entry": (
        Table((("a", Table((("b", carried("state['a']['b']")),))),)),
        "state['a']['b']",
    ),
    "either alternative": (Choice((carried("state"), Key(path="state"))), "state"),
}
CHANGED = {
    "another key": (NEW, "state"),
    "another item": (Items((carried("state[0]"), NEW)), "state[1]"),
    "two items that changed places": (
        Items((carried("state[1]"), carried("state[0]"))),
        "state[0]",
    ),
    "one alternative": (Choice((carried("state"), NEW)), "state"),
    "an entry that is missing": (Table((("n", carried("state['n']")),)), "state['key']"),
    "a name that begins alike": (Items((carried("state[1]"),)), "state[10]"),
}


@pytest.mark.parametrize(("state", "part"), UNCHANGED.values(), ids=UNCHANGED.keys())
def test_it_is_unchanged(state: Value, part: str) -> None:
    assert is_unchanged(state, part)


@pytest.mark.parametrize(("state", "part"), CHANGED.values(), ids=CHANGED.keys())
def test_it_is_changed(state: Value, part: str) -> None:
    assert not is_unchanged(state, part)


def test_what_stands_at_a_part_may_be_a_part_that_it_is_within() -> None:
    state = Table((("a", NEW), ("b", NONE)))
    assert list(at(state, "state['a']['key']")) == [NEW]
    assert list(at(state, "state['b']")) == [NONE]
    assert list(at(state, "state['c']")) == []


def test_leaves_are_named_as_the_carry_names_its_parts() -> None:
    state = Table((("a", Items((NEW, NONE))), ("b", Bag(NEW))), carried("state[...]"))
    assert [part for part, _ in leaves(state)] == [
        "state['a'][0]",
        "state['a'][1]",
        "state['b']",
        "state[...]",
    ]


def test_a_part_is_within_itself_and_what_is_around_it_alone() -> None:
    assert is_within("state[1]", "state[1]")
    assert is_within("state[1].key", "state[1]")
    assert not is_within("state[1]", "state[1].key")
    assert not is_within("state_2", "state")
