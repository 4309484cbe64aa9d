"""Whether a rewrite has done what it was made for."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from flake8_nnx_rng.codemod.applying.draft import Draft
from flake8_nnx_rng.codemod.proposal import Proposal
from flake8_nnx_rng.findings import Finding
from flake8_nnx_rng.source import Document, SourceError

Lint = Callable[[Draft, Path], list[Finding]]
"""The findings in a file of a draft."""


@dataclass(frozen=True)
class Owners:
    """Tells in which class a line is, by qualified name; empty for none."""

    spans: tuple[tuple[int, int, str], ...]

    @classmethod
    def of(cls, document: Document) -> Owners:
        """The classes of a document.

        Raises:
            SourceError: The document is not valid Python.
        """
        spans: list[tuple[int, int, str]] = []
        pending: list[tuple[ast.AST, str]] = [(document.syntax_tree(), "")]
        while pending:
            node, name = pending.pop()
            if isinstance(node, ast.ClassDef):
                name = f"{name}.{node.name}".lstrip(".")
                first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
                spans.append((first, node.end_lineno or first, name))
            pending.extend((child, name) for child in ast.iter_child_nodes(node))
        return cls(tuple(spans))

    def owner(self, line: int) -> str:
        """The innermost class around a line."""
        around = [span for span in self.spans if span[0] <= line <= span[1]]
        return max(around)[2] if around else ""

    def tally(self, findings: Iterable[Finding]) -> Counter[tuple[str, str]]:
        """How often each code stands in each class."""
        return Counter((self.owner(found.span.line), found.code) for found in findings)


def with_findings(
    proposals: Sequence[Proposal], document: Document, findings: Sequence[Finding]
) -> list[Proposal]:
    """Proposals with those of a document's findings that they are about, if any.

    What stands in a class is its own; a class without such takes what stands where nothing is
    proposed, as in a helper or a mixin.
    """
    owners = Owners.of(document)
    classes = [owners.owner(proposal.line) for proposal in proposals]
    places = [(owners.owner(found.span.line), found) for found in findings]
    about = []
    for proposal, cls in zip(proposals, classes, strict=True):
        coded = [(owner, found) for owner, found in places if found.code in proposal.codes]
        own = [found for owner, found in coded if owner == cls]
        elsewhere = [found for owner, found in coded if owner not in classes]
        mine = proposal.findings or tuple(own or elsewhere)
        about.append(replace(proposal, findings=tuple(f for f in findings if f in mine)))
    return [proposal for proposal in about if proposal.findings]


def objection(
    before: Draft, after: Draft, own: Path, expected: Iterable[Finding], lint: Lint
) -> str:
    """What speaks against a rewrite; nothing if it is as it should be.

    Args:
        before: The files before it.
        after: The files after it.
        own: The file whose findings it is to remove.
        expected: The findings that it is to remove.
        lint: Finds what is in a file.
    """
    for path, file in after.after.items():
        earlier = before.holding(after.before[path]) if path not in before.after else before
        if path != own and file == earlier.after[path]:
            continue
        allowed = Owners.of(earlier.after[path].document).tally(lint(earlier, path))
        try:
            found = Owners.of(file.document).tally(lint(after, path))
        except SourceError as error:
            return f"the rewritten code would not be Python: {error}"
        if path == own:
            allowed.subtract(Owners.of(earlier.after[path].document).tally(expected))
        for place, number in sorted(found.items()):
            if number > allowed[place]:
                return _complaint(file.name, *place)
    return ""


def _complaint(name: str, owner: str, code: str) -> str:
    where = f"{owner} of {name}" if owner else name
    return f"the rewritten code would have {code} in {where}; please report it"
