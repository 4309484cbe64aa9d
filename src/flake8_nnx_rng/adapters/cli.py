"""The `nnx-rng` command."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from flake8_nnx_rng import __version__
from flake8_nnx_rng.adapters import check, fix
from flake8_nnx_rng.adapters.render import printable
from flake8_nnx_rng.adapters.status import CLEAN, FAILED, FOUND, INTERRUPTED
from flake8_nnx_rng.source import SourceError

__all__ = ["CLEAN", "FAILED", "FOUND", "INTERRUPTED", "main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    _open_what_is_closed()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError):  # a captured stream may have no encoding
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    options = _parser().parse_args(argv)
    try:
        status: int = options.command(options)
        sys.stdout.flush()
    except SourceError as error:
        print(printable(f"nnx-rng: {error}"), file=sys.stderr)
        return FAILED
    except BrokenPipeError:  # the reader has seen enough, as `head` has
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return FOUND
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is left cannot be written either
        remedy = "check the current directory, and where the output goes"
        print(f"nnx-rng: {error.strerror or type(error).__name__}; {remedy}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    return status


def _open_what_is_closed() -> None:
    """Puts nothing in the place of standard streams that the caller has closed."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115


def _explain(options: argparse.Namespace) -> int:
    from flake8_nnx_rng.adapters import explain  # brings the rules, and libcst with them

    if options.write is not None:
        explain.write_pages(Path(options.write))
        return CLEAN
    try:
        print(explain.answer(options.code))
    except LookupError as error:
        print(f"nnx-rng: {error}", file=sys.stderr)
        return FAILED
    return CLEAN


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="nnx-rng",
        description="Finds draws that PPO's loss replay cannot reproduce in Flax NNX modules.",
        epilog="Exit status: 0 nothing found, 1 something found, 2 something could not be done.",
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    check.add_parser(commands.add_parser("check", help="lint files and directories"))
    fix.add_parser(commands.add_parser("fix", help="rewrite modules, so that keys are carried"))

    rule = commands.add_parser("explain", help="show the text of a rule, or list the rules")
    rule.set_defaults(command=_explain)
    rule.add_argument("code", nargs="?", help="such as NNX101, or NNX1 for its group; else all")
    rule.add_argument("--write", metavar="DIR", help="write a page for every rule, and an index")
    return parser
