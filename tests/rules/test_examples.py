"""The examples of the rules are tests: they hold, they run, and they can be silenced."""

from __future__ import annotations

import ast
import importlib
import linecache
import pkgutil
import re
import sys
import types
from collections import Counter
from collections.abc import Iterator

import pytest

from flake8_nnx_rng import rules
from flake8_nnx_rng.adapters.noqa import without_ignored
from flake8_nnx_rng.findings import Finding
from flake8_nnx_rng.lint import lint
from flake8_nnx_rng.rules import BREACH_MARK, CATALOGUE, Rule
from flake8_nnx_rng.source import Document

FILES = [m.name for m in pkgutil.iter_modules(rules.__path__) if m.name.startswith("nnx")]
OBSERVABLES = {
    *("replay", "freshness", "independence", "lock"),
    *("purity", "trace", "hygiene", "lockstep"),
}


def _cases(kind: str) -> Iterator[object]:
    for code, rule in CATALOGUE.items():
        for number, example in enumerate(getattr(rule, kind)):
            yield pytest.param(code, example, id=f"{code}-{kind}-{number}")


INVALID = pytest.mark.parametrize(("code", "example"), list(_cases("invalid")))
VALID = pytest.mark.parametrize(("code", "example"), list(_cases("valid")))
EVERY = pytest.mark.parametrize(("code", "example"), [*_cases("invalid"), *_cases("valid")])
RULES = pytest.mark.parametrize("rule", CATALOGUE.values(), ids=CATALOGUE)


def _lint(text: str) -> list[Finding]:
    document = Document("example.py", text)
    return without_ignored(document, lint(document))


def _marked(text: str) -> list[int]:
    return [
        number for number, line in enumerate(text.splitlines(), 1) if line.endswith(BREACH_MARK)
    ]


@INVALID
def test_an_invalid_example_is_reported_exactly_at_its_marks(code: str, example: str) -> None:
    expected = _marked(example)
    assert expected
    found = [finding.span.line for finding in _lint(example) if finding.code == code]
    assert sorted(found) == expected


@INVALID
def test_an_invalid_example_has_no_line_for_another_rule_alone(code: str, example: str) -> None:
    lines = _marked(example)
    others = [finding for finding in _lint(example) if finding.code != code]
    assert all(CATALOGUE[finding.code].by_default for finding in others)
    assert all(finding.span.line in lines for finding in others)


@VALID
def test_a_valid_example_is_silent_under_every_rule(code: str, example: str) -> None:
    assert code in CATALOGUE
    assert _marked(example) == []
    assert _lint(example) == []


@INVALID
def test_a_comment_with_the_code_on_each_marked_line_silences_the_rule(
    code: str, example: str
) -> None:
    silenced = example.replace(BREACH_MARK, f"# noqa: {code}")
    before = Counter(finding.code for finding in _lint(example))
    after = Counter(finding.code for finding in _lint(silenced))
    assert before[code] > 0
    assert after == Counter({other: n for other, n in before.items() if other != code})


@EVERY
def test_an_example_is_tidy_python(code: str, example: str) -> None:
    tree = ast.parse(example)
    assert any(isinstance(node, ast.ClassDef) for node in tree.body), code
    assert example == example.lstrip("\n")
    assert example.endswith("\n")
    assert max(map(len, example.splitlines())) <= 100
    assert not [line for line in example.splitlines() if line != line.rstrip()]
    assert "\t" not in example


@pytest.mark.slow
@EVERY
def test_an_example_runs_on_nnx_ppo(
    code: str, example: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    types_of_ppo = pytest.importorskip("nnx_ppo.networks.types")
    unseen = types.SimpleNamespace(perturbed=lambda x, rngs: x)
    monkeypatch.setitem(sys.modules, "elsewhere", unseen)  # stands for a package of the user's
    module = types.ModuleType(f"{code.lower()}_example")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(
        linecache.cache, "example.py", (len(example), None, example.splitlines(True), "example.py")
    )
    exec(compile(example, "example.py", "exec"), vars(module))
    own = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and value.__module__ == module.__name__
    ]
    assert any(issubclass(cls, types_of_ppo.StatefulModule) for cls in own)


@pytest.mark.parametrize("name", FILES)
def test_a_rule_s_file_is_called_by_its_code_and_is_in_the_catalogue(name: str) -> None:
    rule: Rule = importlib.import_module(f"{rules.__name__}.{name}").RULE
    assert rule.code == name.upper()
    assert CATALOGUE[rule.code] is rule


def test_the_catalogue_has_a_file_for_every_rule_and_is_ordered() -> None:
    assert list(CATALOGUE) == [name.upper() for name in FILES] == sorted(CATALOGUE)
    names = [rule.name for rule in CATALOGUE.values()]
    assert len(set(names)) == len(names)


@RULES
def test_a_rule_is_documented(rule: Rule) -> None:
    assert re.fullmatch(r"NNX\d{3}", rule.code)
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", rule.name)
    assert set(rule.observable) <= OBSERVABLES
    assert rule.references
    for text in (rule.what, rule.why, rule.instead, rule.fix_safety):
        assert text.strip()
        assert max(map(len, text.splitlines())) <= 100


@RULES
def test_a_rule_has_examples_of_both_kinds_unless_it_is_about_the_linter_itself(
    rule: Rule,
) -> None:
    assert bool(rule.invalid) is bool(rule.valid) is bool(rule.observable)
