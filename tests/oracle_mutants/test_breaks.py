"""The oracle's own tests fail wherever the oracle is broken."""

from __future__ import annotations

import ast

import pytest

from .breaks import Break
from .running import SOUND, run
from .table import ALWAYS, BREAKS


@pytest.mark.parametrize("each", BREAKS.values(), ids=BREAKS)
def test_a_break_is_python_and_changes_what_is_there(each: Break) -> None:
    assert len(each.edits) > 0
    for source in each.sources().values():
        ast.parse(source)


def test_a_break_of_what_is_no_longer_there_is_said() -> None:
    edit = BREAKS[ALWAYS[0]].edits[0]
    with pytest.raises(ValueError, match=r"passes\.py holds 0 times"):
        edit.applied("")


@pytest.mark.slow
def test_the_oracles_tests_see_that_the_passes_are_not_ppos() -> None:
    assert survivors(ALWAYS) == {}


@pytest.mark.slow
@pytest.mark.thorough
def test_the_oracles_tests_see_every_break() -> None:
    assert survivors(tuple(BREAKS)) == {}


def survivors(names: tuple[str, ...]) -> dict[str, list[str]]:
    """The breaks under which a test passes that should fail; and what fails without a break."""
    breaks = [BREAKS[name] for name in names]
    found = run(breaks)
    killers = {killer for each in breaks for killer in each.killers}
    failing = sorted(killers - set(found.pop(SOUND)))
    passing = {name: tests for name, tests in found.items() if tests}
    return passing | ({"none at all": failing} if failing else {})
