"""The text of a rule."""

from __future__ import annotations

import pytest

from flake8_nnx_rng.adapters.explain import explain
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
