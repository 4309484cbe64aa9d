"""Files are replaced as a whole, all of a change or none, and nothing is lost."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from flake8_nnx_rng.codemod.applying import writing
from flake8_nnx_rng.codemod.applying.outcome import Change
from flake8_nnx_rng.codemod.applying.writing import write
from flake8_nnx_rng.source import SourceError

BEFORE, AFTER = b"\xef\xbb\xbfold\r\n", b"\xef\xbb\xbfnew\r\n\n"


@pytest.fixture
def changes(tmp_path: Path) -> list[Change]:
    """Three files that are about to change."""
    paths = [tmp_path / "directory" / name for name in ("a.py", "b.py", "c.py")]
    paths[0].parent.mkdir()
    for path in paths:
        path.write_bytes(BEFORE)
    return [Change(path, path.name, BEFORE, AFTER) for path in paths]


def _contents(changes: list[Change]) -> list[bytes]:
    """What is in the files, after a look for what else is beside them."""
    directory = changes[0].path.parent
    assert sorted(os.listdir(directory)) == [change.path.name for change in changes]
    return [change.path.read_bytes() for change in changes]


def test_the_new_bytes_are_in_the_files(changes: list[Change]) -> None:
    write(changes)
    assert _contents(changes) == [AFTER] * 3


def test_no_changes_are_no_error() -> None:
    write([])


@pytest.mark.parametrize("mode", [0o644, 0o600, 0o755, 0o640, 0o4755, 0o666])
def test_the_mode_is_kept(changes: list[Change], mode: int) -> None:
    changes[0].path.chmod(mode)
    write(changes)
    assert stat.S_IMODE(changes[0].path.stat().st_mode) == mode


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs a superuser")
def test_the_owner_is_kept_where_that_is_allowed(changes: list[Change]) -> None:
    os.chown(changes[0].path, 1234, 4321)
    changes[0].path.chmod(0o6755)
    write(changes)
    status = changes[0].path.stat()
    assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (1234, 4321, 0o6755)


def test_who_may_not_give_files_away_owns_the_new_one(
    changes: list[Change], monkeypatch: pytest.MonkeyPatch
) -> None:
    def chown(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "chown", chown)
    write(changes)
    assert _contents(changes) == [AFTER] * 3
    monkeypatch.delattr(os, "chown")
    write([Change(changes[0].path, "a.py", AFTER, BEFORE)])
    assert _contents(changes) == [BEFORE, AFTER, AFTER]


def test_the_time_is_that_of_the_change(changes: list[Change]) -> None:
    os.utime(changes[0].path, (1, 1))
    write(changes)
    assert changes[0].path.stat().st_mtime > 1e9


def _read_only(change: Change) -> None:
    change.path.chmod(0o444)


def _changed(change: Change) -> None:
    change.path.write_bytes(b"other")


def _gone(change: Change) -> None:
    change.path.unlink()
    change.path.mkdir()


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (_read_only, "b.py: is read-only; it is as it was; make it writable"),
        (_changed, "b.py: has changed meanwhile; run again"),
        (_gone, "b.py: cannot be written: Is a directory; it is as it was"),
    ],
)
def test_one_file_that_cannot_be_replaced_leaves_all_as_they_were(
    changes: list[Change], spoil: Callable[[Change], None], message: str
) -> None:
    spoil(changes[1])
    expected = [change.path.is_file() and change.path.read_bytes() for change in changes]
    with pytest.raises(SourceError) as caught:
        write(changes)
    assert str(caught.value) == message
    names = sorted(os.listdir(changes[0].path.parent))
    assert names == ["a.py", "b.py", "c.py"]
    assert [change.path.is_file() and change.path.read_bytes() for change in changes] == expected


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="a superuser may write there")
def test_a_directory_that_is_read_only_is_an_error(changes: list[Change]) -> None:
    directory = changes[0].path.parent
    directory.chmod(0o555)
    try:
        with pytest.raises(SourceError, match=r"a\.py: cannot be written: Permission denied"):
            write(changes)
    finally:
        directory.chmod(0o755)
    assert _contents(changes) == [BEFORE] * 3


def test_a_directory_that_is_gone_is_an_error(tmp_path: Path) -> None:
    change = Change(tmp_path / "none" / "a.py", "a.py", b"", b"")
    with pytest.raises(SourceError, match=r"a\.py: cannot be written: No such file"):
        write([change])


@pytest.mark.parametrize("name", ["fsync", "fdopen"])
@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_full_disk_leaves_all_as_they_were(
    changes: list[Change], monkeypatch: pytest.MonkeyPatch, name: str, number: int
) -> None:
    real, calls = getattr(os, name), []

    def full(*arguments: object) -> object:
        calls.append(arguments)
        if len(calls) == number:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(*arguments)

    monkeypatch.setattr(os, name, full)
    with pytest.raises(SourceError) as caught:
        write(changes)
    failed = changes[number - 1].name
    assert str(caught.value) == (
        f"{failed}: cannot be written: No space left on device; it is as it was"
    )
    assert _contents(changes) == [BEFORE] * 3


@pytest.mark.parametrize(
    "error", [KeyboardInterrupt, MemoryError, OSError(errno.EIO, os.strerror(errno.EIO))]
)
@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("is_late", [False, True])
def test_an_interrupt_between_two_files_leaves_all_as_they_were(
    changes: list[Change],
    monkeypatch: pytest.MonkeyPatch,
    error: type[BaseException] | OSError,
    number: int,
    is_late: bool,
) -> None:
    real, calls = Path.replace, []

    def replace(path: Path, target: Path) -> Path:
        calls.append(path)
        if len(calls) == number and not is_late:
            raise error
        result = real(path, target)
        if len(calls) == number:
            raise error
        return result

    monkeypatch.setattr(Path, "replace", replace)
    expected = SourceError if isinstance(error, OSError) else error
    with pytest.raises(expected):
        write(changes)
    assert _contents(changes) == [BEFORE] * 3


KILLED = """
import os, signal, sys
from pathlib import Path
from flake8_nnx_rng.codemod.applying.outcome import Change
from flake8_nnx_rng.codemod.applying.writing import write

