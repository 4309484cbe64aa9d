"""Worker processes find what one process finds."""

from __future__ import annotations

import multiprocessing
import sys
from pathlib import Path

import pytest

from .conftest import BASE, FAULTY, OF_UNKNOWN_BASE, SOUND, flake8, run

LAUNCHER = """\
import multiprocessing
import sys

from flake8.checker import Manager
from flake8.main.cli import main

if __name__ == "__main__":
    multiprocessing.set_start_method(sys.argv[1])
    del Manager.run_serial  # workers or nothing
    sys.exit(main(sys.argv[2:]))
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Several modules; some matter only by what the configuration says."""
    modules = tmp_path / "modules"
    modules.mkdir()
    for number in range(4):
        (modules / f"faulty{number}.py").write_text(FAULTY, encoding="utf-8")
        (modules / f"sound{number}.py").write_text(SOUND, encoding="utf-8")
        (modules / f"unknown{number}.py").write_text(OF_UNKNOWN_BASE, encoding="utf-8")
        (modules / f"other{number}.py").write_text(
            OF_UNKNOWN_BASE.replace("acme.layers", "ajax"), encoding="utf-8"
        )
    (tmp_path / ".flake8").write_text(
        f"[flake8]\nnnx-rng-base = {BASE}\nextend-select = NNX9\n", encoding="utf-8"
    )
    (tmp_path / "launch.py").write_text(LAUNCHER, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_workers_find_what_one_process_finds(project: Path, method: str) -> None:
    """However they are started, they know the options of the configuration."""
    alone = flake8("-j", "1", "modules", cwd=project)
    together = run(sys.executable, "launch.py", method, "-j", "2", "modules", cwd=project)
    codes = [line.split()[1] for line in sorted(alone.stdout.splitlines())]
    assert codes == ["NNX101"] * 4 + ["NNX900"] * 4 + ["NNX101"] * 4
    assert sorted(together.stdout.splitlines()) == sorted(alone.stdout.splitlines())
    assert together.stderr == alone.stderr == ""
    assert together.returncode == alone.returncode == 1


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_workers_know_the_options_of_the_command_line(project: Path, method: str) -> None:
    """A spawned worker gets nothing but the arguments."""
    options = ("--select", "NNX", "--nnx-rng-base", "ajax.Layer", "modules")
    alone = flake8("-j", "1", *options, cwd=project)
    together = run(sys.executable, "launch.py", method, "-j", "2", *options, cwd=project)
    found = sorted(together.stdout.splitlines())
    assert found == sorted(alone.stdout.splitlines())
    assert [line.partition(":")[0] for line in found if "other" in line] == [
        str(Path("modules", f"other{number}.py")) for number in range(4)
    ]
