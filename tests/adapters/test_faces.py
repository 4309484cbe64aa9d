"""All faces of the linter give the same findings at the same places."""

from __future__ import annotations

import argparse
import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from flake8_nnx_rng.adapters.flake8_plugin import NnxRngChecker
from flake8_nnx_rng.lint import lint
from flake8_nnx_rng.rules import CATALOGUE
from flake8_nnx_rng.source import Document

from .conftest import Run
from .samples import UNKNOWN_BASE

MODULES = {
    f"{code.lower()}_{number}.py": example
    for code, rule in CATALOGUE.items()
    for number, example in enumerate(rule.invalid)
} | {"nnx900.py": UNKNOWN_BASE}
EVERY_CODE = ",".join(CATALOGUE)


@pytest.fixture
def expected(directory: Path) -> list[str]:
    """Path, line, column and code of every finding, as the linter itself has them."""
    for name, text in MODULES.items():
        (directory / name).write_text(text, encoding="utf-8")
    return sorted(
        f"{name}:{finding.span.line}:{finding.span.column + 1}: {finding.text}"
        for name, text in MODULES.items()
        for finding in lint(Document(name, text))
    )


def test_every_rule_is_among_the_findings(expected: list[str]) -> None:
    assert {line.split()[1] for line in expected} == CATALOGUE.keys()


def test_flake8_gives_the_same_lines(expected: list[str]) -> None:
    command = [sys.executable, "-m", "flake8", "--isolated", f"--select={EVERY_CODE}"]
    done = subprocess.run([*command, *MODULES], capture_output=True, check=False)
    assert sorted(done.stdout.decode().splitlines()) == expected
    assert (done.returncode, done.stderr) == (1, b"")


def test_the_command_gives_the_same_lines(check: Run, expected: list[str]) -> None:
    done = check("--select", EVERY_CODE, *MODULES)
    assert sorted(done.out.splitlines()) == expected


def test_the_frames_of_the_command_have_the_same_heads(run: Run, expected: list[str]) -> None:
    done = run("check", "--select", EVERY_CODE, *MODULES)
    heads = [line for line in done.out.splitlines() if ".py:" in line and " | " not in line]
    assert sorted(heads) == expected


def test_standard_input_gives_the_same_lines(check: Run, expected: list[str]) -> None:
    lines = []
    for name, text in MODULES.items():
        options = ("--select", EVERY_CODE, "--stdin-display-name", name, "-")
        lines.extend(check(*options, stdin=text.encode()).out.splitlines())
    assert sorted(lines) == expected


def test_the_plugin_in_process_gives_the_same_places(expected: list[str]) -> None:
    options = argparse.Namespace(
        select=[*CATALOGUE],
        extend_select=[],
        nnx_rng_base=[],
        nnx_rng_sampler=[],
        nnx_rng_root=[],
        nnx_rng_cache_dir="",
        nnx_rng_no_cache=False,
    )
    places = [
        f"{name}:{line}:{column + 1}: {message}"
        for name, text in MODULES.items()
        for line, column, message, _ in NnxRngChecker(
            ast.parse(text), text.splitlines(keepends=True), name, options
        ).run()
    ]
    assert sorted(places) == expected


def test_the_codemod_is_asked_about_the_same_findings(
    run: Run, expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nothing is proposed, it leaves each of them by line and code."""
    monkeypatch.setattr("flake8_nnx_rng.adapters.fix.planner", lambda *_: [])
    done = run("fix", "--check", "-j1", "--select", EVERY_CODE, *MODULES)
    left = re.findall(r"^(.*:\d+): left (NNX\d+): ", done.out, re.MULTILINE)
    found = [re.findall(r"^(.*:\d+):\d+: (NNX\d+) ", line)[0] for line in expected]
    assert sorted(left) == sorted(found)
