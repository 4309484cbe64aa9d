"""A run of `fix` that is killed leaves every file old or new, whenever that is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from planning import NOISY, write

from flake8_nnx_rng.codemod.applying.writing import SUFFIX

from .kills import NEW, OLD, Run

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="has no forks"),
]

FEW, MANY = 12, 40
LONG = NOISY + "# " + "long " * 2_000 + "\n"
PROJECTS = {
    "mend": {f"file{number}.py": LONG for number in range(3)},
    "mend_with_bases": {"base.py": "BASE = 1\n", "a.py": LONG},
}
"""Planners, and files that each of them changes: one by one, or both at once."""


def killed(directory: Path, planner: str, way: str, count: int) -> list[Run]:
    """Runs that have been killed in a project, and what they left."""
    (directory / ".git").mkdir()
    for name, text in PROJECTS[planner].items():
        write(directory, name, text)
    done = subprocess.run(
        [sys.executable, "-P", "-m", "robustness.kills", planner, way, str(count)],
        cwd=directory,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        stdout=subprocess.PIPE,
        check=True,
        timeout=600,
    )
    return [Run(**run) for run in json.loads(done.stdout)]


def check(runs: list[Run], planner: str) -> None:
    """Sees that nothing is half done, and that temporary files are told by their names."""
    at_once = 1 if planner == "mend" else len(PROJECTS[planner])
    for run in runs:
        assert {*run.files.values()} <= {OLD, NEW}, run
        assert len(run.rest) <= at_once, run
        assert all(name.endswith(SUFFIX) for name in run.rest), run
    partial = sum(len({*run.files.values()}) > 1 for run in runs)
    rest = dict(sorted(Counter(len(run.rest) for run in runs).items()))
    print(f"{planner}: {sum(run.killed for run in runs)} of {len(runs)} runs killed,")
    print(f"{partial} with old files beside new ones; runs by temporary files left: {rest}")


@pytest.mark.parametrize("planner", PROJECTS)
def test_a_run_that_is_killed_before_a_step_leaves_every_file_old_or_new(
    tmp_path: Path, planner: str
) -> None:
    runs = killed(tmp_path, planner, "steps", FEW // len(PROJECTS))
    assert all(run.killed for run in runs)
    check(runs, planner)


@pytest.mark.thorough
@pytest.mark.parametrize("planner", PROJECTS)
def test_a_run_that_is_killed_before_any_step_leaves_every_file_old_or_new(
    tmp_path: Path, planner: str
) -> None:
    runs = killed(tmp_path, planner, "steps", 0)
    assert all(run.killed for run in runs)
    assert {*runs[0].files.values()} == {OLD}
    assert {*runs[-1].files.values()} == {NEW}
    assert any(len({*run.files.values()}) > 1 for run in runs)
    check(runs, planner)


@pytest.mark.thorough
@pytest.mark.parametrize("planner", PROJECTS)
def test_a_run_that_is_killed_at_any_moment_leaves_every_file_old_or_new(
    tmp_path: Path, planner: str
) -> None:
    runs = killed(tmp_path, planner, "clock", MANY)
    assert any(run.killed for run in runs)
    check(runs, planner)
