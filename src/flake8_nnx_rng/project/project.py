"""The files of a project as concrete trees, parsed only where something in them is wanted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import libcst as cst

from flake8_nnx_rng.project.file import SourceFile
from flake8_nnx_rng.source import (
    Definition,
    Document,
    Found,
    Outside,
    Place,
    Resolver,
    SourceError,
)

MAX_TREES = 64
"""Trees of imported files that are kept for the next file that imports them."""


@dataclass(eq=False)
class Project:
    """The file that is linted and what can be reached from it.

    Attributes:
        resolver: Finds what names stand for.
        own: The file that is linted.
    """

    resolver: Resolver
    own: SourceFile = field(init=False)
    _files: dict[Path, SourceFile | None] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        """Parses the file that is linted.

        Raises:
            SourceError: libcst does not know its syntax.
        """
        document = self.resolver.own
        self.own = SourceFile(document, document.concrete_tree(), self)
        self._files[self.resolver.path] = self.own

    def file(self, path: Path) -> SourceFile | None:
        """A file of the project, or None if it cannot be read and parsed."""
        if path not in self._files:
            self._files[path] = self._parse(path)
        return self._files[path]

    def find(self, name: str, file: SourceFile) -> tuple[Found, ...]:
        """The alternatives that a full name stands for in a file."""
        found = self.resolver.find(name, self._path(file))
        return tuple(self._readable(one) for one in found)

    def below(self, module: str, place: Place, name: str) -> tuple[Found, ...]:
        """The alternatives that an attribute of a module stands for."""
        found = self.resolver.below(module, place, name)
        return tuple(self._readable(one) for one in found)

    def starred(self, names: Sequence[str], file: SourceFile) -> list[str]:
        """Those of the names that the star imports of a file offer."""
        return self.resolver.starred(names, self._path(file))

    def _path(self, file: SourceFile) -> Path:
        return self.resolver.path if file is self.own else Path(file.document.path)

    def _readable(self, found: Found) -> Found:
        if isinstance(found, Definition) and self.file(found.file) is None:
            return Outside(".".join((found.file.stem, found.name, *found.attributes)))
        return found

    def _parse(self, path: Path) -> SourceFile | None:
        document = self.resolver.document(path)
        if document is None or self.resolver.outline(path) is None:
            return None
        try:
            return SourceFile(document, _tree(document), self)
        except SourceError:
            return None


@lru_cache(maxsize=MAX_TREES)
def _tree(document: Document) -> cst.Module:
    return document.concrete_tree()
