"""Puts new contents into files: each as a whole, all of several or none."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from flake8_nnx_rng.codemod.applying.outcome import Change
from flake8_nnx_rng.source import SourceError

SUFFIX = ".nnx-rng"
"""Ends the names of temporary files, so that nothing takes them for Python."""

_WRITABLE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


def write(changes: Sequence[Change]) -> None:
    """Replaces the contents of files.

    The new contents are on the disk, beside the old ones, before the first file is replaced; what
    is replaced keeps its mode, owner and attributes. A file with several hard links is parted from
    the others.

    Raises:
        SourceError: A file cannot be written, or is not what its change was made of; then all
            files are as they were.
    """
    with ExitStack() as temporary:
        new = [(change, temporary.enter_context(_beside(change))) for change in changes]
        for change in changes:
            _check(change)
        try:
            for change, path in new:
                _replace(change, path)
        except BaseException:
            for change in changes:
                _restore(change)
            raise


def _replace(change: Change, new: Path) -> None:
    _check(change)
    with _said(change):
        new.replace(change.path)


def _check(change: Change) -> None:
    """Sees that a file may be written and is what its change was made of."""
    with _said(change):
        mode = change.path.stat().st_mode
        data = change.path.read_bytes()
    # A superuser could write the file all the same, and anybody could replace it.
    if not (mode & _WRITABLE and os.access(change.path, os.W_OK)):
        raise SourceError(change.name, None, "is read-only", "it is as it was; make it writable")
    if data != change.before:
        raise SourceError(change.name, None, "has changed meanwhile", "run again")


@contextmanager
def _beside(change: Change) -> Iterator[Path]:
    """A file with the new content in the same directory, which is gone in the end."""
    with _said(change):
        handle, name = tempfile.mkstemp(suffix=SUFFIX, dir=change.path.parent)
    path = Path(name)
    try:
        with _said(change):
            with os.fdopen(handle, "wb") as file:
                file.write(change.after)
                file.flush()
                os.fsync(file.fileno())
            _take_after(path, change.path)
        yield path
    finally:
        path.unlink(missing_ok=True)


def _take_after(path: Path, model: Path) -> None:
    """Gives a file the owner, mode and attributes of another, and the time of now."""
    if hasattr(os, "chown"):
        status = model.stat()
        with contextlib.suppress(PermissionError):  # only a superuser may give files away
            os.chown(path, status.st_uid, status.st_gid)
    shutil.copystat(model, path)
    os.utime(path)


def _restore(change: Change) -> None:
    """Undoes a replacement, if it was made."""
    with contextlib.suppress(SourceError, OSError):
        if change.path.read_bytes() == change.after:
            back = Change(change.path, change.name, change.after, change.before)
            with _beside(back) as path:
                path.replace(change.path)


@contextmanager
def _said(change: Change) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        problem = error.strerror or type(error).__name__
        raise SourceError(
            change.name, None, f"cannot be written: {problem}", "it is as it was"
        ) from error
