"""All faces look across the files of a project, and agree."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support import PRELUDE, write

from flake8_nnx_rng.lint import lint
from flake8_nnx_rng.source import read_document

from .conftest import Run

FILES = {
    "pyproject.toml": "[project]\nname = 'lib'\n",
    "src/lib/__init__.py": "from .base import Base\n",
    "src/lib/base.py": PRELUDE + "class Base(StatefulModule):\n"
    "    def __init__(self, rngs: nnx.Rngs):\n        self.rngs = rngs\n",
    "src/lib/helpers.py": "def noise(rngs, x):\n    return x + rngs.normal(x.shape)\n",
    "src/lib/leaf.py": "from . import Base\nfrom .helpers import noise\n\n\n"
    "class Leaf(Base):\n"
    "    def __call__(self, state, x, rollout_extras=None):\n"
    "        return noise(self.rngs, x) + self.rngs.normal()\n",
    "vendor/far/away.py": PRELUDE + "class Far(StatefulModule): ...\n",
    "app.py": PRELUDE + "from far.away import Far\n\n\nclass App(Far):\n"
    "    def __call__(self, state, x):\n        return x + self.unknown.normal()\n",
}
LEAF = "src/lib/leaf.py"


@pytest.fixture
def expected(directory: Path) -> list[str]:
    """The findings in the leaf, as the linter itself has them."""
    write(directory, FILES)
    findings = lint(read_document(Path(LEAF)))
    assert [finding.code for finding in findings] == ["NNX101", "NNX101"]
    assert findings[0].message.endswith("(at src/lib/helpers.py:2)")
    return [
        f"{finding.span.line}:{finding.span.column + 1}: {finding.text}" for finding in findings
    ]


def _flake8(*arguments: str, cwd: Path | None = None, stdin: str | None = None) -> list[str]:
    command = [sys.executable, "-m", "flake8", "--isolated", "--select=NNX,NNX9", *arguments]
    done = subprocess.run(
        command, capture_output=True, check=False, cwd=cwd, input=stdin, text=True
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_flake8_sees_the_project_wherever_it_runs(directory: Path, expected: list[str]) -> None:
    assert _flake8(LEAF) == [f"{LEAF}:{line}" for line in expected]
    assert _flake8(f"./{LEAF}") == [f"./{LEAF}:{line}" for line in expected]
    assert _flake8("leaf.py", cwd=directory / "src" / "lib") == [
        f"leaf.py:{line}" for line in expected
    ]
    assert _flake8("src") == [f"{LEAF}:{line}" for line in expected]


@pytest.mark.parametrize("name", [LEAF, "src/lib/unsaved.py", "./src/lib/leaf.py"])
def test_standard_input_is_seen_where_its_name_says(
    check: Run, expected: list[str], name: str
) -> None:
    stdin = FILES[LEAF]
    lines = [f"{name}:{line}" for line in expected]
    assert _flake8("--stdin-display-name", name, "-", stdin=stdin) == lines
    done = check("--stdin-display-name", name, "-", stdin=stdin.encode())
    assert done.out.splitlines() == lines


def test_standard_input_without_a_name_stands_in_the_current_directory(
    check: Run, directory: Path, expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(directory / "src" / "lib")
    lines = [f"stdin:{line}" for line in expected]
    assert _flake8("-", stdin=FILES[LEAF]) == lines
    assert check("-", stdin=FILES[LEAF].encode()).out.splitlines() == lines


def test_the_command_sees_the_project(check: Run, expected: list[str]) -> None:
    assert check("src").out.splitlines() == [f"{LEAF}:{line}" for line in expected]


def test_roots_are_named_on_the_command_line_or_in_the_configuration(
    check: Run, expected: list[str], directory: Path
) -> None:
    def codes(lines: list[str]) -> list[str]:
        return [line.split()[1] for line in lines]

    assert codes(check("-v", "app.py").out.splitlines()) == codes(_flake8("app.py")) == ["NNX900"]
    root = ("--nnx-rng-root", "vendor")
    assert codes(check("-v", *root, "app.py").out.splitlines()) == codes(_flake8(*root, "app.py"))
    assert codes(_flake8(*root, "app.py")) != ["NNX900"]
    config = "[flake8]\nselect = NNX,NNX9\nnnx-rng-root = ./vendor\n"
    (directory / ".flake8").write_text(config, encoding="utf-8")
    assert codes(check("-v", "app.py").out.splitlines()) != ["NNX900"]
    command = [sys.executable, "-m", "flake8", "../app.py"]
    done = subprocess.run(command, capture_output=True, check=False, cwd="src", text=True)
    assert "NNX900" not in done.stdout + done.stderr


def test_an_editor_sees_a_change_in_another_file(directory: Path, expected: list[str]) -> None:
    helpers = directory / "src" / "lib" / "helpers.py"
    helpers.write_text("def noise(rngs, x):\n    return x\n", encoding="utf-8")
    assert len(lint(read_document(Path(LEAF)))) == len(expected) - 1
    write(directory, {"src/lib/helpers.py": FILES["src/lib/helpers.py"]})
    assert len(lint(read_document(Path(LEAF)))) == len(expected)
