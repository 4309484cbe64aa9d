"""The flake8 plugin."""

from __future__ import annotations

import argparse
import ast
from collections.abc import Iterator, Sequence
from typing import ClassVar

from flake8.exceptions import ExecutionError
from flake8.options.config import load_config
from flake8.options.manager import OptionManager

from flake8_nnx_rng import __version__
from flake8_nnx_rng.cache import confined, open_cache
from flake8_nnx_rng.findings import Finding, Selection
from flake8_nnx_rng.lint import NOT_ANALYSED, Settings, lint_cached, on_by_default
from flake8_nnx_rng.source import Document, SourceError


class _Given(argparse.Action):
    """Keeps the value of an option and that it is from the command line."""

    mark = "nnx_rng_cache_dir_is_given"

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        setattr(namespace, self.dest, values)
        setattr(namespace, self.mark, True)


class NnxRngChecker:
    """Checks one file for flake8.

    flake8 constructs it with what the parameters name, the options included, so nothing has to
    be kept on the class, where workers that are spawned would not find it.
    """

    name: ClassVar[str] = "flake8-nnx-rng"
    version: ClassVar[str] = __version__

    def __init__(
        self,
        tree: ast.Module,
        lines: Sequence[str],
        filename: str,
        options: argparse.Namespace,
    ) -> None:
        self._tree = tree
        self._document = Document(filename, "".join(lines))
        self._options = options

    @staticmethod
    def add_options(manager: OptionManager) -> None:
        """Registers the plugin's options under its own name."""
        manager.add_option(
            "--nnx-rng-base",
            metavar="names",
            default="",
            parse_from_config=True,
            comma_separated_list=True,
            help="Dotted names of further base classes to treat as nnx_ppo's StatefulModule",
        )
        manager.add_option(
            "--nnx-rng-sampler",
            metavar="names",
            default="",
            parse_from_config=True,
            comma_separated_list=True,
            help="Dotted names of further base classes to treat as nnx_ppo's ActionSampler",
        )
        manager.add_option(
            "--nnx-rng-root",
            metavar="directories",
            default="",
            parse_from_config=True,
            comma_separated_list=True,
            normalize_paths=True,
            help="Further directories where absolute imports of the linted files start",
        )
        manager.add_option(
            "--nnx-rng-cache-dir",
            metavar="directory",
            action=_Given,
            default="",
            parse_from_config=True,
            normalize_paths=True,
            help="Where findings are kept for later runs (the user's cache directory)",
        )
        manager.add_option(
            "--nnx-rng-no-cache",
            action="store_true",
            default=False,
            parse_from_config=True,
            help="Neither use kept findings nor keep any",
        )

    @staticmethod
    def parse_options(
        manager: OptionManager, options: argparse.Namespace, filenames: Sequence[str]
    ) -> None:
        """Sees that a configuration does not put the cache outside of its own directory."""
        named = options.nnx_rng_cache_dir
        if not named or getattr(options, _Given.mark, False):
            return
        _, directory = load_config(options.config, options.append_config)
        try:
            options.nnx_rng_cache_dir = confined(named, directory)
        except SourceError as error:
            raise ExecutionError(str(error)) from error

    def run(self) -> Iterator[tuple[int, int, str, type[NnxRngChecker]]]:
        """Yields line, column counted from 0, text and origin of every wanted finding."""
        options = self._options
        selection = Selection(tuple(options.select or ()), tuple(options.extend_select or ()))
        for finding in self._findings():
            if selection.wants(finding.code, on_by_default(finding.code)):
                yield finding.span.line, finding.span.column, finding.text, type(self)

    def _findings(self) -> list[Finding]:
        options = self._options
        settings = Settings(
            tuple(options.nnx_rng_base),
            tuple(options.nnx_rng_sampler),
            tuple(options.nnx_rng_root),
        )
        cache = open_cache(options.nnx_rng_cache_dir, off=options.nnx_rng_no_cache)
        try:
            return lint_cached(self._document, self._tree, settings, cache)
        except SourceError as error:
            reason = str(error)
        except Exception as error:  # whatever a file does to us, the user's other checks go on
            reason = f"internal error, please report it: {type(error).__name__}: {error}"
        return [Finding.of_file(self._document.path, 1, NOT_ANALYSED, reason)]
