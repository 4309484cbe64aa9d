"""Runs `fix` in the current directory again and again, and kills each run at another moment.

A program of its own with a single thread: each run is a fork of it, with all imported already, so
that it takes no longer than the fixing. `python -m robustness.kills PLANNER WAY COUNT` prints the
runs as JSON. A way says when they are killed:

    steps   before a call that changes a name, a mode, an owner or a time: Python's audit events
            come before these. COUNT of them, evenly chosen, or all if COUNT is 0.
    clock   COUNT times at random between the first such call and the end, so amid a write as well.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import planning

from flake8_nnx_rng.adapters import cli, fix

STEPS = ("tempfile.mkstemp", "os.rename", "os.remove", "os.chmod", "os.chown", "os.utime")
OLD, NEW, OTHER = "old", "new", "other"

Contents = dict[str, bytes]
OnStep = Callable[[int], None]


@dataclass(frozen=True)
class Run:
    """A run and what it has left.

    Attributes:
        killed: Whether it was killed; else it came to its end before.
        files: Whether each file is old, new or something else.
        rest: The names of the files that were not there before.
    """

    killed: bool
    files: dict[str, str]
    rest: list[str]


def runs(way: str, count: int) -> Iterator[Run]:
    """Runs that are killed in a way, each from the same beginning."""
    old = _contents()
    _fix(lambda _: None)  # for its imports
    _restore(old)
    times: list[float] = []
    _fix(lambda _: times.append(time.monotonic()))
    window, new = time.monotonic() - times[0], _contents()
    chance = random.Random(0)
    chosen = [at * len(times) // count for at in range(count)] or [*range(len(times))]
    for step in chosen if way == "steps" else [0] * count:
        _restore(old)
        delay = None if way == "steps" else chance.uniform(0, window)
        killed = _killed(step, delay)
        found = _contents()
        files = {name: _age(found.get(name), old[name], new[name]) for name in old}
        yield Run(killed, files, sorted(found.keys() - old.keys()))


def _killed(step: int, delay: float | None) -> bool:
    """Whether a run is killed at a step, or so many seconds after it."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)

        def stop(at: int) -> None:
            if at == step and delay is None:
                os.kill(os.getpid(), signal.SIGKILL)
            elif at == step:
                os.write(writing, b".")

        _fix(stop)
        os._exit(0)
    os.close(writing)
    os.read(reading, 1)
    os.close(reading)
    if delay is not None:
        time.sleep(delay)
        os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


def _fix(on_step: OnStep) -> None:
    numbers = itertools.count()
    hearing = [True]

    def hear(event: str, _: tuple[object, ...]) -> None:
        if event in STEPS and hearing:
            on_step(next(numbers))

    sys.addaudithook(hear)  # which stays for ever
    cli.main(["fix", "--nnx-rng-no-cache", "-j1", "."])
    hearing.clear()


def _contents() -> Contents:
    return {path.name: path.read_bytes() for path in Path().iterdir() if path.is_file()}


def _restore(old: Contents) -> None:
    for name in _contents().keys() - old.keys():
        Path(name).unlink()
    for name, data in old.items():
        Path(name).write_bytes(data)


def _age(found: bytes | None, old: bytes, new: bytes) -> str:
    return OLD if found == old else NEW if found == new else OTHER


if __name__ == "__main__":
    _, planner, way, count = sys.argv
    fix.planner = getattr(planning, planner)
    with contextlib.redirect_stdout(io.StringIO()):
        result = [asdict(run) for run in runs(way, int(count))]
    print(json.dumps(result))
