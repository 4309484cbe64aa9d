"""Rewrites many files: planned in parallel, written one after the other."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from multiprocessing import active_children, get_context
from pathlib import Path

from flake8_nnx_rng.codemod.applying.fixing import Task, fix
from flake8_nnx_rng.codemod.applying.outcome import Change, Outcome
from flake8_nnx_rng.codemod.applying.writing import write
from flake8_nnx_rng.source import Original, SourceError, behind_links, read_bytes

START = "spawn"
"""How processes start: alike on every system, and whatever threads there are."""

SAFE_PATH = "PYTHONSAFEPATH"
"""The environment variable with which an interpreter does not import from where it is started."""

FILES_A_JOB = 8
"""A further process is only worth its start for so many files."""

MOST_JOBS = 61
"""Windows waits for no more processes at once."""

Advance = Callable[[int, int], None]
"""Told how many of how many files are done."""


@dataclass(eq=False)
class Run:
    """One run over many files.

    While files are planned nothing is written, so that every plan of a round is made of the same
    files. Where one of them has been changed by an earlier plan, the later ones that depend on it
    are made again.

    Attributes:
        task: What is to be fixed.
        is_dry: Whether files are left as they are.
        jobs: How many processes plan.
        advance: Told about the progress.
    """

    task: Task
    is_dry: bool = False
    jobs: int = 1
    advance: Advance = lambda done, total: None
    _would: dict[Path, Change] = field(default_factory=dict, init=False)

    @property
    def changes(self) -> list[Change]:
        """What a dry run would change, each file once."""
        return list(self._would.values())

    def over(self, paths: Sequence[str]) -> Iterator[Outcome]:
        """What becomes of each file, in the order in which it is decided."""
        while paths:
            written: set[Path] = set()
            later: list[str] = []
            for outcome in self._planned(paths):
                depends = {*outcome.consulted, *(change.path for change in outcome.changes)}
                if outcome.changes and not written.isdisjoint(depends):
                    later.append(outcome.path)
                    continue
                done = self._commit(outcome)
                written.update(change.path for change in done.changes)
                yield done
            paths = later

    def _planned(self, paths: Sequence[str]) -> list[Outcome]:
        instead = {path: change.after for path, change in self._would.items()}
        work = partial(planned, self.task, instead)
        jobs = min(self.jobs, -(-len(paths) // FILES_A_JOB), MOST_JOBS)
        if jobs > 1:
            return _in_processes(work, paths, jobs, self.advance)
        outcomes: list[Outcome] = []
        for path in paths:
            self.advance(len(outcomes), len(paths))
            outcomes.append(work(path))
        self.advance(len(paths), len(paths))
        return outcomes

    def _commit(self, outcome: Outcome) -> Outcome:
        """Makes the changes of a file, and says so if that cannot be done."""
        if self.is_dry:
            for change in outcome.changes:
                first = self._would.get(change.path, change)
                self._would[change.path] = replace(first, after=change.after)
            return outcome
        try:
            write(outcome.changes)
        except SourceError as error:
            return replace(outcome, changes=(), fixed=(), error=str(error))
        return outcome


def planned(
    task: Task, instead: Mapping[Path, bytes], path: str, data: bytes | None = None
) -> Outcome:
    """What would become of one file; whatever goes wrong with it must not hide the others.

    Args:
        task: What is to be fixed.
        instead: What files on the disk are thought to contain, by real path.
        path: The file as the user named it.
        data: Its content; read from the disk if None.
    """
    try:
        return fix(Original(path, _content(path, instead) if data is None else data), task, instead)
    except SourceError as error:
        return Outcome(path, error=str(error))
    except Exception as error:
        return Outcome(
            path, error=f"{path}: internal error, {type(error).__name__}: {error}; please report it"
        )


def _content(path: str, instead: Mapping[Path, bytes]) -> bytes:
    thought = instead.get(behind_links(Path(path))) if instead else None
    return read_bytes(Path(path), path) if thought is None else thought


def _in_processes(
    work: Callable[[str], Outcome], paths: Sequence[str], jobs: int, advance: Advance
) -> list[Outcome]:
    context = get_context(START)
    with (
        _nothing_imported_from_here(),
        ProcessPoolExecutor(jobs, context, _leave_interrupts_to_the_parent) as pool,
    ):
        futures: dict[Future[Outcome], str] = {}
        try:
            with _interrupts_held():  # a process that is starting would print where it stopped
                futures |= {pool.submit(work, path): path for path in paths}
            advance(0, len(paths))
            for number, _ in enumerate(as_completed(futures), start=1):
                advance(number, len(paths))
        except BaseException:
            for child in active_children():  # they only plan, so nothing is lost
                child.kill()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        return [_result(future, path) for future, path in futures.items()]


def _result(future: Future[Outcome], path: str) -> Outcome:
    try:
        return future.result()
    except BrokenProcessPool:
        return Outcome(path, error=f"{path}: a process died; run again with --jobs 1")


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Lets interrupts wait, and those of the processes that are started meanwhile for ever."""
    if not hasattr(signal, "pthread_sigmask"):  # not on this system
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _nothing_imported_from_here() -> Iterator[None]:
    """Keeps the processes that are started from importing what lies in the current directory.

    They start as `python -c`, which looks there first, even for modules of the standard library;
    and there lies the code that is to be read, not to be run.
    """
    before = os.environ.get(SAFE_PATH)
    os.environ[SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[SAFE_PATH]
        else:
            os.environ[SAFE_PATH] = before


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def processors() -> int:
    """How many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return os.cpu_count() or 1
