"""The other files of a project, looked through by the names in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from flake8_nnx_rng.carriers import is_source, sources
from flake8_nnx_rng.project import Project, SourceFile
from flake8_nnx_rng.source import Disk


@dataclass(eq=False)
class Neighbours:
    """The files around the one that is rewritten.

    Attributes:
        project: Reads and parses them.
    """

    project: Project

    def naming(self, names: Iterable[str]) -> Iterator[tuple[Path, SourceFile]]:
        """The files that name something, under the names that other files import it as, too."""
        known = set(names)
        found = self._mentioning(known)
        renamed = re.compile(rf"\b(?:{_either(known)})\s+as\s+(\w+)")
        renames = {name for text in found.values() for name in renamed.findall(text)}
        if not renames <= known:
            found = self._mentioning(known | renames)
        for path in found:
            file = self.project.file(path)
            if file is not None:
                yield path, file

    def may_be_edited(self, path: Path) -> bool:
        """Whether a file is part of the project, not of a library that is installed in it."""
        resolver = self.project.resolver
        return path == resolver.path or is_source(path, resolver.roots.project)

    def _mentioning(self, names: set[str]) -> dict[Path, str]:
        word = re.compile(rf"\b(?:{_either(names)})\b")
        return {
            path: text
            for path, text in self._texts.items()
            if any(name in text for name in names) and word.search(text)
        }

    @cached_property
    def _texts(self) -> dict[Path, str]:
        """What the files say, read by itself: a plan depends on those alone that are parsed."""
        resolver = self.project.resolver
        aside = replace(resolver, disk=Disk(resolver.disk.instead))
        documents = ((path, aside.document(path)) for path in sources(resolver.roots.project))
        return {path: document.text for path, document in documents if document is not None}


def _either(names: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(names)))
