"""Both faces keep findings, unless the user wants none kept, and say the same either way."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from flake8_nnx_rng.cache import SUFFIX

from .samples import AT, NOISY, SOUND, UNKNOWN_BASE

FILES = {f"{name}.py": text for name, text in {"a": NOISY, "b": SOUND, "c": UNKNOWN_BASE}.items()}
PLAIN = "import os\n"
COMMANDS = {
    "flake8": ("flake8", "--isolated", "--select=NNX", "-j", "2"),
    "nnx-rng": ("flake8_nnx_rng", "check", "--format", "short"),
}
Face = Callable[..., list[str]]


@pytest.fixture(params=COMMANDS)
def face(request: pytest.FixtureRequest) -> Face:
    """Runs one face on the current directory."""

    def lines(*arguments: str) -> list[str]:
        command = [sys.executable, "-m", *COMMANDS[request.param], *arguments, "."]
        done = subprocess.run(command, capture_output=True, check=False, text=True)
        assert done.stderr == ""
        return sorted(done.stdout.splitlines())

    return lines


@pytest.fixture(autouse=True)
def kept(directory: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the findings are kept if the user says nothing."""
    for name, text in {**FILES, "plain.py": PLAIN}.items():
        (directory / name).write_text(text, encoding="utf-8")
    home = directory / ".home"
    for variable in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(variable, str(home))
    return home / "flake8-nnx-rng"


def _entries(directory: Path) -> dict[str, int]:
    return {one.name: one.stat().st_mtime_ns for one in directory.glob(f"*{SUFFIX}")}


def test_the_workers_fill_the_cache_and_the_next_run_uses_it(face: Face, kept: Path) -> None:
    first = face()
    assert len(first) == 1
    assert f"a.py:{AT}: NNX101" in first[0]
    entries = _entries(kept)
    assert len(entries) == len(FILES)
    assert face() == first
    assert _entries(kept) == entries


def test_what_is_kept_is_what_is_said(face: Face, kept: Path) -> None:
    face()
    for entry in kept.glob(f"*{SUFFIX}"):
        entry.write_bytes(b"damaged")
    first = face()
    assert first == face("--nnx-rng-no-cache")
    assert b"damaged" not in {entry.read_bytes() for entry in kept.glob(f"*{SUFFIX}")}


def test_the_codes_that_are_selected_do_not_matter_to_the_cache(face: Face, kept: Path) -> None:
    assert len(face()) == 1
    entries = _entries(kept)
    assert len(face("--extend-select=NNX9")) == 2
    assert _entries(kept) == entries


def test_off_by_option_nothing_is_written(face: Face, kept: Path, directory: Path) -> None:
    before = sorted(directory.rglob("*"))
    assert len(face("--nnx-rng-no-cache")) == 1
    assert sorted(directory.rglob("*")) == before


def test_the_user_says_where_findings_are_kept(face: Face, kept: Path, directory: Path) -> None:
    face("--nnx-rng-cache-dir", "here")
    assert len(_entries(directory / "here")) == len(FILES)
    assert not kept.exists()


@pytest.mark.parametrize("module", ["flake8", "flake8_nnx_rng check --format short"])
@pytest.mark.parametrize(
    ("line", "places"),
    [("nnx-rng-no-cache = true", []), ("nnx-rng-cache-dir = ./kept", ["conf/kept"])],
)
def test_the_configuration_says_it_too(
    directory: Path, kept: Path, module: str, line: str, places: list[str]
) -> None:
    config = directory / "conf" / ".flake8"
    config.parent.mkdir()
    config.write_text(f"[flake8]\nselect = NNX\n{line}\n")
    command = [sys.executable, "-m", *module.split(), "--config", str(config), *FILES]
    done = subprocess.run(command, capture_output=True, check=False, text=True)
    assert len(done.stdout.splitlines()) == 1, done
    assert [place for place in ("conf/kept", "kept") if (directory / place).exists()] == places
    assert not kept.exists()


def test_a_cache_in_a_place_that_cannot_be_written_changes_nothing(
    directory: Path, face: Face
) -> None:
    expected = face("--nnx-rng-no-cache")
    assert face("--nnx-rng-cache-dir", str(directory / "a.py" / "below")) == expected
