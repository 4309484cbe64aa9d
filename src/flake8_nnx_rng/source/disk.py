"""Reads what other files say, and remembers every place that was looked at."""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from flake8_nnx_rng.source.paths import behind_links, is_directory

DIRECTORY = b"directory"
"""The fingerprint of a directory, whatever it contains."""


def fingerprint(path: Path) -> bytes | None:
    """What is found at a path: a digest of a file, `DIRECTORY`, or None for neither."""
    return _digest(_look(path))


@dataclass(eq=False)
class Disk:
    """The file system as one run of the linter sees it: each path is read once.

    Attributes:
        instead: What to find in files, by real path, in place of what they contain.
    """

    instead: Mapping[Path, bytes] = field(default_factory=dict)
    _found: dict[Path, bytes | bool] = field(default_factory=dict, init=False, repr=False)

    def read(self, path: Path) -> bytes | None:
        """The content of a regular file, or None if there is none that can be read."""
        found = self._at(path)
        return found if isinstance(found, bytes) else None

    def is_directory(self, path: Path) -> bool:
        """Whether there is a directory."""
        return self._at(path) is True

    def exists(self, path: Path) -> bool:
        """Whether there is a directory or a file that can be read."""
        return self._at(path) is not False

    @property
    def consulted(self) -> dict[Path, bytes | None]:
        """The fingerprint of every path that was looked at, missing ones included.

        A result of this run still holds while `fingerprint` says the same of each.
        """
        return {path: _digest(found) for path, found in self._found.items()}

    def _at(self, path: Path) -> bytes | bool:
        if path not in self._found:
            thought = self.instead.get(behind_links(path)) if self.instead else None
            self._found[path] = _look(path) if thought is None else thought
        return self._found[path]


def regular(path: Path) -> bytes | None:
    """The content of a regular file; None for whatever else there is: a pipe would block.

    Raises:
        OSError: There is nothing, or it cannot be read.
        ValueError: No system accepts the path.
    """
    return path.read_bytes() if stat.S_ISREG(path.stat().st_mode) else None


def _look(path: Path) -> bytes | bool:
    """The content of a file, True for a directory, False for what is missing or unreadable."""
    try:
        data = regular(path)
        return is_directory(path) if data is None else data
    except (OSError, ValueError):
        return False


def _digest(found: bytes | bool) -> bytes | None:
    if isinstance(found, bytes):
        return hashlib.blake2b(found, digest_size=16).digest()
    return DIRECTORY if found else None
