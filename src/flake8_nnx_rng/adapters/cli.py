"""The `nnx-rng` command."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from flake8.discover_files import expand_paths
from flake8.utils import normalize_paths, parse_comma_separated_list

from flake8_nnx_rng import __version__
from flake8_nnx_rng.adapters.config import Config, read_config
from flake8_nnx_rng.adapters.noqa import without_ignored
from flake8_nnx_rng.adapters.render import one_line, summary, with_frame
from flake8_nnx_rng.cache import Cache, open_cache
from flake8_nnx_rng.findings import Finding, Selection
from flake8_nnx_rng.lint import NOT_ANALYSED, Settings, lint_cached, on_by_default
from flake8_nnx_rng.source import Document, SourceError, decode, read_document

CLEAN, FOUND, FAILED, INTERRUPTED = 0, 1, 2, 130
"""Exit statuses: nothing found, something found, something could not be done, Ctrl-C."""

STDIN = "-"


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError):  # a captured stream may have no encoding
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    options = _parser().parse_args(argv)
    try:
        status: int = options.command(options)
        sys.stdout.flush()
    except SourceError as error:
        print(f"nnx-rng: {error}", file=sys.stderr)
        return FAILED
    except BrokenPipeError:  # the reader has seen enough, as `head` has
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return FOUND
    except KeyboardInterrupt:
        return INTERRUPTED
    return status


@dataclass(frozen=True)
class _Checked:
    """A file and what is wrong with it."""

    document: Document
    findings: tuple[Finding, ...]


def _check(options: argparse.Namespace) -> int:
    config = read_config(options.config)
    settings = Settings(
        (*config.bases, *options.nnx_rng_base),
        (*config.samplers, *options.nnx_rng_sampler),
        (*config.roots, *options.nnx_rng_root),
    )
    cache = open_cache(
        options.nnx_rng_cache_dir or config.cache_dir,
        off=options.nnx_rng_no_cache or config.no_cache,
    )
    colour = _wants_colour(options.color)
    found = files = failed = 0
    for outcome in _outcomes(options, config, settings, cache):
        files += 1
        if isinstance(outcome, SourceError):
            failed += 1
            print(f"nnx-rng: {outcome}", file=sys.stderr)
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


def _outcomes(
    options: argparse.Namespace, config: Config, settings: Settings, cache: Cache | None
) -> Iterator[_Checked | SourceError]:
    """What each file gives, in order."""
    missing = [path for path in options.paths if path != STDIN and not _exists(path)]
    for path in missing:
        yield SourceError(path or "''", None, "no such file or directory", "check the path")
    paths = [path for path in options.paths if path not in missing]
    if not paths:
        return
    found = expand_paths(
        paths=paths,
        stdin_display_name=options.stdin_display_name,
        filename_patterns=("*.py",),
        exclude=(*config.exclude, *normalize_paths(options.exclude)),
    )
    once = {os.path.normpath(path): path for path in sorted(found)}
    for path in once.values():
        try:
            yield _check_file(path, options, config, settings, cache)
        except SourceError as error:
            yield error
        except Exception as error:  # one file must not hide what is wrong with the others
            problem = f"internal error, {type(error).__name__}: {error}"
            yield SourceError(path, None, problem, "please report it")


def _exists(path: str) -> bool:
    return bool(path) and Path(path).exists()


def _check_file(
    path: str,
    options: argparse.Namespace,
    config: Config,
    settings: Settings,
    cache: Cache | None,
) -> _Checked:
    if path == STDIN:
        document = decode(sys.stdin.buffer.read(), options.stdin_display_name)
    else:
        document = read_document(Path(path), path)
    selection = Selection(
        tuple(options.select) or config.select,
        (*config.extend_select, *options.extend_select),
        (
            *(options.ignore or config.ignore),
            *config.extend_ignore,
            *config.ignored_in(document.path),
        ),
    )
    if options.verbose:
        selection = Selection(selection.select, (*selection.extend, NOT_ANALYSED), selection.ignore)
    findings = [
        finding
        for finding in without_ignored(
            document,
            lint_cached(document, None, settings, cache),
            disabled=config.disable_noqa,
        )
        if selection.wants(finding.code, on_by_default(finding.code))
    ]
    return _Checked(document, tuple(findings))


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


def _wants_colour(choice: str) -> bool:
    if choice != "auto":
        return choice == "always"
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="nnx-rng",
        description="Finds draws that PPO's loss replay cannot reproduce in Flax NNX modules.",
        epilog="Exit status: 0 nothing found, 1 something found, 2 something could not be done.",
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    check = commands.add_parser("check", help="lint files and directories")
    check.set_defaults(command=_check)
    check.add_argument("paths", nargs="*", default=["."], help="what to lint; - for standard input")

    def add_list(flag: str, text: str) -> None:
        check.add_argument(
            flag, type=parse_comma_separated_list, default=[], metavar="LIST", help=text
        )

    add_list("--select", "code prefixes to report")
    add_list("--extend-select", "further code prefixes, such as NNX9")
    add_list("--ignore", "code prefixes not to report")
    add_list("--exclude", "further patterns of paths to skip")
    add_list("--nnx-rng-base", "further bases like StatefulModule")
    add_list("--nnx-rng-sampler", "further bases like ActionSampler")
    add_list("--nnx-rng-root", "further directories where absolute imports start")
    check.add_argument(
        "--nnx-rng-cache-dir", default="", metavar="DIR", help="where findings are kept"
    )
    check.add_argument(
        "--nnx-rng-no-cache", action="store_true", help="neither use kept findings nor keep any"
    )
    check.add_argument("--config", metavar="FILE", help="flake8 configuration to read")
    check.add_argument("--format", choices=("frame", "short"), default="frame")
    check.add_argument("--color", choices=("auto", "always", "never"), default="auto")
    check.add_argument("--stdin-display-name", default="stdin", metavar="NAME")
    check.add_argument(
        "-v", "--verbose", action="store_true", help="say also what could not be analysed"
    )

    rule = commands.add_parser("explain", help="show the text of a rule, or list the rules")
    rule.set_defaults(command=_explain)
    rule.add_argument("code", nargs="?", help="such as NNX101, or NNX1 for its group; else all")
    rule.add_argument("--write", metavar="DIR", help="write a page for every rule, and an index")
    return parser
