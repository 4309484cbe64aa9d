"""Findings kept on disk, for flake8's workers and for later runs.

An entry is trusted only while all that its findings depend on is as it was: the text, every path
that was looked at, the settings and the versions. Whatever else is found is a miss, and an entry
that cannot be written is not written; neither is ever an error.

A cache may lie where others write too: no link in it is followed, and nothing is believed that
another user has written.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import hashlib
import importlib.metadata
import json
import os
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from flake8_nnx_rng import __version__
from flake8_nnx_rng.findings import Finding
from flake8_nnx_rng.source import (
    Disk,
    Document,
    SourceError,
    Span,
    absolute,
    behind_links,
    fingerprint,
)

APPLICATION = "flake8-nnx-rng"
SUFFIX = ".nnx-rng"
"""Ends the names of entries and of what becomes one; nothing else is ever removed."""

MARKER = "nnx-rng-pruned"
"""The file whose age says when old entries were last removed."""

NO_LINKS, NO_WAITING = getattr(os, "O_NOFOLLOW", 0), getattr(os, "O_NONBLOCK", 0)
"""How files are opened where the system can: not through links, not waiting for a pipe."""

DAY = 24 * 60 * 60
PRUNE_EVERY, KEPT_FOR = DAY, 30 * DAY

Find = Callable[[Disk], list[Finding]]


@dataclasses.dataclass(frozen=True)
class Cache:
    """A directory of entries, one for each file and what it is linted with.

    Processes may share it: an entry appears as a whole, and the last one to write it wins.

    Attributes:
        directory: Where the entries lie; it need not exist.
    """

    directory: Path

    def findings(self, document: Document, settings: str, find: Find) -> list[Finding]:
        """The findings in a document, from the cache where it still holds.

        Args:
            document: The file.
            settings: All that the findings depend on beside what is on the disk.
            find: Computes the findings; what it raises is passed on and not kept.
        """
        version = _version()
        if version is None:
            return find(Disk())
        # The name is in some messages, the absolute path decides on the surroundings.
        name = _digest(json.dumps([document.path, str(absolute(document.path)), settings, version]))
        entry = self.directory / f"{name}{SUFFIX}"
        text = _digest(document.text)
        kept = _read(entry, text, document.path)
        if kept is not None:
            return kept
        disk = Disk()
        found = find(disk)
        with contextlib.suppress(OSError, ValueError):
            _write(entry, _content(text, disk, found))
            _prune_once(self.directory)
        return found


def confined(directory: str, within: str) -> str:
    """The directory, behind all links, that a configuration names for a cache.

    Who may change the configuration of a project may not choose where else files are written.

    Args:
        directory: What it names; may be empty.
        within: The directory of the configuration.

    Raises:
        SourceError: It leads out of that directory.
    """
    if not directory:
        return ""
    place = behind_links(Path(directory))
    if not place.is_relative_to(behind_links(Path(within))):
        raise SourceError(
            "nnx-rng-cache-dir",
            None,
            f"{directory} is not below {within}, the directory of the configuration",
            "name one there, or give it on the command line",
        )
    return str(place)


def open_cache(directory: str = "", *, off: bool = False) -> Cache | None:
    """The cache that the user's options ask for, if any.

    Args:
        directory: Where it lies; in the user's cache directory if empty.
        off: Whether the user wants none.
    """
    if off:
        return None
    place = Path(directory) if directory else _users_directory()
    return None if place is None else Cache(place)


def _users_directory() -> Path | None:
    variable = "LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME"
    base = os.environ.get(variable, "")
    if Path(base).is_absolute():
        return Path(base) / APPLICATION
    try:
        return Path.home() / ".cache" / APPLICATION
    except RuntimeError:  # nobody's home
        return None


@functools.cache
def _version() -> str | None:
    """What findings depend on in this environment, or None if that cannot be told."""
    try:
        libcst = importlib.metadata.version("libcst")
        sources = sorted(_sources(Path(__file__).parent))
    except (importlib.metadata.PackageNotFoundError, OSError):
        return None
    return _digest(json.dumps([__version__, sys.version, libcst, sources]))


def _sources(directory: Path) -> Iterator[tuple[str, int, int]]:
    """Name, size and time of every source file of this package."""
    with os.scandir(directory) as entries:
        for entry in entries:
            if entry.is_dir():
                yield from _sources(Path(entry.path))
            elif entry.name.endswith(".py"):
                status = entry.stat()
                yield entry.path, status.st_size, status.st_mtime_ns


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _content(text: str, disk: Disk, found: Iterable[Finding]) -> str:
    return json.dumps(
        {
            "text": text,
            "dependencies": {str(path): _hex(seen) for path, seen in disk.consulted.items()},
            "findings": [[dataclasses.astuple(one.span), one.code, one.message] for one in found],
        }
    )


def _hex(seen: bytes | None) -> str | None:
    return None if seen is None else seen.hex()


def _read(entry: Path, text: str, path: str) -> list[Finding] | None:
    """The findings of an entry, or None if it is missing, damaged or out of date."""
    try:
        data = _own(entry)
    except (OSError, ValueError):
        return None
    checksum, _, content = data.partition(b"\n")
    try:
        if checksum.decode("ascii") != _checksum(entry, content.decode("ascii")):
            return None
        kept = json.loads(content)
        if kept["text"] != text:
            return None
        if any(_hex(fingerprint(Path(p))) != seen for p, seen in kept["dependencies"].items()):
            return None
        return [Finding(path, Span(*span), code, said) for span, code, said in kept["findings"]]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None


def _own(entry: Path) -> bytes:
    """The content of a file of the current user, and of no other kind of thing.

    Raises:
        OSError: There is none.
        ValueError: It cannot have that name.
    """
    with os.fdopen(os.open(entry, os.O_RDONLY | NO_LINKS | NO_WAITING), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_uid != _user(status.st_uid):
            raise PermissionError(entry)
        return file.read()


def _user(default: int) -> int:
    """The user whose files are believed; everybody where files have no owners."""
    return os.geteuid() if hasattr(os, "geteuid") else default


def _checksum(entry: Path, content: str) -> str:
    """Vouches for the content and that it belongs under the name."""
    return _digest(f"{entry.name}\n{content}")


def _write(entry: Path, content: str) -> None:
    """Puts an entry in place as a whole.

    Raises:
        OSError: It cannot be written.
        ValueError: It cannot have that name.
    """
    entry.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(suffix=SUFFIX, dir=entry.parent)
    try:
        with os.fdopen(handle, "w", encoding="ascii", newline="\n") as file:
            file.write(f"{_checksum(entry, content)}\n{content}")
        Path(name).replace(entry)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


@functools.cache
def _prune_once(directory: Path) -> None:
    """Removes old entries, unless any process has done so within a day.

    Raises:
        OSError: The directory cannot be read or written.
    """
    marker, now = directory / MARKER, time.time()
    with contextlib.suppress(FileNotFoundError):
        if now - marker.lstat().st_mtime < PRUNE_EVERY:
            return
    with os.fdopen(os.open(marker, os.O_WRONLY | os.O_CREAT | NO_LINKS | NO_WAITING, 0o600), "wb"):
        os.utime(marker)
    for entry in directory.iterdir():
        with contextlib.suppress(OSError):  # another process may be faster
            if entry.suffix == SUFFIX and now - entry.lstat().st_mtime > KEPT_FOR:
                entry.unlink()
