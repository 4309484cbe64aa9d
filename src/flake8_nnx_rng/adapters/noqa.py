"""`# noqa` outside flake8, decided by flake8's own code so that it cannot diverge."""

from __future__ import annotations

import argparse
import io
from collections.abc import Iterable

from flake8.processor import FileProcessor
from flake8.violation import Violation

from flake8_nnx_rng.findings import Finding
from flake8_nnx_rng.source import Document

_OPTIONS = argparse.Namespace(
    hang_closing=False,
    indent_size=4,
    max_line_length=79,
    max_doc_length=None,
    verbose=0,
    disable_noqa=False,
)


def without_ignored(
    document: Document, findings: Iterable[Finding], *, disabled: bool = False
) -> list[Finding]:
    """The findings that no comment in the document silences; all of them if that is disabled."""
    findings = list(findings)
    if disabled or not findings:
        return findings
    lines = io.StringIO(document.text).readlines()  # cuts at newlines alone, as flake8 does
    processor = FileProcessor(document.path, _OPTIONS, lines)
    if processor.should_ignore_file():
        return []
    return [
        finding
        for finding in findings
        if not Violation(
            finding.code,
            finding.path,
            finding.span.line,
            finding.span.column + 1,
            finding.message,
            processor.noqa_line_for(finding.span.line),
        ).is_inline_ignored(disable_noqa=False)
    ]
