"""Many files are planned at once and written one after the other."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from planning import (
    DRAW,
    MENDED,
    NOISY,
    SOUND,
    dies,
    mend,
    mend_with_bases,
    noisy,
    upset,
    wanted_by_default,
    write,
)
from support import module

from flake8_nnx_rng.codemod.applying import running, writing
from flake8_nnx_rng.codemod.applying.fixing import Task
from flake8_nnx_rng.codemod.applying.outcome import Change, Outcome
from flake8_nnx_rng.codemod.applying.running import Run, processors
from flake8_nnx_rng.codemod.proposal import Planner

NAMES = [f"file{number:02}.py" for number in range(20)]


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _run(
    paths: Sequence[str], planner: Planner = mend, *, jobs: int = 1, is_dry: bool = False
) -> list[Outcome]:
    return list(Run(Task(planner, wanted_by_default), is_dry, jobs).over(paths))


def test_processes_do_what_one_does(directory: Path) -> None:
    for name in NAMES:
        write(directory, name, NOISY)
    alone = _run(NAMES, is_dry=True)
    assert _run(NAMES, jobs=2) == alone
    assert [outcome.path for outcome in alone] == NAMES
    assert {(directory / name).read_text("utf-8") for name in NAMES} == {SOUND}


def test_a_dry_run_writes_nothing_and_says_the_same(directory: Path) -> None:
    path = write(directory, "a.py", NOISY)
    run = Run(Task(mend, wanted_by_default), is_dry=True)
    outcomes = list(run.over(["a.py"]))
    assert path.read_text("utf-8") == NOISY
    assert run.changes == [Change(path.resolve(), "a.py", NOISY.encode(), SOUND.encode())]
    assert outcomes == _run(["a.py"])
    assert path.read_text("utf-8") == SOUND


@pytest.mark.parametrize("is_dry", [False, True])
@pytest.mark.parametrize("jobs", [1, 2])
def test_files_that_depend_on_one_that_has_changed_are_planned_again(
    directory: Path, is_dry: bool, jobs: int
) -> None:
    base = write(directory, "base.py", "# base\n")
    for name in NAMES[:9]:
        write(directory, name, NOISY)
    run = Run(Task(mend_with_bases, wanted_by_default), is_dry, jobs)
    outcomes = list(run.over([*NAMES[:9], "base.py"]))
    assert all(outcome.fixed for outcome in outcomes if outcome.path != "base.py")
    expected = "# mended\n" * 9 + "# base\n"
    if is_dry:
        changes = {change.path: change for change in run.changes}
        assert len(changes) == 10
        assert changes[base.resolve()].after.decode() == expected
        assert changes[base.resolve()].before == b"# base\n"
        assert base.read_text("utf-8") == "# base\n"
    else:
        assert base.read_text("utf-8") == expected
        assert (directory / NAMES[5]).read_text("utf-8") == SOUND


def test_a_file_and_those_that_change_with_it_are_written_together_or_not_at_all(
    directory: Path,
) -> None:
    base = write(directory, "base.py", "# base\n")
    base.chmod(0o444)
    write(directory, "a.py", module(noisy("Noisy", "Hopeless")))
    (outcome,) = _run(["a.py"], mend_with_bases)
    assert outcome.error == "base.py: is read-only; it is as it was; make it writable"
    assert outcome.has_failed
    assert (outcome.changes, outcome.fixed) == ((), ())
    assert [verdict.name for verdict in outcome.left] == ["Hopeless"]
    assert DRAW in (directory / "a.py").read_text("utf-8")
    assert base.read_text("utf-8") == "# base\n"


def test_a_symbolic_link_stays_one(directory: Path) -> None:
    target = write(directory, "real/a.py", NOISY)
    link = directory / "link.py"
    link.symlink_to(Path("real", "a.py"))
    (outcome,) = _run(["link.py"])
    assert [one.path for one in outcome.fixed] == ["link.py"]
    assert os.readlink(link) == str(Path("real", "a.py"))
    assert target.read_text("utf-8") == SOUND
    assert sorted(os.listdir(directory)) == ["link.py", "real"]


def test_a_directory_above_a_link_is_that_of_its_target(directory: Path) -> None:
    """And not the one that the path seems to name."""
    write(directory, "real/inner/b.py", "")
    named = write(directory, "a.py", NOISY)
    meant = write(directory, "real/a.py", NOISY)
    (directory / "link").symlink_to(Path("real", "inner"), target_is_directory=True)
    _run(["link/../a.py"])
    assert named.read_text("utf-8") == NOISY
    assert meant.read_text("utf-8") == NOISY  # whose imports would start somewhere else


def test_what_goes_wrong_with_a_file_hides_nothing_of_the_others(directory: Path) -> None:
    write(directory, "a.py", "# nnx_ppo\ndef f(:\n")
    write(directory, "b.py", module(noisy("Upset")))
    write(directory, "c.py", NOISY)
    outcomes = _run(["a.py", "b.py", "c.py", "none.py"], upset)
    errors = [outcome.error for outcome in outcomes]
    assert errors[0].startswith("a.py:2: syntax error: ")
    assert errors[1] == "b.py: internal error, ZeroDivisionError: by zero; please report it"
    assert errors[2] == ""
    assert errors[3].startswith("none.py: cannot be read: ")
    assert (directory / "c.py").read_text("utf-8") == SOUND


def test_a_process_that_dies_is_an_error_of_its_files_and_nothing_is_lost(directory: Path) -> None:
    for name in NAMES[:12]:
        write(directory, name, NOISY)
    outcomes = _run(NAMES[:12], dies, jobs=2)
    errors = {outcome.error for outcome in outcomes if outcome.error}
    assert f"{NAMES[7]}: a process died; run again with --jobs 1" in errors
    texts = {(directory / name).read_text("utf-8") for name in NAMES[:12]}
    assert texts <= {NOISY, SOUND}


@pytest.mark.parametrize("jobs", [1, 2])
def test_progress_is_told_from_nothing_to_all(directory: Path, jobs: int) -> None:
    for name in NAMES[:12]:
        write(directory, name, SOUND)
    seen = []
    run = Run(
        Task(mend, wanted_by_default), True, jobs, lambda done, total: seen.append((done, total))
    )
    list(run.over(NAMES[:12]))
    assert seen == [(done, 12) for done in range(13)]


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interrupt_while_files_are_planned_writes_nothing(directory: Path, jobs: int) -> None:
    for name in NAMES:
        write(directory, name, NOISY)

    def interrupt(done: int, total: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    run = Run(Task(mend, wanted_by_default), jobs=jobs, advance=interrupt)
    with pytest.raises(KeyboardInterrupt):
        list(run.over(NAMES))
    assert {(directory / name).read_text("utf-8") for name in NAMES} == {NOISY}


def test_an_interrupt_between_two_files_keeps_what_is_written(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = writing.write

    def interrupted(changes: Sequence[object]) -> None:
        if "file03" in str(changes):
            raise KeyboardInterrupt
        real(changes)  # type: ignore[arg-type]

    monkeypatch.setattr(running, "write", interrupted)
    for name in NAMES[:6]:
        write(directory, name, NOISY)
    with pytest.raises(KeyboardInterrupt):
        _run(NAMES[:6])
    texts = [(directory / name).read_text("utf-8") for name in NAMES[:6]]
    assert texts == [SOUND] * 3 + [NOISY] * 3


def test_no_more_processes_are_started_than_files_are_worth(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def in_processes(work: object, paths: Sequence[str], jobs: int, _: object) -> list[Outcome]:
        asked.append((len(paths), jobs))
        return []

    monkeypatch.setattr(running, "_in_processes", in_processes)
    write(directory, "a.py", MENDED)
    for number in (1, 8, 9, 17, 400):
        _run(["a.py"] * number, jobs=16)
    _run(["a.py"] * 400, jobs=999)
    _run(["a.py"] * 4000, jobs=999)
    assert asked == [(9, 2), (17, 3), (400, 16), (400, 50), (4000, 61)]


def test_processors_are_counted_on_every_system(monkeypatch: pytest.MonkeyPatch) -> None:
    assert processors() >= 1
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert processors() == 1
