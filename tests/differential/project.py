"""A generated module as files of a directory: linted, imported and run, rewritten."""

from __future__ import annotations

import importlib
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from judging import read, run

from flake8_nnx_rng.codemod.applying.fixing import Task
from flake8_nnx_rng.codemod.applying.outcome import Outcome
from flake8_nnx_rng.codemod.applying.running import Run
from flake8_nnx_rng.codemod.planning.plan import proposals
from flake8_nnx_rng.findings import Finding

from .render import MODULE

if TYPE_CHECKING:
    from nnx_ppo_ref.oracle import Report

Files = Mapping[str, str]
"""The files of a project by name, without suffix."""

SEED = 1234
"""Of the streams that a module is built with; no module has it in its own text."""

EVERYTHING = Task(proposals, lambda _, findings: list(findings), unsafe=True)
"""Whatever the linter finds is to be fixed."""


@dataclass(frozen=True)
class Project:
    """A directory for the files of one module after the other.

    Attributes:
        directory: It; whatever is in it goes.
    """

    directory: Path

    def holding(self, files: Files) -> Project:
        """The same with these files and no others."""
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir(parents=True)
        for name, text in files.items():
            self._path(name).write_text(text, encoding="utf-8")
        return self

    @property
    def files(self) -> Files:
        """What is in it."""
        paths = sorted(self.directory.glob("*.py"))
        return {path.stem: path.read_text("utf-8") for path in paths}

    def findings(self) -> list[Finding]:
        """What the linter finds in all files, what is off by default included."""
        return [
            finding
            for name, text in self.files.items()
            for finding in read(text, path=str(self._path(name)))
        ]

    def fixed(self) -> list[Outcome]:
        """What becomes of the files, which are rewritten."""
        return list(Run(EVERYTHING).over([str(self._path(name)) for name in self.files]))

    def report(self) -> Report:
        """What the oracle sees in the class `M`."""
        import numpy as np
        from flax import nnx

        def build() -> Any:
            instance = file.M(nnx.Rngs(SEED))
            instance.train()  # as `networks.train()` does, whatever the constructor said
            return instance

        with self._imported() as file:
            return run(build, np.zeros(2, np.float32))

    @contextmanager
    def _imported(self) -> Iterator[Any]:
        """The file of the class `M`; its neighbours are known by name as long as this lasts."""
        names = list(self.files)
        sys.path.insert(0, str(self.directory))
        importlib.invalidate_caches()
        try:
            yield importlib.import_module(MODULE)
        finally:
            sys.path.remove(str(self.directory))
            for name in names:
                sys.modules.pop(name, None)

    def _path(self, name: str) -> Path:
        return self.directory / f"{name}.py"
