"""Codes are the same in the catalogue, the README and the changelog; examples are as promised."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from flake8_nnx_rng.adapters.render import with_frame
from flake8_nnx_rng.lint import lint, on_by_default
from flake8_nnx_rng.rules import CATALOGUE
from flake8_nnx_rng.source import read_document

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "examples" / "noisy_policy.py"
CODE = re.compile(r"NNX\d{3}")


def codes_in(name: str) -> set[str]:
    return set(CODE.findall((ROOT / name).read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", ["README.md", "CHANGELOG.md"])
def test_the_documents_name_every_rule_and_no_other(name: str) -> None:
    assert codes_in(name) == set(CATALOGUE)


def test_the_examples_show_every_rule_that_is_on_by_default() -> None:
    files = sorted(EXAMPLE.parent.glob("*.py"))
    found = {finding.code for file in files for finding in lint(read_document(file))}
    assert {code for code in found if on_by_default(code)} == {
        rule.code for rule in CATALOGUE.values() if rule.by_default
    }


def test_the_sound_classes_of_the_example_are_silent() -> None:
    document = read_document(EXAMPLE)
    messages = " ".join(finding.message for finding in lint(document))
    sound = re.findall(r'class (\w+)\(\w+\):\n    """Sound', document.text)
    faulty = re.findall(r'class (\w+)\(\w+\):\n    """Faulty', document.text)
    assert len(sound) == 2
    assert not [name for name in sound if f"{name}." in messages]
    assert all(f"{name}." in messages for name in faulty)


def test_the_table_of_the_readme_has_a_row_for_every_rule_in_order() -> None:
    rows = re.findall(r"^\| (NNX\d{3}) \|(.*)\|$", (ROOT / "README.md").read_text("utf-8"), re.M)
    assert [code for code, _ in rows] == [*CATALOGUE]
    off = [code for code, text in rows if text.endswith("; off by default ")]
    assert off == [rule.code for rule in CATALOGUE.values() if not rule.by_default]


def test_the_readme_shows_the_first_finding_as_it_is_printed() -> None:
    document = read_document(EXAMPLE, "examples/noisy_policy.py")
    assert with_frame(lint(document)[0], document) in (ROOT / "README.md").read_text("utf-8")
