"""Findings as text, with the lines of code that they are about."""

from __future__ import annotations

import unicodedata

from flake8_nnx_rng.findings import Finding
from flake8_nnx_rng.source import Document

CONTEXT = 2
"""Lines of code shown above the line of the finding."""

TAB = "    "
_BOLD, _RED, _DIM, _OFF = "\x1b[1m", "\x1b[31m", "\x1b[2m", "\x1b[0m"


def one_line(finding: Finding) -> str:
    """A finding in flake8's form: `path:line:column: CODE message`, the column from 1."""
    span = finding.span
    return printable(f"{finding.path}:{span.line}:{span.column + 1}: {finding.text}")


def with_frame(finding: Finding, document: Document, *, colour: bool = False) -> str:
    """A finding with its code frame."""
    bold, red, dim, off = (_BOLD, _RED, _DIM, _OFF) if colour else ("", "", "", "")
    span = finding.span
    lines = document.text.split("\n")
    first = max(1, span.line - CONTEXT)
    width = len(str(span.line))
    frame = [
        f"{dim}{number:>{width}} |{off} {_shown(lines[number - 1])}".rstrip()
        for number in range(first, span.line + 1)
        if number <= len(lines)
    ]
    line = lines[span.line - 1] if span.line <= len(lines) else ""
    end = span.end_column if span.end_line == span.line else len(line.rstrip())
    start = _width(line[: span.column])
    carets = "^" * max(1, _width(line[:end]) - start)
    frame.append(f"{dim}{'':>{width}} |{off} {'':>{start}}{red}{carets}{off}")
    place = printable(f"{finding.path}:{span.line}:{span.column + 1}")
    head = f"{bold}{place}{off}: {red}{finding.code}{off} {printable(finding.message)}"
    return "\n".join([head, *frame])


def summary(findings: int, files: int) -> str:
    """The closing line."""
    found = "no findings" if not findings else count(findings, "finding")
    return f"{found} in {count(files, 'file')}"


def count(number: int, noun: str) -> str:
    """A number of things."""
    return f"{number} {noun}{'' if number == 1 else 'es' if noun.endswith('s') else 's'}"


def printable(text: str) -> str:
    """A text that no terminal, and no reader of lines, takes for anything but text.

    A file's name and its code are not the user's own if the file is not.
    """
    if text.isprintable():
        return text
    return "".join(repr(one)[1:-1] if unicodedata.category(one) == "Cc" else one for one in text)


def _shown(line: str) -> str:
    return printable(line.replace("\t", TAB).replace("\f", ""))


def _width(text: str) -> int:
    """Terminal columns that a text takes: wide characters take two, combining ones none."""
    return sum(_character_width(character) for character in _shown(text))


def _character_width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
