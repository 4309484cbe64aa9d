"""What became of a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Change:
    """The new content of a file.

    Attributes:
        path: The file itself, behind all symbolic links.
        name: How the user knows it.
        before: The bytes that the new ones are made of.
        after: The new bytes.
    """

    path: Path
    name: str
    before: bytes
    after: bytes


@dataclass(frozen=True)
class Verdict:
    """What became of a class, or of a finding in no class that could be rewritten.

    Attributes:
        path: The file as the user named it.
        line: The line of the class, or of the finding.
        name: The class; empty if no rewrite was proposed.
        codes: The codes of its findings.
        reason: Why it is left as it is; empty if it is fixed.
        failed: Whether the user's file or machine is the reason.
        others: Further classes of which the same became.
    """

    path: str
    line: int
    name: str
    codes: tuple[str, ...]
    reason: str = ""
    failed: bool = False
    others: tuple[str, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """What became of a file, and of those that had to change with it.

    Attributes:
        path: The file as the user named it.
        changes: The new contents; all of them are made or none.
        fixed: The classes that they rewrite.
        left: What is left.
        consulted: The files, behind all links, that the changes depend on.
        error: Why nothing could be done, if so.
    """

    path: str
    changes: tuple[Change, ...] = ()
    fixed: tuple[Verdict, ...] = ()
    left: tuple[Verdict, ...] = ()
    consulted: frozenset[Path] = frozenset()
    error: str = ""

    @property
    def has_failed(self) -> bool:
        """Whether something could not be done."""
        return bool(self.error) or any(verdict.failed for verdict in self.left)
