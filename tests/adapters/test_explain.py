"""The text of the rules."""

from __future__ import annotations

import re

import pytest

from flake8_nnx_rng.adapters.explain import answer, explain, listing, near, pages
from flake8_nnx_rng.rules import BREACH_MARK, CATALOGUE, Rule

RULES = pytest.mark.parametrize("rule", CATALOGUE.values(), ids=CATALOGUE)


def _page(rule: Rule) -> str:
    page = explain(rule.code)
    assert page is not None
    return page


@RULES
def test_every_rule_has_all_sections_in_order(rule: Rule) -> None:
    titles = [line for line in _page(rule).splitlines() if line.startswith("## ")]
    example = ["## Example"] if rule.invalid else []
    assert titles == [
        "## What it does",
        "## Why is this bad?",
        *example,
        "## Use instead",
        "## Fix safety",
        "## References",
    ]


@RULES
def test_every_section_has_a_text(rule: Rule) -> None:
    head, *sections = _page(rule).split("\n## ")
    assert head.startswith(f"# {rule.code}: {rule.name}\n")
    for section in sections:
        title, _, text = section.partition("\n\n")
        assert text.strip(), title


@RULES
def test_the_head_says_what_is_protected_and_whether_the_rule_is_on(rule: Rule) -> None:
    head, _, _ = _page(rule).partition("\n## ")
    assert ("Protects: " in head) is bool(rule.observable)
    assert all(observable in head for observable in rule.observable)
    assert (f"`extend-select = {rule.code}`" in head) is not rule.by_default


@RULES
def test_the_examples_are_shown_without_the_marks_for_the_tests(rule: Rule) -> None:
    page = _page(rule)
    assert BREACH_MARK not in page
    assert page.count("```python\n") == len(rule.invalid) + len(rule.valid)
    for example in (*rule.invalid, *rule.valid):
        assert f"```python\n{example.replace(f'  {BREACH_MARK}', '').rstrip()}\n```" in page


def test_a_code_may_be_written_in_lower_case() -> None:
    assert explain("nnx101") == explain("NNX101") is not None


@pytest.mark.parametrize("code", ["", "NNX", "NNX1", "E501", "NNX101 "])
def test_what_is_no_code_has_no_text(code: str) -> None:
    assert explain(code) is None


def test_the_list_has_a_line_for_every_rule_in_order_of_the_codes() -> None:
    lines = [line.split() for line in listing().splitlines()]
    assert lines == [
        [rule.code, rule.name, "on" if rule.by_default else "off"] for rule in CATALOGUE.values()
    ]
    assert lines == sorted(lines)


@pytest.mark.parametrize("prefix", ["NNX1", "nnx1", "NNX9", "NNX101"])
def test_a_prefix_lists_its_group_alone(prefix: str) -> None:
    codes = [line.split()[0] for line in listing(prefix).splitlines()]
    assert codes == [code for code in CATALOGUE if code.startswith(prefix.upper())] != []


@pytest.mark.parametrize("prefix", ["E", "NNX8", "NNX1019"])
def test_a_prefix_of_no_code_lists_nothing(prefix: str) -> None:
    assert listing(prefix) == ""


@RULES
def test_a_code_with_a_letter_or_digit_too_many_or_too_few_is_nearest_to_the_right_one(
    rule: Rule,
) -> None:
    for written in ("NX" + rule.code[3:], rule.code + "0", "n" + rule.code.lower()):
        assert near(written)[0] == rule.code, written


def test_few_codes_are_near_and_one_of_the_same_group_is() -> None:
    assert 1 <= len(near("NNX10x")) <= 3
    assert near("NNX10x")[0].startswith("NNX10")


def test_nothing_is_near_the_codes_of_others() -> None:
    assert near("E501") == near("ASYNC100") == near("") == []


def test_there_is_a_page_for_every_rule_and_the_index_links_to_each() -> None:
    index = pages()["index.md"]
    assert re.findall(r"^\| \[(NNX\d{3})\]\(\1\.md\) \|", index, re.MULTILINE) == [*CATALOGUE]
    assert pages().keys() == {"index.md", *(f"{code}.md" for code in CATALOGUE)}


@RULES
def test_the_page_is_what_is_explained_and_the_index_says_whether_the_rule_is_on(
    rule: Rule,
) -> None:
    assert pages()[f"{rule.code}.md"] == f"{explain(rule.code)}\n"
    state = "on" if rule.by_default else "off"
    assert f"({rule.code}.md) | {rule.name} | {state} |\n" in pages()["index.md"]


@pytest.mark.parametrize("code", [None, "nnx101", "NNX1"])
def test_the_answer_is_a_rule_a_group_or_all(code: str | None) -> None:
    assert answer(code) == (listing() if code is None else explain(code) or listing(code))


def test_the_answer_to_what_is_no_code_names_what_is_near() -> None:
    with pytest.raises(LookupError, match=r"no rule NNXX900; did you mean NNX900\?"):
        answer("NNXX900")
