"""The pipeline: a document in, findings out."""

from __future__ import annotations

import ast
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from flake8_nnx_rng.cache import Cache
from flake8_nnx_rng.findings import Finding
from flake8_nnx_rng.knowledge import library
from flake8_nnx_rng.knowledge.keys import BATCH_DEPENDENT
from flake8_nnx_rng.source import (
    Disk,
    Document,
    Resolver,
    SourceError,
    absolute,
    deepest_line,
    derives_from_marked,
    find_roots,
    imports_a_base,
    may_define_modules,
    may_matter,
)

if TYPE_CHECKING:
    from libcst import CSTNode

    from flake8_nnx_rng.interpreter import Audit, Auditor
    from flake8_nnx_rng.project import ClassInfo, Hierarchy, Project, SourceFile
    from flake8_nnx_rng.rules import Breach
    from flake8_nnx_rng.standing import Standing

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
        roots: Directories where absolute imports start, beside those that are found.
    """

    bases: tuple[str, ...] = ()
    samplers: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()

    def markers(self) -> tuple[str, ...]:
        """Substrings without any of which a file cannot matter."""
        named = (name.rpartition(".")[2] for name in (*self.bases, *self.samplers))
        return (*library.MARKERS, *named)

    def key(self) -> str:
        """Tells settings apart; a relative root also means one in the current directory."""
        here = [os.path.normpath(Path.cwd() / root) for root in self.roots]
        return json.dumps([self.bases, self.samplers, self.roots, here])


def on_by_default(code: str) -> bool:
    """Whether a code is reported without being named."""
    return not code.startswith(OFF_BY_DEFAULT)


def lint(
    document: Document,
    tree: ast.Module | None = None,
    settings: Settings | None = None,
    disk: Disk | None = None,
) -> list[Finding]:
    """Finds every breach in a document, sorted by place.

    Args:
        document: The file.
        tree: Its syntax tree, if the caller has parsed it already.
        settings: What the user says about their project.
        disk: Reads the other files of the project, and knows afterwards which ones it read.

    Raises:
        SourceError: The document is not valid Python.
    """
    settings = settings or Settings()
    tree = _screened(document, tree, settings)
    return [] if tree is None else _examined(document, tree, settings, disk or Disk())


def lint_cached(
    document: Document,
    tree: ast.Module | None,
    settings: Settings,
    cache: Cache | None,
) -> list[Finding]:
    """Finds what `lint` finds, and keeps it.

    Args:
        document: The file.
        tree: Its syntax tree, if the caller has parsed it already.
        settings: What the user says about their project.
        cache: Where findings are kept; nowhere if None.

    Raises:
        SourceError: The document is not valid Python.
    """
    if cache is None or _chooses_keys(document):  # which looks through the whole project
        return lint(document, tree, settings)
    screened = _screened(document, tree, settings)
    if screened is None:
        return []
    return cache.findings(
        document, settings.key(), lambda disk: _examined(document, screened, settings, disk)
    )


def _screened(document: Document, tree: ast.Module | None, settings: Settings) -> ast.Module | None:
    """The syntax tree, or None if the file cannot matter, whatever else is on the disk."""
    is_marked = may_matter(document.text, settings.markers())
    if not is_marked and "import" not in document.text:
        return None
    try:
        tree = document.syntax_tree() if tree is None else tree
    except SourceError:
        if is_marked:
            raise
        return None
    defines = may_define_modules if is_marked else imports_a_base
    return tree if _chooses_keys(document) or defines(tree) else None


def _chooses_keys(document: Document) -> bool:
    """Whether a file may choose an implementation of keys for its whole project."""
    return may_matter(document.text, tuple(BATCH_DEPENDENT))


def _examined(
    document: Document, tree: ast.Module, settings: Settings, disk: Disk
) -> list[Finding]:
    is_marked = may_matter(document.text, settings.markers())
    too_deep = deepest_line(tree, document.text)
    if too_deep is not None:
        reason = "nested too deeply; split the expression"
        return [_not_analysed(document, too_deep, reason)] if is_marked else []
    resolver = _resolver(document, tree, settings, disk)
    is_wanted = is_marked or _chooses_keys(document)
    if not is_wanted and not derives_from_marked(resolver, settings.markers()):
        return []
    return _analyse(resolver, settings)


def _resolver(document: Document, tree: ast.Module, settings: Settings, disk: Disk) -> Resolver:
    path = absolute(document.path)
    return Resolver(document, tree, path, find_roots(disk, path, settings.roots), disk)


def _analyse(resolver: Resolver, settings: Settings) -> list[Finding]:
    from flake8_nnx_rng.interpreter import Auditor
    from flake8_nnx_rng.project import Hierarchy, Project, classes_named
    from flake8_nnx_rng.standing import Standing

    try:
        project = Project(resolver)
    except SourceError as error:
        return [_not_analysed(resolver.own, error.line or 1, str(error))]
    file = project.own
    with deep_stack():
        auditor = Auditor(
            Hierarchy(classes_named(settings.bases, file), classes_named(settings.samplers, file))
        )
        audits, findings = _audited(file, auditor)
        findings += _breaches(file, audits, Standing(auditor, resolver.roots.project))
        findings += _choices(project, audits, auditor, settings.markers())
        return sorted(findings)


def _audited(file: SourceFile, auditor: Auditor) -> tuple[list[Audit], list[Finding]]:
    """The audits of the modules of a file, and findings on what could not be analysed."""
    audits: list[Audit] = []
    findings: list[Finding] = []
    for cls in file.classes:
        if not auditor.hierarchy.is_stateful(cls):
            findings.extend(_unresolved(file, cls, auditor.hierarchy))
            continue
        try:
            passes = auditor.audit(cls)
        except RecursionError:
            findings.append(_class_not_analysed(file, cls, "its code nests too deeply"))
            continue
        audits.append(passes)
        if not passes.is_complete:
            findings.append(_class_not_analysed(file, cls, "its forward pass is too long"))
    return audits, findings


def _breaches(file: SourceFile, audits: list[Audit], standing: Standing) -> Iterator[Finding]:
    """What the rules find in classes, once per place."""
    from flake8_nnx_rng.rules import CATALOGUE

    found: dict[tuple[str, CSTNode], list[tuple[Breach, str]]] = {}
    for passes in audits:
        for rule in CATALOGUE.values():
            for breach in rule.check(passes):
                node = standing.place(passes.cls, rule.code, breach.site)
                if node is not None:
                    where = standing.suffix(passes.cls, breach.site)
                    found.setdefault((rule.code, node), []).append((breach, where))
    for (code, node), breaches in found.items():
        span = file.positions.span(node)
        yield Finding(file.document.path, span, code, _message(breaches))


def _choices(
    project: Project, audits: list[Audit], auditor: Auditor, markers: tuple[str, ...]
) -> Iterator[Finding]:
    """Findings on the implementation of keys that a file chooses for its project."""
    from flake8_nnx_rng.carriers import first_carrier
    from flake8_nnx_rng.interpreter import chosen_implementations
    from flake8_nnx_rng.rules import CATALOGUE

    file = project.own
    if not _chooses_keys(file.document):
        return
    choices = [c for c in chosen_implementations(file) if c.implementation in BATCH_DEPENDENT]
    for choice in choices:
        carrier = first_carrier(audits, project, auditor, markers, choice.implementation)
        for rule in CATALOGUE.values() if carrier is not None else ():
            for breach in rule.check_choice(choice, str(carrier)):
                span = file.positions.span(breach.site.node)
                yield Finding(file.document.path, span, rule.code, breach.message)


def _message(breaches: list[tuple[Breach, str]]) -> str:
    """One message for all the ways that lead to a place: the first, and how many more."""
    first, where = breaches[0]
    others = len({breach.site.trail[0] for breach, _ in breaches}) - 1
    more = f" (and {others} more {'class' if others == 1 else 'classes'})" if others else ""
    return first.message + where + more


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
