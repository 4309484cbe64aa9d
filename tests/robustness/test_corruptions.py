"""Bytes that are not what they were: a finding, a rewrite or a clear error, whichever face."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from .corruptions import corrupted, real_files
from .faces import FACES, through

SAMPLE, CHUNKS, CHUNK = 100, 20, 500
"""As many files for CI, and as many times as many where everything is tried."""

OFTEN = {"flake8": 1, "check": 1, "fix": 5, "tool": 25}
SELDOM = {"flake8": 1, "check": 4, "fix": 10, "tool": 100}
"""For every how many files a face is tried: what one face reads, the next one reads alike, and what
a rewrite takes is a hundred times what a finding takes."""


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.chdir(tmp_path)


def outcomes(seed: int, count: int, every: Mapping[str, int]) -> Counter[str]:
    """How many corrupted files had findings, none, or an error, by face."""
    counted: Counter[str] = Counter()
    for number, data in enumerate(corrupted(real_files(), seed, count)):
        for name, face in FACES.items():
            if number % every[name] == 0:
                found = through(face, "a.py", data)
                what = "an error" if found is None else "findings" if found else "nothing"
                counted[f"{name}: {what}"] += 1
    return counted


@pytest.mark.slow
def test_a_corrupted_file_is_read_or_refused() -> None:
    counted = outcomes(0, SAMPLE, OFTEN)
    for name in ("flake8", "check", "fix"):
        files = SAMPLE // OFTEN[name]
        assert counted[f"{name}: findings"] > files // 20
        assert counted[f"{name}: an error"] > files // 20
        assert sum(counted[f"{name}: {what}"] for what in _WHATS) == files


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(1, CHUNKS + 1))
def test_ten_thousand_corrupted_files_are_read_or_refused(seed: int) -> None:
    print(f"{CHUNK} corrupted files:", dict(sorted(outcomes(seed, CHUNK, SELDOM).items())))


_WHATS = ("findings", "nothing", "an error")
