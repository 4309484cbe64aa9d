"""Regions: what of an array of keys is the same key, and what another one."""

from __future__ import annotations

import pytest

from flake8_nnx_rng.interpreter.regions import ALL, CURRENT, UNKNOWN, Region, meet

KEYS = Region("keys")


def row(of: Region, index: str) -> Region:
    """One row of an array whose turn is known."""
    found = of.taken(index, is_row=True)
    assert found is not None
    return found


def part(of: Region, index: str) -> Region:
    """One of the keys that a split made."""
    found = of.taken(index)
    assert found is not None
    return found


TURNED = KEYS.turned("by one", is_row=True)
MEETING = {
    "an array and itself": (KEYS, KEYS),
    "an array and a row": (KEYS, row(KEYS, "0")),
    "an array and one of its parts": (KEYS, part(KEYS, "1")),
    "a row and a part of all rows": (row(KEYS, "0"), part(KEYS, "1")),
    "a row and the one of a round": (row(KEYS, "0"), row(KEYS, CURRENT)),
    "the rows of a loop and a row": (row(KEYS, ALL), row(KEYS, "2")),
    "an array and the same turned": (KEYS, TURNED),
    "an array and a row of it turned": (KEYS, row(TURNED, "0")),
    "a row of it turned the same way": (row(TURNED, "0"), row(TURNED, "0")),
    "a part of all rows, turned": (part(KEYS, "1"), part(KEYS, "1").turned("x", is_row=True)),
}
APART = {
    "two arrays": (KEYS, Region("others")),
    "two rows": (row(KEYS, "0"), row(KEYS, "1")),
    "two parts": (part(KEYS, "0"), part(KEYS, "1")),
    "two parts of a row": (part(row(KEYS, "0"), "0"), part(row(KEYS, "0"), "1")),
    "a row and the same after a turn": (row(KEYS, "0"), row(TURNED, "0")),
    "a part and the same after a turn": (part(KEYS, "0"), part(KEYS.turned("by one"), "0")),
}


@pytest.mark.parametrize("pair", MEETING.values(), ids=MEETING)
def test_regions_meet_where_a_key_is_in_both(pair: tuple[Region, Region]) -> None:
    assert meet(*pair)
    assert meet(*reversed(pair))


@pytest.mark.parametrize("pair", APART.values(), ids=APART)
def test_regions_are_apart_unless_a_key_is_known_to_be_in_both(pair: tuple[Region, Region]) -> None:
    assert not meet(*pair)
    assert not meet(*reversed(pair))


def test_after_a_second_turn_no_single_row_is_known() -> None:
    twice = TURNED.turned("by two", is_row=True)
    assert twice.turn == UNKNOWN
    assert twice.taken("0", is_row=True) is None
    assert twice.taken(CURRENT, is_row=True) is not None
    assert meet(twice, KEYS)


def test_a_loop_that_has_ended_has_been_at_every_row() -> None:
    current = part(row(KEYS, CURRENT), "1")
    assert current.is_current
    assert current.settled() == part(row(KEYS, ALL), "1")
    assert not current.settled().is_current
