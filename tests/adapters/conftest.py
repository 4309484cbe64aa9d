"""A directory of its own for every test, and the command run in it."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from flake8_nnx_rng.adapters.cli import main


@dataclass(frozen=True)
class Outcome:
    """What the command left behind."""

    status: int
    out: str
    err: str

    @property
    def places(self) -> list[str]:
        """Path, line, column and code of every finding of the short format."""
        return [" ".join(line.split()[:2]) for line in self.out.splitlines()]


Run = Callable[..., Outcome]


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current directory, with no configuration above it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NO_COLOR", raising=False)
    return tmp_path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the command in this process."""

    def outcome(*arguments: str, stdin: bytes = b"") -> Outcome:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        try:
            status = main(arguments)
        except SystemExit as exit_:
            status = exit_.code if isinstance(exit_.code, int) else 1
        return Outcome(status, *capsys.readouterr())

    return outcome


@pytest.fixture
def check(run: Run) -> Run:
    """Runs `check` with one line for each finding."""

    def outcome(*arguments: str, stdin: bytes = b"") -> Outcome:
        return run("check", "--format", "short", *arguments, stdin=stdin)

    return outcome
