"""What the linter says, and which of it is wanted."""

from __future__ import annotations

import argparse
import random

import pytest
from flake8.style_guide import Decision, DecisionEngine
from hypothesis import given
from hypothesis import strategies as st

from flake8_nnx_rng.findings import PLUGIN, Finding, Selection
from flake8_nnx_rng.lint import NOT_ANALYSED, on_by_default
from flake8_nnx_rng.rules import CATALOGUE
from flake8_nnx_rng.source import Span


def _finding(path: str, line: int, column: int, code: str) -> Finding:
    return Finding(path, Span(line, column, line, column + 1), code, "message")


def test_findings_are_ordered_by_file_place_and_code() -> None:
    ordered = [
        _finding("a.py", 2, 0, "NNX900"),
        _finding("a.py", 10, 4, "NNX101"),
        _finding("a.py", 10, 4, "NNX102"),
        _finding("a.py", 10, 12, "NNX101"),
        _finding("b.py", 1, 0, "NNX101"),
    ]
    shuffled = ordered[:]
    random.Random(0).shuffle(shuffled)
    assert shuffled != ordered
    assert sorted(shuffled) == ordered


def test_a_finding_about_a_file_stands_at_the_start_of_a_line() -> None:
    finding = Finding.of_file("a.py", 7, "NNX900", "message")
    assert finding == Finding("a.py", Span(7, 0, 7, 0), "NNX900", "message")
    assert finding.text == "NNX900 message"


@pytest.mark.parametrize(
    ("selection", "code", "by_default", "wanted"),
    [
        pytest.param(Selection(), "NNX101", True, True, id="default"),
        pytest.param(Selection(), "NNX900", False, False, id="off by default"),
        pytest.param(Selection(("NNX101",)), "NNX101", True, True, id="selected"),
        pytest.param(Selection(("NNX1",)), "NNX101", True, True, id="selected by prefix"),
        pytest.param(Selection(("NNX",)), "NNX101", True, True, id="plugin selected"),
        pytest.param(Selection(("N",)), "NNX101", True, True, id="letter selected"),
        pytest.param(Selection(("NNX102",)), "NNX101", True, False, id="another selected"),
        pytest.param(Selection(("E", "NNX1")), "NNX101", True, True, id="one of several"),
        pytest.param(Selection(("E",), ("NNX",)), "NNX101", True, True, id="extended"),
        pytest.param(Selection((), ("E",)), "NNX101", True, True, id="extended by another"),
        pytest.param(Selection(("NNX",)), "NNX900", False, False, id="plugin is not enough"),
        pytest.param(Selection((), ("NNX",)), "NNX900", False, False, id="nor by extension"),
        pytest.param(Selection(("NNX9",)), "NNX900", False, True, id="opinion selected"),
        pytest.param(Selection((), ("NNX900",)), "NNX900", False, True, id="opinion extended"),
        pytest.param(Selection(("NNX1",)), "NNX900", False, False, id="opinion not selected"),
        pytest.param(Selection((), (), ("NNX101",)), "NNX101", True, False, id="ignored"),
        pytest.param(Selection((), (), ("NNX1",)), "NNX101", True, False, id="prefix ignored"),
        pytest.param(Selection((), (), ("NNX102",)), "NNX101", True, True, id="another ignored"),
        pytest.param(
            Selection(("NNX101",), (), ("NNX1",)), "NNX101", True, True, id="longer selected"
        ),
        pytest.param(
            Selection(("NNX1",), (), ("NNX101",)), "NNX101", True, False, id="longer ignored"
        ),
        pytest.param(
            Selection((), ("NNX101",), ("NNX",)), "NNX101", True, True, id="longer extended"
        ),
        pytest.param(
            Selection(("NNX1",), (), ("NNX1",)), "NNX101", True, False, id="ignore wins a draw"
        ),
        pytest.param(
            Selection((), ("NNX900",), ("NNX9",)), "NNX900", False, True, id="longer opinion"
        ),
        pytest.param(
            Selection((), ("NNX9",), ("NNX9",)), "NNX900", False, False, id="ignore wins again"
        ),
    ],
)
def test_a_code_is_reported_if_it_is_selected_and_not_ignored(
    selection: Selection, code: str, by_default: bool, wanted: bool
) -> None:
    assert selection.wants(code, by_default) is wanted


PREFIXES = st.lists(
    st.sampled_from(["E", "NNX", "NNX1", "NNX10", "NNX101", "NNX102", "NNX9", "NNX900"]),
    max_size=4,
)


@given(st.none() | PREFIXES.filter(bool), PREFIXES, PREFIXES.filter(bool))
def test_what_is_named_and_ignored_is_decided_as_flake8_decides_it(
    select: list[str] | None, extend: list[str], ignore: list[str]
) -> None:
    options = argparse.Namespace(
        select=select,
        extend_select=extend,
        extended_default_select=[PLUGIN],
        ignore=ignore,
        extend_ignore=None,
        extended_default_ignore=[],
    )
    flake8 = DecisionEngine(options)
    for code in ("NNX101", "NNX900"):
        on = on_by_default(code)
        plugin = Selection(tuple(select or ()), tuple(extend))  # as flake8's face calls it
        shown = plugin.wants(code, on) and flake8.decision_for(code) is Decision.Selected
        ours = Selection(tuple(select or ()), tuple(extend), tuple(ignore))
        assert ours.wants(code, on) is shown


@pytest.mark.parametrize(
    ("code", "on"), [("NNX101", True), ("NNX303", True), ("NNX401", False), (NOT_ANALYSED, False)]
)
def test_strict_rules_and_what_was_not_analysed_are_off_by_default(code: str, on: bool) -> None:
    assert on_by_default(code) is on


@pytest.mark.parametrize("code", CATALOGUE)
def test_a_rule_says_of_itself_what_the_linter_does(code: str) -> None:
    assert CATALOGUE[code].by_default is on_by_default(code)
