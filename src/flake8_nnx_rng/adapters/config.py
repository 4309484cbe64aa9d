"""The part of flake8's configuration that `nnx-rng` shares with it."""

from __future__ import annotations

import configparser
import fnmatch
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from flake8 import defaults
from flake8.exceptions import ExecutionError
from flake8.options.config import load_config
from flake8.utils import (
    normalize_path,
    normalize_paths,
    parse_comma_separated_list,
    parse_files_to_codes_mapping,
)

from flake8_nnx_rng.cache import confined
from flake8_nnx_rng.source import SourceError

SECTION = "flake8"


@dataclass(frozen=True)
class Config:
    """What `setup.cfg`, `tox.ini` or `.flake8` say.

    Attributes:
        bases: `nnx-rng-base`.
        samplers: `nnx-rng-sampler`.
        roots: `nnx-rng-root`.
        cache_dir: `nnx-rng-cache-dir`.
        no_cache: `nnx-rng-no-cache`.
        select: `select`.
        extend_select: `extend-select`.
        ignore: `ignore`.
        extend_ignore: `extend-ignore`.
        disable_noqa: `disable-noqa`.
        exclude: Patterns of paths not to look into.
        per_file_ignores: Pairs of a pattern of paths and the codes not wanted there.
    """

    bases: tuple[str, ...] = ()
    samplers: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()
    cache_dir: str = ""
    no_cache: bool = False
    select: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    extend_ignore: tuple[str, ...] = ()
    disable_noqa: bool = False
    exclude: tuple[str, ...] = defaults.EXCLUDE
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def ignored_in(self, path: str) -> tuple[str, ...]:
        """The codes that `per-file-ignores` does not want in a file."""
        absolute = str(Path(path).absolute())
        matching = [
            pattern
            for pattern, _ in self.per_file_ignores
            if fnmatch.fnmatch(absolute, pattern) or fnmatch.fnmatch(Path(path).name, pattern)
        ]
        longest = max(matching, key=len, default=None)  # flake8 lets only the longest count
        return tuple(
            code for pattern, codes in self.per_file_ignores if pattern == longest for code in codes
        )


def read_config(path: str | None = None) -> Config:
    """Reads the configuration that flake8 would read here.

    Args:
        path: The file to read; found as flake8 finds it if None.

    Raises:
        SourceError: The file is missing or broken.
    """
    try:
        parser, directory = load_config(path, [])
    except (ExecutionError, configparser.Error, UnicodeDecodeError) as error:
        problem = " ".join(str(error).split())
        raise SourceError(
            path or "configuration", None, problem, "correct the file, or name one by --config"
        ) from error
    return _from(parser, directory)


def _from(parser: configparser.RawConfigParser, directory: str) -> Config:
    def text(name: str) -> str:
        for spelling in (name, name.replace("-", "_")):
            if parser.has_option(SECTION, spelling):
                return parser.get(SECTION, spelling)
        return ""

    def listed(name: str) -> list[str]:
        return list(parse_comma_separated_list(text(name)))

    def flag(name: str) -> bool:
        value = ",".join(listed(name)).lower() or "false"
        if value not in parser.BOOLEAN_STATES:
            raise SourceError(
                name, None, f"{value} is neither true nor false", "write true or false"
            )
        return parser.BOOLEAN_STATES[value]

    exclude = normalize_paths(listed("exclude") or list(defaults.EXCLUDE), directory)
    exclude += normalize_paths(listed("extend-exclude"), directory)
    return Config(
        bases=tuple(listed("nnx-rng-base")),
        samplers=tuple(listed("nnx-rng-sampler")),
        roots=tuple(normalize_paths(listed("nnx-rng-root"), directory)),
        cache_dir=confined(normalize_path(text("nnx-rng-cache-dir"), directory), directory),
        no_cache=flag("nnx-rng-no-cache"),
        select=tuple(listed("select")),
        extend_select=tuple(listed("extend-select")),
        ignore=tuple(listed("ignore")),
        extend_ignore=tuple(listed("extend-ignore")),
        disable_noqa=flag("disable-noqa"),
        exclude=tuple(exclude),
        per_file_ignores=_per_file(parser),
    )


def _per_file(
    parser: configparser.RawConfigParser,
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    value: str | Sequence[str] = parser.get(SECTION, "per-file-ignores", fallback="")
    value = value or parser.get(SECTION, "per_file_ignores", fallback="")
    try:
        mapping = parse_files_to_codes_mapping(value)
    except ExecutionError as error:
        raise SourceError(
            "per-file-ignores", None, str(error).splitlines()[0], "write `pattern: CODE,CODE`"
        ) from error
    return tuple(
        (pattern, tuple(codes))
        for name, codes in mapping
        for pattern in normalize_paths([name])  # relative to here, as in flake8
    )
