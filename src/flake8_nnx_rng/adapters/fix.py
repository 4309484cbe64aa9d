"""`nnx-rng fix`: rewrites modules so that they carry their keys."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from flake8_nnx_rng.adapters import progress
from flake8_nnx_rng.adapters.diff import unified
from flake8_nnx_rng.adapters.options import STDIN, Request, add_shared, request
from flake8_nnx_rng.adapters.render import printable
from flake8_nnx_rng.adapters.status import CLEAN, FAILED, FOUND
from flake8_nnx_rng.lint import Settings
from flake8_nnx_rng.source import Disk, Document, SourceError

if TYPE_CHECKING:  # the codemod is loaded when files are fixed, not when they are linted
    from flake8_nnx_rng.codemod.applying.fixing import Task
    from flake8_nnx_rng.codemod.applying.outcome import Change, Outcome
    from flake8_nnx_rng.codemod.proposal import Proposal

DESCRIPTION = (
    "Rewrites modules so that they carry one key for each environment. A class is rewritten as a "
    "whole or not at all. Safe rewrites change nothing but which random numbers come; unsafe ones, "
    "which --unsafe-fixes asks for, also the structure of the carry, or how much noise is shared. "
    "A rewrite is written only if the linter finds nothing in it that it was to remove, and "
    "nothing new."
)
STATUSES = (
    "Exit status: 0 nothing to fix is left; 1 something is left, or would be changed by a run "
    "without --diff and --check; 2 something could not be done."
)


def add_parser(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the command."""
    parser.set_defaults(command=fix)
    parser.description, parser.epilog = DESCRIPTION, STATUSES
    add_shared(parser, "fix")
    add_unsafe(parser)
    parser.add_argument(
        "--diff", action="store_true", help="write nothing, print what would change"
    )
    parser.add_argument("--check", action="store_true", help="write nothing, say what would change")
    parser.add_argument(
        "-j", "--jobs", type=_jobs, metavar="N", help="processes; as many as processors if not said"
    )


def add_unsafe(parser: argparse.ArgumentParser) -> None:
    """Adds the option that asks for unsafe rewrites."""
    parser.add_argument("--unsafe-fixes", action="store_true", help="apply unsafe rewrites too")


def fix(options: argparse.Namespace) -> int:
    """Rewrites files and says what became of them; returns the exit status.

    Raises:
        SourceError: The command line or the configuration is at fault.
    """
    is_dry = options.diff or options.check
    asked = request(options)
    if STDIN in asked.paths and len(asked.paths) > 1:
        raise SourceError(STDIN, None, "standard input and files", "fix one or the other")
    outcomes = (_fix_stdin if STDIN in asked.paths else _fix_files)(options, asked, is_dry)
    if any(outcome.has_failed for outcome in outcomes):
        return FAILED
    would_change = is_dry and any(outcome.changes for outcome in outcomes)
    return FOUND if would_change or any(outcome.left for outcome in outcomes) else CLEAN


def task_of(asked: Request, *, unsafe: bool, alone: bool = False) -> Task:
    """What is to be fixed.

    Args:
        asked: What the command line and the configuration ask for.
        unsafe: Whether unsafe rewrites are applied.
        alone: Whether each file is rewritten by itself.
    """
    from flake8_nnx_rng.codemod.applying.fixing import Task

    return Task(
        planner,
        asked.choice.wanted,
        asked.settings,
        unsafe,
        alone,
        asked.cache,
        asked.excludes,
        asked.encloses,
    )


def _fix_files(options: argparse.Namespace, asked: Request, is_dry: bool) -> list[Outcome]:
    from flake8_nnx_rng.codemod.applying.draft import real
    from flake8_nnx_rng.codemod.applying.outcome import Outcome
    from flake8_nnx_rng.codemod.applying.running import Run, processors

    outcomes: list[Outcome] = []
    paths: dict[Path, str] = {}
    for each in asked.files():
        if isinstance(each, SourceError):
            outcomes.append(Outcome(each.path, error=str(each)))
        else:
            paths.setdefault(real(each), each)
    task = task_of(asked, unsafe=options.unsafe_fixes)
    show = partial(progress.advance, sys.stderr)
    run = Run(task, is_dry, options.jobs or processors(), show)
    try:
        for outcome in run.over([*paths.values()]):
            outcomes.append(outcome)
    finally:  # also after an interrupt
        progress.clear(sys.stderr)
        if options.diff:
            _print_diffs(run.changes)
        if outcomes or not paths:
            _report(outcomes, is_dry, sys.stderr if options.diff else sys.stdout)
    return outcomes


def _fix_stdin(options: argparse.Namespace, asked: Request, is_dry: bool) -> list[Outcome]:
    from flake8_nnx_rng.codemod.applying.running import planned

    data = sys.stdin.buffer.read()
    task = task_of(asked, unsafe=options.unsafe_fixes, alone=True)
    is_wanted = STDIN in asked.files()  # its name may be excluded
    outcomes = [planned(task, {}, asked.stdin_name, data)] if is_wanted else []
    changes = [change for outcome in outcomes for change in outcome.changes]
    if options.diff:
        _print_diffs(changes)
    elif not is_dry:  # what cannot be fixed comes out as it went in
        _print_bytes(changes[0].after if changes else data)
    _report(outcomes, is_dry, sys.stderr)
    return outcomes


def _report(outcomes: Sequence[Outcome], is_dry: bool, stream: TextIO) -> None:
    """Says what was fixed, what is left and why."""
    from flake8_nnx_rng.adapters.verdicts import closing, lines

    for line in lines(outcomes, is_dry=is_dry):
        print(line, file=stream)
    for outcome in outcomes:
        if outcome.error:
            print(printable(f"nnx-rng: {outcome.error}"), file=sys.stderr)
    print(closing(outcomes, is_dry=is_dry), file=stream)


def _print_diffs(changes: Iterable[Change]) -> None:
    for change in changes:
        _print_bytes(unified(change.name, change.before, change.after))


def _print_bytes(data: bytes) -> None:
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def planner(
    document: Document, settings: Settings | None = None, disk: Disk | None = None
) -> list[Proposal]:
    """The planner of the codemod; loaded, and libcst with it, for the first file with findings."""
    from flake8_nnx_rng.codemod.planning.plan import proposals

    return proposals(document, settings, disk)


def _jobs(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number
