"""Versions of the files of a project that a rewrite goes through, analysed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from flake8_nnx_rng.codemod.planning.neighbours import Neighbours
from flake8_nnx_rng.codemod.text.tree import Tree
from flake8_nnx_rng.findings import Finding
from flake8_nnx_rng.interpreter import Auditor
from flake8_nnx_rng.lint import Settings, lint
from flake8_nnx_rng.project import ClassInfo, Hierarchy, Project, SourceFile, classes_named
from flake8_nnx_rng.rules import CATALOGUE, Breach
from flake8_nnx_rng.source import (
    Disk,
    Document,
    Edit,
    Original,
    Resolver,
    absolute,
    behind_links,
    find_roots,
)

Texts = Mapping[Path, str]
"""What files would say, by absolute path."""


@dataclass(frozen=True, eq=False)
class View:
    """Some files of a project as they are in one version.

    Attributes:
        files: The files, the one that is to be rewritten first.
        auditor: Audits their classes.
        neighbours: All files of the project.
    """

    files: tuple[SourceFile, ...]
    auditor: Auditor
    neighbours: Neighbours

    @property
    def own(self) -> SourceFile:
        """The file that is to be rewritten."""
        return self.files[0]

    @property
    def project(self) -> Project:
        """Where the files are from."""
        return self.neighbours.project

    @property
    def hierarchy(self) -> Hierarchy:
        """Knows what derives from what."""
        return self.auditor.hierarchy

    @cached_property
    def tree(self) -> Tree:
        """The files as one."""
        return Tree(self.files)

    @property
    def texts(self) -> dict[Path, str]:
        """What the files say."""
        return {self.path(file): file.document.text for file in self.files}

    def path(self, file: SourceFile) -> Path:
        """Where a file is."""
        return self.project.resolver.path if file is self.own else Path(file.document.path)

    def widened(self, paths: Iterable[Path]) -> View:
        """The same with further files, those aside that cannot be read."""
        found = (self.project.file(path) for path in sorted(paths))
        further = dict.fromkeys(file for file in found if file is not None)
        return replace(self, files=tuple(dict.fromkeys((*self.files, *further))))

    def stateful(self) -> Iterator[ClassInfo]:
        """The modules in the files."""
        for file in self.files:
            yield from (cls for cls in file.classes if self.hierarchy.is_stateful(cls))

    def same(self, cls: ClassInfo, other: View) -> ClassInfo | None:
        """A class of another version in this one."""
        path = other.path(cls.scope.file)
        return next(
            (
                one
                for one in self.stateful()
                if one.name == cls.name and self.path(one.scope.file) == path
            ),
            None,
        )

    def breaches(self, cls: ClassInfo) -> Iterator[tuple[str, Breach]]:
        """All the breaches of a class, each with its code."""
        audit = self.auditor.audit(cls)
        for code, rule in CATALOGUE.items():
            for breach in rule.check(audit):
                yield code, breach

    def codes(self, cls: ClassInfo) -> list[str]:
        """The codes of the breaches, sorted."""
        return sorted(code for code, _ in self.breaches(cls))

    def is_broken(self, cls: ClassInfo) -> bool:
        """Whether there is any breach."""
        return any(True for _ in self.breaches(cls))


@dataclass(frozen=True)
class Desk:
    """Where versions of a file and of what belongs to it are laid out.

    Attributes:
        document: The file.
        settings: What the user says about their project.
        disk: Reads the other files.
    """

    document: Document
    settings: Settings
    disk: Disk

    @property
    def path(self) -> Path:
        """Where the file is."""
        return absolute(self.document.path)

    def view(self, texts: Texts | None = None) -> View:
        """A version; the file comes first, and the others for which there are texts.

        Raises:
            SourceError: The file is not valid Python.
        """
        texts = texts or {}
        disk = self._disk(texts)
        document = Document(self.document.path, texts.get(self.path, self.document.text))
        roots = find_roots(disk, self.path, self.settings.roots)
        resolver = Resolver(document, document.syntax_tree(), self.path, roots, disk)
        project = Project(resolver)
        file = project.own
        bases = classes_named(self.settings.bases, file)
        samplers = classes_named(self.settings.samplers, file)
        view = View((file,), Auditor(Hierarchy(bases, samplers)), Neighbours(project))
        return view.widened(texts.keys() - {self.path})

    def findings(self, path: Path, texts: Texts) -> list[Finding]:
        """What is found in one of the files of a version.

        Raises:
            SourceError: It is not valid Python.
        """
        name = self.document.path if path == self.path else str(path)
        return lint(Document(name, texts[path]), None, self.settings, self._disk(texts))

    def _disk(self, texts: Texts) -> Disk:
        """The file system with what the files would say."""
        instead = dict(self.disk.instead)
        for path, text in texts.items():
            data = self.disk.read(path)
            if data is not None:  # the file itself may be nowhere
                original = Original(str(path), data)
                whole = Edit(0, len(original.document.text), text)
                instead[behind_links(path)] = original.edited([whole]).data
        return Disk(instead)
