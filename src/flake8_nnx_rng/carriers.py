"""Whether any module of a project carries keys, and which."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from flake8_nnx_rng.interpreter import Audit, Auditor, carries_keys
from flake8_nnx_rng.knowledge import library
from flake8_nnx_rng.project import Project
from flake8_nnx_rng.source import may_matter

_SKIPPED = ("build", "dist", "node_modules", "site-packages", "venv")
MAX_FILES = 5_000
"""Python files of a project that are looked at."""


def first_carrier(
    own: Iterable[Audit], project: Project, auditor: Auditor, markers: tuple[str, ...]
) -> str | None:
    """The name of a module that carries keys, those of the own file first, or None."""
    for passes in own:
        if carries_keys(passes):
            return passes.cls.name
    for path in sources(project.resolver.roots.project):
        document = project.resolver.document(path)
        if document is None or not may_matter(document.text, markers):
            continue
        for name in library.KEY_CARRIERS:
            if name in document.text:
                return name
        file = project.file(path)
        for cls in file.classes if file is not None else ():
            if auditor.hierarchy.is_stateful(cls) and carries_keys(auditor.audit(cls)):
                return cls.name
    return None


def is_source(path: Path, directory: Path) -> bool:
    """Whether a file is one of those below a directory."""
    if not path.is_relative_to(directory):
        return False
    return not any(map(_is_skipped, path.relative_to(directory).parts[:-1]))


def sources(directory: Path) -> Iterator[Path]:
    """The Python files below a directory, in order; what tools keep there aside."""
    found = 0
    for place, directories, files in os.walk(directory):
        directories[:] = sorted(d for d in directories if not _is_skipped(d))
        for name in sorted(files):
            if name.endswith(".py"):
                found += 1
                if found > MAX_FILES:
                    return
                yield Path(place, name)


def _is_skipped(directory: str) -> bool:
    return directory.startswith(".") or directory in _SKIPPED
