"""Runs the oracle's tests under one break after another, in a process of its own.

JAX is loaded once; before every break the oracle and its tests are forgotten and imported anew,
the broken modules from their changed text.
"""

from __future__ import annotations

import contextlib
import importlib.abc
import importlib.util
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import pytest

from .breaks import TESTS, Break, node_id

ROOT = Path(__file__).parents[2]
ORACLE = "nnx_ppo_ref.oracle"


class Broken(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds modules in changed texts."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self._sources = sources

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in self._sources:
            return None
        return importlib.util.spec_from_loader(fullname, self)

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self._sources[module.__name__], module.__name__, "exec"), vars(module))


@contextlib.contextmanager
def imported_from(sources: Mapping[str, str]) -> Iterator[None]:
    """The oracle and its tests are imported anew, some modules from other texts."""
    _forget()
    finder = Broken(sources)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        _forget()


def _forget() -> None:
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None) or ""
        if f"{name}.".startswith(f"{ORACLE}.") or file.startswith(str(TESTS)):
            del sys.modules[name]


def passing(killers: Iterable[str], sources: Mapping[str, str]) -> list[str]:
    """Those of the tests that pass, with the oracle's modules from these texts."""
    outcomes = _Outcomes()
    quiet = ("-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:cov")
    said = io.StringIO()
    with imported_from(sources), contextlib.redirect_stdout(said):
        status = pytest.main([*quiet, *map(node_id, killers)], plugins=[outcomes])
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        raise SystemExit(f"pytest could not run the tests:\n{said.getvalue()}")
    return [killer for killer in killers if outcomes.of.get(node_id(killer)) == "passed"]


class _Outcomes:
    def __init__(self) -> None:
        self.of: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or report.failed:
            self.of[str(ROOT / report.nodeid)] = report.outcome


def run(breaks: Iterable[Break]) -> dict[str, list[str]]:
    """The tests that pass under each break, and under none, in a fresh process."""
    names = [wanted.name for wanted in breaks]
    command = [sys.executable, "-m", "oracle_mutants.running", *names]
    paths = os.pathsep.join([str(ROOT / "tests"), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found: dict[str, list[str]] = json.loads(done.stdout.splitlines()[-1])
    return found


SOUND = ""
"""The name of the run without a break."""


def main(names: Sequence[str]) -> None:
    from .table import BREAKS

    wanted = [BREAKS[name] for name in names]
    killers = dict.fromkeys(killer for each in wanted for killer in each.killers)
    found = {SOUND: passing(killers, {})}
    for each in wanted:
        found[each.name] = passing(each.killers, each.sources())
        print(each.name, found[each.name], file=sys.stderr)
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1:])
