"""Finds what a dotted name stands for in the files of the project, without importing anything."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
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


@dataclass(frozen=True)
class _Wanted:
    """A full name that a file imports.

    Attributes:
        name: The name, with all that is asked below it.
        file: The file.
        bound: The name that the import binds, and what to.
        by_star: Whether a star imports it, so that the module need not have it.
    """

    name: str
    file: Path
    bound: tuple[str, str] = ("", "")
    by_star: bool = False

    @property
    def statement(self) -> tuple[Path, tuple[str, str]]:
        """The import, whatever is asked below it: names must not grow in a cycle."""
        return self.file, self.bound


@dataclass(eq=False)
class Resolver:
    """Resolves names as the import system would.

    Attributes:
        own: The file that is linted, as its user sees it: an editor may not have saved it.
        tree: Its syntax tree, which nests no deeper than is analysed.
        path: Its absolute path.
        roots: Where absolute imports start.
        disk: Reads all the other files.
    """

    own: Document
    tree: ast.Module = field(repr=False)
    path: Path
    roots: Roots
    disk: Disk = field(repr=False)
    _known: dict[object, tuple[Found, ...]] = field(default_factory=dict, init=False, repr=False)

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
        if path == self.path:
            return self.own_outline
        document = self.document(path)
        return None if document is None else outline_of(document)

    @cached_property
    def own_outline(self) -> Outline:
        """The names of the file that is linted."""
        return Outline.of(self.tree)

    def find(self, name: str, file: Path) -> tuple[Found, ...]:
        """The alternatives that a full name stands for in a file.

        Args:
            name: A dotted name, relative ones with their leading dots.
            file: The file in which it is used, an absolute path.
        """
        return self._search(_Wanted(name, file)) or (Outside(name),)

    def below(self, module: str, place: Place, name: str) -> tuple[Found, ...]:
        """The alternatives that an attribute of a module stands for.

        Args:
            module: The name by which the module was imported.
            place: Where it lies.
            name: The attribute.
        """
        found = self._follow(self._members(place, (name,), _Wanted(f"{module}.{name}", self.path)))
        return found or (Outside(f"{module}.{name}"),)

    def starred(self, names: Sequence[str], file: Path) -> list[str]:
        """Those of the names that star imports offer: the project's own if there are any."""
        found = {name: self._search(_Wanted(name, file, by_star=True)) for name in names}
        offered = [name for name in names if found[name]]
        inside = [n for n in offered if not all(isinstance(one, Outside) for one in found[n])]
        return inside or offered

    def _search(self, wanted: _Wanted) -> tuple[Found, ...]:
        place = (wanted.name, wanted.file.parent, wanted.by_star)
        if place not in self._known:
            self._known[place] = self._follow([wanted])
        return self._known[place]

    def _follow(self, steps: Iterable[Found | _Wanted]) -> tuple[Found, ...]:
        """Everything that imports lead to, each import followed once."""
        pending = list(steps)
        found: dict[Found, None] = {}
        offered: dict[Found, None] = {}
        seen: set[tuple[Path, tuple[str, str]]] = set()
        while pending:
            step = pending.pop(0)
            if not isinstance(step, _Wanted):
                found[step] = None
            elif step.statement not in seen:
                seen.add(step.statement)
                for further in self._step(step):
                    if isinstance(further, Outside) and step.by_star:
                        offered[further] = None
                    else:
                        pending.append(further)
        return tuple(found or offered)

    def _step(self, wanted: _Wanted) -> Iterator[Found | _Wanted]:
        start, parts = self._start(wanted)
        if start is None:
            yield Outside(wanted.name)
        else:
            yield from self._members(start, parts, wanted)

    def _start(self, wanted: _Wanted) -> tuple[Place | None, tuple[str, ...]]:
        """Where the search for a name starts, if it may be in the project, and its parts."""
        relative = wanted.name.lstrip(".")
        parts = tuple(relative.split(".")) if relative else ()
        up = len(wanted.name) - len(relative)
        if up:
            parents = wanted.file.parents
            return self._directory(parents[min(up, len(parents)) - 1]), parts
        if parts[0] in KNOWN_PACKAGES or library.is_library(wanted.name):
            return None, parts
        return Place(None, self.roots.directories), parts

    def _members(
        self, start: Place, parts: Sequence[str], wanted: _Wanted
    ) -> Iterator[Found | _Wanted]:
        """What is found below a module: the longest prefix that is a module has the rest."""
        places = self._walk(start, parts)
        if len(places) > len(parts):
            yield from self._module(places, parts)
            return
        for depth in reversed(range(len(places))):
            is_deepest = depth == len(places) - 1
            rest = parts[depth + 1 :]
            steps = list(self._bound(places[depth], parts[depth], rest, stars=is_deepest))
            if steps:
                yield from steps
                return
        is_in_project = len(places) > 1 or start.file is not None
        if not (wanted.by_star and is_in_project):
            yield Outside(wanted.name)

    def _module(self, places: list[Place], parts: Sequence[str]) -> Iterator[Found | _Wanted]:
        """A module, or what its package binds its name to: `from .dense import dense`."""
        package = places[-2] if parts else None
        steps = [] if package is None else list(self._bound(package, parts[-1], (), stars=False))
        yield from [step for step in steps if not self._is_module(step, places[-1])] or places[-1:]

    def _is_module(self, step: Found | _Wanted, place: Place) -> bool:
        if not isinstance(step, _Wanted):
            return False
        start, parts = self._start(step)
        places = [] if start is None else self._walk(start, parts)
        return len(places) > len(parts) and places[-1] == place

    def _walk(self, start: Place, parts: Sequence[str]) -> list[Place]:
        """The modules on the way along a name, as far as there are any."""
        places = [start]
        for part in parts:
            below = self._submodule(places[-1], part)
            if below is None:
                break
            places.append(below)
        return places

    def _bound(
        self, place: Place, name: str, rest: Sequence[str], *, stars: bool
    ) -> Iterator[Found | _Wanted]:
        """What a module's own statements bind a name to."""
        outline = None if place.file is None else self.outline(place.file)
        if place.file is None or outline is None:
            return
        for origin in outline.bound.get(name, ()):
            if origin == DEFINED:
                yield self._defined(place.file, name, tuple(rest))
            else:
                full = joined(origin, *rest) if rest else origin
                yield _Wanted(full, place.file, (name, origin))
        if stars and name not in outline.bound:
            for module in outline.bound.get(STAR, ()):
                full = joined(module, name, *rest)
                yield _Wanted(full, place.file, (name, module), by_star=True)

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