real, is_late, before, after = Path.replace, *map(eval, sys.argv[1:4])

def replace(path, target):
    if is_late:
        real(path, target)
    os.kill(os.getpid(), signal.SIGKILL)

Path.replace = replace
write([Change(Path(name), name, before, after) for name in sys.argv[4:]])
"""


@pytest.mark.skipif(os.name != "posix", reason="needs processes that can be killed")
@pytest.mark.parametrize("is_late", [False, True])
def test_a_killed_process_leaves_every_file_whole(changes: list[Change], is_late: bool) -> None:
    """Old or new; only then is there something beside them."""
    names = [str(change.path) for change in changes]
    arguments = [str(is_late), repr(BEFORE), repr(AFTER), *names]
    done = subprocess.run([sys.executable, "-c", KILLED, *arguments], check=False)
    assert done.returncode == -signal.SIGKILL
    expected = [AFTER if is_late else BEFORE, BEFORE, BEFORE]
    assert [change.path.read_bytes() for change in changes] == expected


def test_an_interrupt_while_new_contents_are_written_leaves_nothing_behind(
    changes: list[Change], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(writing, "_take_after", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write(changes)
    assert _contents(changes) == [BEFORE] * 3


def test_a_change_between_the_first_look_and_the_replacement_is_seen(
    changes: list[Change], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Path.replace

    def replace(path: Path, target: Path) -> Path:
        changes[1].path.write_bytes(b"other")
        return real(path, target)

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(SourceError, match=r"b\.py: has changed meanwhile"):
        write(changes)
    assert _contents(changes) == [BEFORE, b"other", BEFORE]


def test_no_temporary_file_is_taken_for_python(
    changes: list[Change], monkeypatch: pytest.MonkeyPatch
) -> None:
    real, seen = Path.replace, []

    def replace(path: Path, target: Path) -> Path:
        seen.append(path)
        return real(path, target)

    monkeypatch.setattr(Path, "replace", replace)
    write(changes)
    assert {path.suffix for path in seen} == {".nnx-rng"}
    assert {path.parent for path in seen} == {changes[0].path.parent}
