"""What the codemod proposes for a class: edits that move its keys into the carry, or why not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from flake8_nnx_rng.findings import Finding
from flake8_nnx_rng.lint import Settings
from flake8_nnx_rng.source import Disk, Document, Edit

__all__ = ["Edit", "Planner", "Proposal", "Safety"]


class Safety(Enum):
    """What applying a proposal may change beside which random numbers come."""

    SAFE = "safe"
    """Nothing: only which random numbers come."""
    UNSAFE = "unsafe"
    """The carry that callers see has another structure, or the batch shared its noise."""
    NONE = "none"
    """No rewrite keeps what the code means; the reason says why."""


@dataclass(frozen=True)
class Proposal:
    """The rewrite of a class, together with the bases and subclasses that must change with it.

    Attributes:
        path: The file of the class as the user named it.
        line: The line of the class, counted from 1.
        name: The class.
        codes: The codes of the findings in it, sorted.
        safety: Whether the edits may be applied without being asked for.
        reason: Why the safety is not SAFE, in one line; empty if it is.
        edits: By file, as absolute path; empty if the safety is NONE.
        findings: The findings of the document that it is about; if empty, those with its codes
            that stand in the class, or else where nothing is proposed.
        others: Further classes that change with it.
    """

    path: str
    line: int
    name: str
    codes: tuple[str, ...]
    safety: Safety
    reason: str = ""
    edits: Mapping[str, tuple[Edit, ...]] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    others: tuple[str, ...] = ()


Planner = Callable[[Document, Settings | None, Disk | None], list[Proposal]]
"""Proposes rewrites of the classes of a document, reading other files through the disk."""
