"""What the commands share: which files, which settings and which findings."""

from __future__ import annotations

import argparse
import logging
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from flake8.discover_files import expand_paths
from flake8.utils import matches_filename, normalize_paths, parse_comma_separated_list

from flake8_nnx_rng.adapters.config import Config, read_config
from flake8_nnx_rng.adapters.noqa import without_ignored
from flake8_nnx_rng.cache import Cache, open_cache
from flake8_nnx_rng.findings import Finding, Selection
from flake8_nnx_rng.lint import NOT_ANALYSED, Settings, on_by_default
from flake8_nnx_rng.source import (
    Document,
    SourceError,
    absolute,
    behind_links,
    exists,
    is_directory,
)

STDIN = "-"
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Request:
    """What the command line and the configuration ask for.

    Attributes:
        paths: The files and directories.
        exclude: Patterns of paths not to look into.
        stdin_name: What to call standard input.
        settings: What the user says about their project.
        choice: Which findings are wanted.
        cache: Where findings are kept; nowhere if None.
    """

    paths: tuple[str, ...]
    exclude: tuple[str, ...]
    stdin_name: str
    settings: Settings
    choice: Choice
    cache: Cache | None

    def excludes(self, path: Path) -> bool:
        """Whether a file, or a directory between it and the current one, is not looked into."""
        here = Path.cwd().resolve()
        around = (each for each in path.parents if each != here and each.is_relative_to(here))
        return any(
            matches_filename(str(each), self.exclude, "%(path)s %(whether)sexcluded", _LOG)
            for each in (path, *around)
        )

    def encloses(self, path: Path) -> bool:
        """Whether a file, by real path, is here or below or beside what the user has named."""
        named = [Path(each) for each in self.paths if each != STDIN]
        around = [each if is_directory(each) else absolute(str(each)).parent for each in named]
        return any(path.is_relative_to(behind_links(each)) for each in (Path.cwd(), *around))

    def files(self) -> Iterator[str | SourceError]:
        """The files, each once and in order, after errors on what does not exist."""
        missing = [
            path for path in self.paths if path != STDIN and not (path and exists(Path(path)))
        ]
        for path in missing:
            yield SourceError(path or "''", None, "no such file or directory", "check the path")
        paths = [path for path in self.paths if path not in missing]
        if not paths:
            return
        found = expand_paths(
            paths=paths,
            stdin_display_name=self.stdin_name,
            filename_patterns=("*.py",),
            exclude=self.exclude,
        )
        yield from {os.path.normpath(path): path for path in sorted(found)}.values()


@dataclass(frozen=True)
class Choice:
    """Which findings are wanted: by code, by `per-file-ignores` and by `# noqa`.

    Attributes:
        config: What the configuration says.
        select: Prefixes of codes that replace the configured ones.
        extend: Further prefixes.
        ignore: Prefixes of codes not to report, which replace the configured ones.
    """

    config: Config
    select: tuple[str, ...] = ()
    extend: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    def wanted(self, document: Document, findings: Iterable[Finding]) -> list[Finding]:
        """Those of a document's findings that the user wants to hear of."""
        config = self.config
        selection = Selection(
            self.select or config.select,
            (*config.extend_select, *self.extend),
            (
                *(self.ignore or config.ignore),
                *config.extend_ignore,
                *config.ignored_in(document.path),
            ),
        )
        return [
            finding
            for finding in without_ignored(document, findings, disabled=config.disable_noqa)
            if selection.wants(finding.code, on_by_default(finding.code))
        ]


def add_shared(parser: argparse.ArgumentParser, purpose: str) -> None:
    """Adds the options that `request` reads.

    Args:
        parser: The parser of a command.
        purpose: What the command does to the paths.
    """
    parser.add_argument(
        "paths", nargs="*", default=["."], help=f"what to {purpose}; - for standard input"
    )
    add_choice(parser, purpose)
    _add_list(parser, "--exclude", "further patterns of paths to skip")
    parser.add_argument("--stdin-display-name", default="stdin", metavar="NAME")


def add_choice(parser: argparse.ArgumentParser, purpose: str) -> None:
    """Adds the options on findings and settings, without those on files."""
    for flag, text in (
        ("--select", f"code prefixes to {purpose}"),
        ("--extend-select", "further code prefixes, such as NNX9"),
        ("--ignore", f"code prefixes not to {purpose}"),
        ("--nnx-rng-base", "further bases like StatefulModule"),
        ("--nnx-rng-sampler", "further bases like ActionSampler"),
        ("--nnx-rng-root", "further directories where absolute imports start"),
    ):
        _add_list(parser, flag, text)
    parser.add_argument(
        "--nnx-rng-cache-dir", default="", metavar="DIR", help="where findings are kept"
    )
    parser.add_argument(
        "--nnx-rng-no-cache", action="store_true", help="neither use kept findings nor keep any"
    )
    parser.add_argument("--config", metavar="FILE", help="flake8 configuration to read")


def _add_list(parser: argparse.ArgumentParser, flag: str, text: str) -> None:
    parser.add_argument(
        flag, type=parse_comma_separated_list, default=[], metavar="LIST", help=text
    )


def request(options: argparse.Namespace) -> Request:
    """What the options and the configuration ask for.

    Raises:
        SourceError: The configuration is missing or broken.
    """
    config = read_config(options.config)
    unanalysed = (NOT_ANALYSED,) if getattr(options, "verbose", False) else ()
    return Request(
        paths=tuple(options.paths),
        exclude=(*config.exclude, *normalize_paths(options.exclude)),
        stdin_name=options.stdin_display_name,
        settings=Settings(
            (*config.bases, *options.nnx_rng_base),
            (*config.samplers, *options.nnx_rng_sampler),
            (*config.roots, *options.nnx_rng_root),
        ),
        choice=Choice(
            config,
            tuple(options.select),
            (*options.extend_select, *unanalysed),
            tuple(options.ignore),
        ),
        cache=open_cache(
            options.nnx_rng_cache_dir or config.cache_dir,
            off=options.nnx_rng_no_cache or config.no_cache,
        ),
    )
