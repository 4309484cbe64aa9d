"""The pipeline: a document in, findings out."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flake8_nnx_rng.findings import Finding
from flake8_nnx_rng.knowledge import library
from flake8_nnx_rng.source import (
    Document,
    SourceError,
    deepest_line,
    may_define_modules,
    may_matter,
)

if TYPE_CHECKING:
    from flake8_nnx_rng.project import ClassInfo, Hierarchy, SourceFile
    from flake8_nnx_rng.rules import Breach

NOT_ANALYSED = "NNX900"
OFF_BY_DEFAULT = (NOT_ANALYSED, "NNX4")
STACK = 20_000
"""Python frames that the analysis may nest: some thirty for each level of `ast` nesting."""


@dataclass(frozen=True)
class Settings:
    """What the user says about their project.

    Attributes:
        bases: Dotted names of further base classes to treat as `StatefulModule`.
        samplers: Dotted names of further base classes to treat as `ActionSampler`.
    """

    bases: tuple[str, ...] = ()
    samplers: tuple[str, ...] = ()

    def markers(self) -> tuple[str, ...]:
        """Substrings without any of which a file cannot matter."""
        named = (name.rpartition(".")[2] for name in (*self.bases, *self.samplers))
        return (*library.MARKERS, *named)


def on_by_default(code: str) -> bool:
    """Whether a code is reported without being named."""
    return not code.startswith(OFF_BY_DEFAULT)


def lint(
    document: Document, tree: ast.Module | None = None, settings: Settings | None = None
) -> list[Finding]:
    """Finds every breach in a document, sorted by place.

    Args:
        document: The file.
        tree: Its syntax tree, if the caller has parsed it already.
        settings: What the user says about their project.

    Raises:
        SourceError: The document is not valid Python.
    """
    settings = settings or Settings()
    if not may_matter(document.text, settings.markers()):
        return []
    tree = document.syntax_tree() if tree is None else tree
    if not may_define_modules(tree):
        return []
    too_deep = deepest_line(tree)
    if too_deep is not None:
        return [_not_analysed(document, too_deep, "nested too deeply; split the expression")]
    return _analyse(document, settings)


def _analyse(document: Document, settings: Settings) -> list[Finding]:
    from flake8_nnx_rng.project import Hierarchy, SourceFile

    try:
        file = SourceFile.parse(document)
    except SourceError as error:
        return [_not_analysed(document, error.line or 1, str(error))]
    hierarchy = Hierarchy(
        frozenset(map(library.canonical, settings.bases)),
        frozenset(map(library.canonical, settings.samplers)),
    )
    with deep_stack():
        return _findings(file, hierarchy)


def _findings(file: SourceFile, hierarchy: Hierarchy) -> list[Finding]:
    from flake8_nnx_rng.interpreter import audit
    from flake8_nnx_rng.rules import CATALOGUE

    found: dict[tuple[str, object], list[Breach]] = {}
    findings: list[Finding] = []
    for cls in file.classes:
        if not hierarchy.is_stateful(cls):
            findings.extend(_unresolved(file, cls, hierarchy))
            continue
        try:
            passes = audit(cls, hierarchy)
        except RecursionError:
            findings.append(_class_not_analysed(file, cls, "its code nests too deeply"))
            continue
        if not passes.is_complete:
            findings.append(_class_not_analysed(file, cls, "its forward pass is too long"))
        for rule in CATALOGUE.values():
            for breach in rule.check(passes):
                found.setdefault((rule.code, breach.site.node), []).append(breach)
    for (code, _), breaches in found.items():
        findings.append(_finding(code, breaches))
    return sorted(findings)


def _finding(code: str, breaches: list[Breach]) -> Finding:
    """One finding for all the ways that lead to a place: the first, and how many more."""
    first = breaches[0]
    others = len({breach.site.trail[0] for breach in breaches}) - 1
    more = f" (and {others} more {'class' if others == 1 else 'classes'})" if others else ""
    file = first.site.file
    span = file.positions.span(first.site.node)
    return Finding(file.document.path, span, code, first.message + more)


def _unresolved(file: SourceFile, cls: ClassInfo, hierarchy: Hierarchy) -> Iterator[Finding]:
    from flake8_nnx_rng.interpreter.functions import ENTRY

    unknown = hierarchy.unknown_bases(cls)
    if unknown and cls.method(ENTRY) is not None:
        names = ", ".join(base.name.removeprefix("?.") for base in unknown)
        reason = f"its base {names} cannot be found; name it with --nnx-rng-base if it is one"
        yield _class_not_analysed(file, cls, reason)


def _class_not_analysed(file: SourceFile, cls: ClassInfo, reason: str) -> Finding:
    span = file.positions.span(cls.node.name)
    message = f"{cls.name} was not analysed: {reason}"
    return Finding(file.document.path, span, NOT_ANALYSED, message)


def _not_analysed(document: Document, line: int, reason: str) -> Finding:
    return Finding.of_file(
        document.path, line, NOT_ANALYSED, f"the file was not analysed: {reason}"
    )


@contextmanager
def deep_stack() -> Iterator[None]:
    """Lets the interpreter recurse as deeply as the code that it reads.

    Pure Python calls take no native stack since Python 3.11, so this cannot overflow it.
    """
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, STACK))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
