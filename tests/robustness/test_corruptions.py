"""Bytes that are not what they were: a finding, a rewrite or a clear error, whichever face."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from .corruptions import corrupted, real_files
from .faces import FACES, through

SAMPLE, CHUNKS, CHUNK = 80, 20, 500
"""As many files for CI, and as many times as many where everything is tried."""

EVERY_TOOL = 10
"""libcst's tool does as `fix` does with the same files, and reads them once more."""


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.chdir(tmp_path)


def outcomes(seed: int, count: int) -> Counter[str]:
    """How many corrupted files had findings, none, or an error, by face."""
    counted: Counter[str] = Counter()
    for number, data in enumerate(corrupted(real_files(), seed, count)):
        for name, face in FACES.items():
            if name != "tool" or number % EVERY_TOOL == 0:
                found = through(face, "a.py", data)
                what = "an error" if found is None else "findings" if found else "nothing"
                counted[f"{name}: {what}"] += 1
    return counted


@pytest.mark.slow
def test_a_corrupted_file_is_read_or_refused() -> None:
    counted = outcomes(0, SAMPLE)
    for name in ("flake8", "check", "fix"):
        assert counted[f"{name}: findings"] > SAMPLE // 20
        assert counted[f"{name}: an error"] > SAMPLE // 20
        assert sum(counted[f"{name}: {what}"] for what in _WHATS) == SAMPLE


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(1, CHUNKS + 1))
def test_ten_thousand_corrupted_files_are_read_or_refused(seed: int) -> None:
    print(f"{CHUNK} corrupted files:", dict(sorted(outcomes(seed, CHUNK).items())))


_WHATS = ("findings", "nothing", "an error")
