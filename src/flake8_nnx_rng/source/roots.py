"""Where absolute imports of a file start: the source roots, found without importing anything."""

from __future__ import annotations

import configparser
import os
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from flake8_nnx_rng.source.disk import Disk
from flake8_nnx_rng.source.paths import is_directory

INIT = "__init__.py"
_MARKS = ("pyproject.toml", "setup.cfg", "setup.py", ".git")
"""What the directory of a project contains, the first that says where its packages are first."""


@dataclass(frozen=True)
class Roots:
    """The surroundings of a file.

    Attributes:
        project: The directory of its project, or its own if there is no sign of one.
        directories: Where absolute imports are looked up, in order.
    """

    project: Path
    directories: tuple[Path, ...]


def absolute(name: str) -> Path:
    """The path that a file's name stands for, as if it were in the current directory if unclear."""
    path = Path(os.path.normpath(Path.cwd() / name))  # links are kept: imports do not follow them
    return path if is_directory(path.parent) else Path.cwd() / path.name


def find_roots(disk: Disk, file: Path, further: Iterable[str] = ()) -> Roots:
    """The source roots of a file.

    Args:
        disk: Reads the configuration of the project.
        file: An absolute path; the file need not exist.
        further: Roots that the user names, relative to the current directory or the project's.
    """
    above = package_parent(disk, file.parent)
    project = _project_of(disk, file)
    named = [base / name for name in further for base in (Path.cwd(), project or above)]
    candidates = [*named, above]
    if project is not None:
        pyproject, setup_cfg = (disk.read(project / name) or b"" for name in _MARKS[:2])
        configured = [*_in_pyproject(pyproject), *_in_setup_cfg(setup_cfg)]
        candidates += [*(project / name for name in configured), project / "src", project]
    normal = dict.fromkeys(Path(os.path.normpath(path)) for path in candidates)
    return Roots(project or above, tuple(path for path in normal if disk.is_directory(path)))


def package_parent(disk: Disk, directory: Path) -> Path:
    """The directory that holds the topmost package around a directory; itself if it is none."""
    while disk.exists(directory / INIT) and directory != directory.parent:
        directory = directory.parent
    return directory


def _project_of(disk: Disk, file: Path) -> Path | None:
    for directory in file.parents:
        if any(disk.exists(directory / mark) for mark in _MARKS):
            return directory
    return None


_STRINGS = re.compile(
    r"""\"{3}.*?(?:\"{3}|\Z)|'{3}.*?(?:'{3}|\Z)|"(?:[^"\\\n]|\\.)*+"?|'[^'\n]*+'?""", re.DOTALL
)
_LONG_KEY = re.compile(r"(?<![\w-])(?:[\w-]++[ \t]*+\.[ \t]*+){100}")
"""A key of so many parts that `tomllib`, which takes quadratic time, could take hours."""


@lru_cache
def _in_pyproject(content: bytes) -> list[str]:
    try:
        text = content.decode()
        tables = {} if _LONG_KEY.search(_STRINGS.sub("s", text)) else tomllib.loads(text)
    except (ValueError, RecursionError):  # broken or hostile: not ours to report
        return []
    return [
        root
        for keys, read in _TABLES
        for root in read(_at(tables, keys))
        if not Path(root).is_absolute()
    ]


@lru_cache
def _in_setup_cfg(content: bytes) -> list[str]:
    parser = configparser.RawConfigParser()
    try:
        parser.read_string(content.decode())
    except (UnicodeDecodeError, configparser.Error):
        return []
    pairs = parser.get("options", "package_dir", fallback="").replace(",", "\n").splitlines()
    split = [pair.partition("=") for pair in pairs if "=" in pair]
    where = parser.get("options.packages.find", "where", fallback="").split()
    return [*_from_table({name.strip(): value.strip() for name, _, value in split}), *where]


def _at(tables: object, keys: str) -> object:
    for key in keys.split("."):
        tables = tables.get(key) if isinstance(tables, dict) else None
    return tables


def _strings(value: object) -> Iterator[str]:
    """`"src"` or `["src", "lib"]`."""
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, str):
            yield item


def _from_table(value: object) -> Iterator[str]:
    """`{"" = "src", "pkg" = "lib/pkg"}`: package names and their directories."""
    for name, directory in value.items() if isinstance(value, dict) else ():
        if not isinstance(directory, str):
            continue
        if not name:
            yield directory
        elif Path(directory).name == name:
            yield str(Path(directory).parent)


def _parents(value: object) -> Iterator[str]:
    """`["src/pkg"]`: directories of packages."""
    for directory in _strings(value):
        yield str(Path(directory).parent)


def _sources(value: object) -> Iterator[str]:
    """`["src"]` or `{"src" = ""}`: prefixes that an installation drops."""
    if isinstance(value, dict):
        yield from _from_table({new: old for old, new in value.items() if isinstance(new, str)})
    else:
        yield from _strings(value)


def _origins(value: object) -> Iterator[str]:
    """`[{include = "pkg", from = "src"}]`."""
    for entry in value if isinstance(value, list) else ():
        if isinstance(entry, dict):
            yield from _strings(entry.get("from"))


_TABLES: tuple[tuple[str, Callable[[Any], Iterator[str]]], ...] = (
    ("tool.setuptools.package-dir", _from_table),
    ("tool.setuptools.packages.find.where", _strings),
    ("tool.hatch.build.packages", _parents),
    ("tool.hatch.build.sources", _sources),
    ("tool.hatch.build.targets.wheel.packages", _parents),
    ("tool.hatch.build.targets.wheel.sources", _sources),
    ("tool.poetry.packages", _origins),
    ("tool.pdm.build.package-dir", _strings),
    ("tool.uv.build-backend.module-root", _strings),
)
"""Where the tables of build tools say what holds the packages, and how to read it."""
