"""Finds what a dotted name stands for in the files of the project, without importing anything."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from flake8_nnx_rng.knowledge import library
from flake8_nnx_rng.source.bindings import DEFINED, STAR, Outline, joined, outline_of
from flake8_nnx_rng.source.disk import Disk
from flake8_nnx_rng.source.document import Document, SourceError, decode
from flake8_nnx_rng.source.roots import INIT, Roots, package_parent

KNOWN_PACKAGES = library.STATELESS_PACKAGES | sys.stdlib_module_names
"""Top-level packages that are never looked for in files."""


@dataclass(frozen=True)
class Place:
    """A module, a package or a namespace package.

    Attributes:
        file: Its source; None for a namespace package.
        directories: Where its submodules lie; none for a plain module.
    """

    file: Path | None
    directories: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Definition:
    """A name that a module of the project defines, and the attributes that are asked of it."""

    file: Path
    name: str
    attributes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Outside:
    """A name that leads out of the project, or nowhere."""

    name: str


Found = Definition | Place | Outside


@dataclass(eq=False)
class Resolver:
    """Resolves names as the import system would.

    Attributes:
        own: The file that is linted, as its user sees it: an editor may not have saved it.
        path: Its absolute path.
        roots: Where absolute imports start.
        disk: Reads all the other files.
    """

    own: Document
    path: Path
    roots: Roots
    disk: Disk = field(repr=False)
    _known: dict[tuple[str, Path], tuple[Found, ...]] = field(
        default_factory=dict, init=False, repr=False
    )

    def document(self, path: Path) -> Document | None:
        """A file of the project, or None if it cannot be read."""
        if path == self.path:
            return self.own
        data = self.disk.read(path)
        try:
            return None if data is None else decode(data, str(path))
        except SourceError:
            return None

    def outline(self, path: Path) -> Outline | None:
        """The names of a file of the project, or None if it cannot be read and parsed."""
        document = self.document(path)
        return None if document is None else outline_of(document)

    def find(self, name: str, file: Path) -> tuple[Found, ...]:
        """The alternatives that a full name stands for in a file; empty if it is not found.

        Args:
            name: A dotted name, relative ones with their leading dots.
            file: The file in which it is used, an absolute path.
        """
        place = (name, file.parent)
        if place not in self._known:
            self._known[place] = tuple(dict.fromkeys(self._find(name, file, frozenset())))
        return self._known[place]

    def below(self, place: Place, name: str) -> tuple[Found, ...]:
        """The alternatives that an attribute of a module stands for; empty if it has none."""
        return tuple(dict.fromkeys(self._members(place, (name,), frozenset())))

    def _find(self, name: str, file: Path, seen: frozenset[tuple[Path, str]]) -> Iterator[Found]:
        relative = name.lstrip(".")
        parts = tuple(relative.split(".")) if relative else ()
        if len(relative) < len(name):
            directory = file.parents[min(len(name) - len(relative), len(file.parents)) - 1]
            yield from self._members(self._directory(directory), parts, seen)
        elif parts[0] not in KNOWN_PACKAGES and not library.is_library(name):
            yield from self._members(Place(None, self.roots.directories), parts, seen)

    def _members(
        self, start: Place, parts: Sequence[str], seen: frozenset[tuple[Path, str]]
    ) -> Iterator[Found]:
        """What is found below a module: the longest prefix that is a module has the rest."""
        places = [start]
        while len(places) <= len(parts):
            below = self._submodule(places[-1], parts[len(places) - 1])
            if below is None:
                break
            places.append(below)
        if len(places) > len(parts):
            # A package may bind its module's name to something else: `from .dense import dense`
            shadows = list(self._bound(places[-2], parts[-1], (), seen)) if parts else []
            yield from shadows or [places[-1]]
            return
        for depth in reversed(range(len(places))):
            found = list(self._bound(places[depth], parts[depth], parts[depth + 1 :], seen))
            if found:
                yield from found
                return

    def _bound(
        self, place: Place, name: str, rest: Sequence[str], seen: frozenset[tuple[Path, str]]
    ) -> Iterator[Found]:
        """What a module's own statements bind a name to, imports followed."""
        if place.file is None or (place.file, name) in seen:
            return
        seen |= {(place.file, name)}
        outline = self.outline(place.file)
        if outline is None:
            return
        for origin in outline.bound.get(name, ()):
            if origin == DEFINED:
                yield self._defined(place.file, name, tuple(rest))
            else:
                full = joined(origin, *rest) if rest else origin
                yield from list(self._find(full, place.file, seen)) or [Outside(full)]
        if name not in outline.bound:
            starred = [
                found
                for module in outline.bound.get(STAR, ())
                for found in self._starred(joined(module, name, *rest), module, place.file, seen)
            ]
            inside = [found for found in starred if not isinstance(found, Outside)]
            yield from inside or starred

    def _starred(
        self, full: str, module: str, file: Path, seen: frozenset[tuple[Path, str]]
    ) -> list[Found]:
        """What a name is in a module that was imported with a star."""
        found = list(self._find(full, file, seen))
        if found or any(isinstance(f, Place) for f in self._find(module, file, frozenset())):
            return found
        return [Outside(full)]

    def _defined(self, file: Path, name: str, rest: tuple[str, ...]) -> Found:
        """A definition, unless it is the library itself that is read."""
        parent = package_parent(self.disk, file.parent)
        module = file.relative_to(parent).with_suffix("").parts
        full = ".".join((*module, name))
        if library.is_library(full):
            return Outside(".".join((full, *rest)))
        return Definition(file, name, rest)

    def _directory(self, directory: Path) -> Place:
        """A package around a file, or a directory of loose files."""
        init = directory / INIT
        return Place(init if self._is_file(init) else None, (directory,))

    def _submodule(self, place: Place, name: str) -> Place | None:
        portions = []
        for directory in place.directories:
            inside = directory / name
            if self._is_file(inside / INIT):
                return Place(inside / INIT, (inside,))
            if self._is_file(module := directory / f"{name}.py"):
                return Place(module)
            if self.disk.is_directory(inside):
                portions.append(inside)
        return Place(None, tuple(portions)) if portions else None

    def _is_file(self, path: Path) -> bool:
        return path == self.path or self.disk.read(path) is not None
