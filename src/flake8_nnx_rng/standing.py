"""Where a finding stands when the code that breaks a rule is in another file."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

import libcst as cst

from flake8_nnx_rng.interpreter import Audit, Auditor, Site
from flake8_nnx_rng.project import ClassInfo
from flake8_nnx_rng.rules import CATALOGUE


@dataclass(eq=False)
class Standing:
    """Decides on the place of each breach in the file of the class that was audited.

    It stands at the last place in that file on the way to it. What a base class of another file
    reports, because its own forward pass comes the same way, is left to the linting of that file.

    Attributes:
        auditor: Audits the bases.
        project: The directory that paths in messages are relative to.
    """

    auditor: Auditor
    project: Path
    _reported: dict[ClassInfo, frozenset[tuple[str, cst.CSTNode]]] = field(
        default_factory=dict, init=False, repr=False
    )

    def place(self, cls: ClassInfo, code: str, site: Site) -> cst.CSTNode | None:
        """The node that a breach is shown at, or None if a base class reports it."""
        if site.file is cls.scope.file:
            return site.node
        way = (*site.calls, site.node)
        for base in self._bases(cls):
            if any((code, node) in self._reports(base) for node in way):
                return None
        return _inside(cls, site) or cls.node.name

    def suffix(self, cls: ClassInfo, site: Site) -> str:
        """The place of the code itself, for a message that stands elsewhere."""
        if site.file is cls.scope.file:
            return ""
        line = site.file.positions.span(site.node).line
        path = os.path.relpath(site.file.document.path, self.project)
        return f" (at {Path(path).as_posix()}:{line})"

    def _bases(self, cls: ClassInfo) -> list[ClassInfo]:
        """The modules of other files that a class derives from."""
        return [
            base
            for base in self.auditor.hierarchy.mro(cls)
            if isinstance(base, ClassInfo)
            and base.scope.file is not cls.scope.file
            and self.auditor.hierarchy.is_stateful(base)
        ]

    def _reports(self, cls: ClassInfo) -> frozenset[tuple[str, cst.CSTNode]]:
        """The places at which the linting of another file reports a class."""
        if cls not in self._reported:
            try:
                self._reported[cls] = frozenset(_places(cls, self.auditor.audit(cls)))
            except RecursionError:  # which is said there
                self._reported[cls] = frozenset()
        return self._reported[cls]


def _places(cls: ClassInfo, passes: Audit) -> set[tuple[str, cst.CSTNode]]:
    """What an audit finds; what is inherited as a whole is told by the code itself."""
    return {
        (code, _inside(cls, breach.site) or breach.site.node)
        for code, rule in CATALOGUE.items()
        for breach in rule.check(passes)
    }


def _inside(cls: ClassInfo, site: Site) -> cst.CSTNode | None:
    """The last place on the way that is in the file of a class; None if it inherits all of it."""
    return None if site.anchor is cls.node else site.anchor
