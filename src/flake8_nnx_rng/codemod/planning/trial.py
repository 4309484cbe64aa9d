"""Whether a rewrite may be proposed."""

from __future__ import annotations

from collections.abc import Iterable

from flake8_nnx_rng.codemod.planning.choices import CODE
from flake8_nnx_rng.codemod.planning.view import Desk, View
from flake8_nnx_rng.codemod.refusal import RefusedError
from flake8_nnx_rng.codemod.text.unbound import unbound
from flake8_nnx_rng.findings import Finding
from flake8_nnx_rng.project import ClassInfo, SourceFile
from flake8_nnx_rng.source import SourceError


def check(desk: Desk, before: View, after: View, family: Iterable[ClassInfo]) -> None:
    """Sees that files are Python, lose no name, and that no class is worse off.

    Args:
        desk: Where the versions are from.
        before: The files before the rewrite.
        after: The files after it.
        family: The classes, as they were, in which nothing may be found any more.

    Raises:
        RefusedError: Something is not as it should be.
    """
    for path, text in after.texts.items():
        if text != before.texts[path]:
            _check_names(before.texts[path], text)
    try:
        _check_findings(desk, before, after, family)
    except SourceError as error:
        raise RefusedError("the rewrite cannot be written") from error
    for cls in before.stateful():
        other = after.same(cls, before)
        if other is None:
            raise RefusedError(f"the rewrite loses {cls.name}")
        if len(after.codes(other)) > len(before.codes(cls)):
            raise RefusedError(f"the rewrite breaks {cls.name}")


def _check_names(before: str, after: str) -> None:
    try:
        compile(after, "<rewrite>", "exec", dont_inherit=True)
        new = unbound(after) - unbound(before)
    except SyntaxError as error:
        raise RefusedError("the rewrite is not valid Python") from error
    if new:
        raise RefusedError(f"the rewrite leaves {', '.join(sorted(new))} without a value")


def _check_findings(desk: Desk, before: View, after: View, family: Iterable[ClassInfo]) -> None:
    findings: dict[SourceFile, list[Finding]] = {}
    for cls in family:
        now = after.same(cls, before)
        assert now is not None
        file = now.scope.file
        span = file.positions.span(now.node)
        if file not in findings:
            findings[file] = desk.findings(after.path(file), after.texts)
        for finding in findings[file]:
            is_in_class = span.line <= finding.span.line <= span.end_line
            if is_in_class and finding.code != CODE:  # which is about the file
                raise RefusedError(f"the rewrite does not settle {finding.code}")
