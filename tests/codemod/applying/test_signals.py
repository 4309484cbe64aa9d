"""A run that is stopped leaves every file either as it was or as it was to be."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import planning
import pytest
from planning import DRAW, MENDED, NOISY, write

import flake8_nnx_rng
from flake8_nnx_rng.adapters.status import INTERRUPTED
from flake8_nnx_rng.codemod.applying.writing import SUFFIX

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "killpg"), reason="has no process groups"),
]

FILES = 40
OLD = NOISY + "# " + 5_000 * "long" + "\n"
NEW = OLD.replace(DRAW, MENDED)
PATHS = [str(Path(module.__file__ or "").parent) for module in (planning, flake8_nnx_rng)]

RUN = """
import sys
from flake8_nnx_rng.adapters import cli, fix
from planning import mend
fix.planner = mend
print("ready", flush=True)
sys.exit(cli.main(["fix", "--nnx-rng-no-cache", *sys.argv[1:], "."]))
"""
"""The command, with a planner that takes no time."""

Moment = Callable[[Path], None]


def _after(seconds: float) -> Moment:
    return lambda directory: time.sleep(seconds)


def _once_a_file_is_written(directory: Path) -> None:
    deadline = time.monotonic() + 60
    while (directory / "file00.py").stat().st_size != len(NEW):
        assert time.monotonic() < deadline
        time.sleep(0.001)


MOMENTS: dict[str, Moment] = {
    "soon": _after(0.2),
    "while it plans": _after(0.7),
    "once a file is written": _once_a_file_is_written,
}


def stopped(directory: Path, number: int, jobs: int, moment: Moment) -> tuple[int, str]:
    """The exit status and the errors of a run that a signal to its process group stops."""
    for file in range(FILES):
        write(directory, f"file{file:02}.py", OLD)
    places = os.pathsep.join([str(Path(PATHS[1]).parent), PATHS[0]])
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, f"-j{jobs}"],
        cwd=directory,
        env={**os.environ, "PYTHONPATH": places},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        moment(directory)
        os.killpg(process.pid, number)
        _, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    return process.returncode, errors


def _texts(directory: Path) -> set[str]:
    return {path.read_text("utf-8") for path in directory.glob("*.py")}


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("jobs", [pytest.param(1, marks=pytest.mark.thorough), 2])
def test_an_interrupt_leaves_whole_files_and_nothing_else(
    jobs: int, moment: str, tmp_path: Path
) -> None:
    status, errors = stopped(tmp_path, signal.SIGINT, jobs, MOMENTS[moment])
    assert (status, errors) == (INTERRUPTED, "")
    assert _texts(tmp_path) <= {OLD, NEW}
    assert len(list(tmp_path.glob("*.py"))) == FILES
    assert list(tmp_path.glob(f"*{SUFFIX}")) == []


@pytest.mark.parametrize("jobs", [pytest.param(1, marks=pytest.mark.thorough), 2])
def test_a_run_that_is_killed_leaves_whole_files(jobs: int, tmp_path: Path) -> None:
    status, _ = stopped(tmp_path, signal.SIGKILL, jobs, _once_a_file_is_written)
    assert status == -signal.SIGKILL
    assert _texts(tmp_path) <= {OLD, NEW}
    assert len(list(tmp_path.glob("*.py"))) == FILES
