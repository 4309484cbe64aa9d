"""`nnx-rng check`: lints files."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from flake8_nnx_rng.adapters.options import STDIN, Request, add_shared, request
from flake8_nnx_rng.adapters.render import one_line, printable, summary, with_frame
from flake8_nnx_rng.adapters.status import CLEAN, FAILED, FOUND
from flake8_nnx_rng.findings import Finding
from flake8_nnx_rng.lint import lint_cached
from flake8_nnx_rng.source import Document, SourceError, decode, read_document


@dataclass(frozen=True)
class _Checked:
    """A file and what is wrong with it."""

    document: Document
    findings: tuple[Finding, ...]


def add_parser(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the command."""
    parser.set_defaults(command=check)
    add_shared(parser, "report")
    parser.add_argument("--format", choices=("frame", "short"), default="frame")
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto")
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="say also what could not be analysed"
    )


def check(options: argparse.Namespace) -> int:
    """Prints the findings in files; returns the exit status."""
    colour = _wants_colour(options.color)
    found = files = failed = 0
    for outcome in _outcomes(request(options)):
        files += 1
        if isinstance(outcome, SourceError):
            failed += 1
            print(printable(f"nnx-rng: {outcome}"), file=sys.stderr)
            continue
        for finding in outcome.findings:
            found += 1
            if options.format == "short":
                print(one_line(finding))
            else:
                print(with_frame(finding, outcome.document, colour=colour), end="\n\n")
    if options.format != "short":
        print(summary(found, files))
    return FAILED if failed else FOUND if found else CLEAN


def _outcomes(asked: Request) -> Iterator[_Checked | SourceError]:
    """What each file gives, in order."""
    for path in asked.files():
        if isinstance(path, SourceError):
            yield path
            continue
        try:
            yield _check_file(path, asked)
        except SourceError as error:
            yield error
        except Exception as error:  # one file must not hide what is wrong with the others
            problem = f"internal error, {type(error).__name__}: {error}"
            yield SourceError(path, None, problem, "please report it")


def _check_file(path: str, asked: Request) -> _Checked:
    if path == STDIN:
        document = decode(sys.stdin.buffer.read(), asked.stdin_name)
    else:
        document = read_document(Path(path), path)
    findings = lint_cached(document, None, asked.settings, asked.cache)
    return _Checked(document, tuple(asked.choice.wanted(document, findings)))


def _wants_colour(choice: str) -> bool:
    if choice != "auto":
        return choice == "always"
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")
