"""Files as they would be, while nothing is written yet."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from flake8_nnx_rng.codemod.applying.outcome import Change
from flake8_nnx_rng.codemod.proposal import Proposal
from flake8_nnx_rng.source import (
    Disk,
    Edit,
    Original,
    SourceError,
    absolute,
    behind_links,
    collide,
    exists,
    in_order,
)

Edits = Mapping[Path, tuple[Edit, ...]]
"""Edits by file, behind all symbolic links, in order."""

State = frozenset[tuple[Path, Original]]
"""Files and what they contain."""


@dataclass(frozen=True)
class Draft:
    """Files as they are and as they would be, by real path.

    Attributes:
        instead: What earlier rewrites would make of files on the disk.
        before: Files that are edited, as they were read.
        after: The same files with their edits.
    """

    instead: Mapping[Path, bytes] = field(default_factory=dict)
    before: Mapping[Path, Original] = field(default_factory=dict)
    after: Mapping[Path, Original] = field(default_factory=dict)

    @property
    def disk(self) -> Disk:
        """The file system with the files as they would be."""
        return Disk({**self.instead, **{path: file.data for path, file in self.after.items()}})

    @cached_property
    def state(self) -> State:
        """Tells drafts of one run apart."""
        return frozenset(self.after.items())

    @property
    def changes(self) -> tuple[Change, ...]:
        """What would have to be written."""
        return tuple(
            Change(path, file.name, self.before[path].data, file.data)
            for path, file in self.after.items()
            if file.data != self.before[path].data
        )

    def holding(self, *files: Original) -> Draft:
        """The same with files that are read from elsewhere."""
        named = {real(file.name): file for file in files}
        return Draft(self.instead, {**self.before, **named}, {**self.after, **named})

    def edited(self, edits: Edits) -> Draft:
        """The files after edits.

        Raises:
            SourceError: A file cannot be read, or not be written in its encoding.
        """
        draft = self
        for path in edits:
            if path not in draft.after:
                draft = draft.holding(draft._read(path))
        new = {path: draft.after[path].edited(pieces) for path, pieces in edits.items()}
        return Draft(draft.instead, draft.before, {**draft.after, **new})

    def _read(self, path: Path) -> Original:
        data = self.disk.read(path)
        if data is None:
            raise SourceError(shown(path), None, "cannot be read", "check its permissions")
        return Original(shown(path), data)


def real(name: str) -> Path:
    """The file that a name stands for, behind all symbolic links."""
    path = Path(name)
    return behind_links(path if exists(path) else absolute(name))


def edits_of(proposal: Proposal) -> Edits:
    """The edits of a proposal."""
    return {behind_links(Path(name)): in_order(edits) for name, edits in proposal.edits.items()}


def compatible(proposals: Iterable[Proposal]) -> list[Proposal]:
    """Those of several proposals, the first in any case, whose edits do not meet."""
    chosen: list[Proposal] = []
    for proposal in proposals:
        ours = edits_of(proposal)
        theirs = merged(chosen)
        if not any(
            collide(one, other)
            for path in ours
            for one in ours[path]
            for other in theirs.get(path, ())
        ):
            chosen.append(proposal)
    return chosen


def merged(proposals: Iterable[Proposal]) -> Edits:
    """The edits of proposals that do not meet; what several of them need is done once."""
    together: dict[Path, tuple[Edit, ...]] = {}
    for proposal in proposals:
        for path, edits in edits_of(proposal).items():
            together[path] = in_order({*together.get(path, ()), *edits})
    return together


def shown(path: Path) -> str:
    """A path as short as a user would write it."""
    return os.path.relpath(path) if path.is_relative_to(Path.cwd().resolve()) else str(path)
