"""Reading other files, and remembering which."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from flake8_nnx_rng.source import DIRECTORY, Disk, fingerprint


def test_every_path_that_was_looked_at_is_remembered_with_what_was_found(tmp_path: Path) -> None:
    there, missing = tmp_path / "a.py", tmp_path / "b.py"
    there.write_bytes(b"x = 1\n")
    disk = Disk()
    assert disk.read(there) == b"x = 1\n"
    assert disk.read(missing) is None
    assert disk.is_directory(tmp_path)
    assert not disk.is_directory(there)
    assert disk.read(tmp_path) is None
    assert disk.exists(there)
    assert disk.exists(tmp_path)
    assert not disk.exists(missing)
    assert disk.consulted == {
        there: fingerprint(there),
        missing: None,
        tmp_path: DIRECTORY,
    }
    assert isinstance(fingerprint(there), bytes)


def test_a_fingerprint_changes_with_the_content_and_with_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    disk = Disk()
    assert disk.read(path) is None
    path.write_bytes(b"x = 1\n")
    first = fingerprint(path)
    assert disk.consulted[path] is None
    os.utime(path, (0, 0))
    assert fingerprint(path) == first
    path.write_bytes(b"x = 2\n")
    assert fingerprint(path) not in (first, None, DIRECTORY)


def test_a_run_sees_each_file_as_it_was_when_it_was_first_read(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"x = 1\n")
    disk = Disk()
    disk.read(path)
    path.write_bytes(b"x = 2\n")
    assert disk.read(path) == b"x = 1\n"
    assert disk.consulted[path] != fingerprint(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_what_is_neither_a_file_nor_a_directory_is_not_there(tmp_path: Path) -> None:
    pipe = tmp_path / "a.py"
    os.mkfifo(pipe)
    assert Disk().read(pipe) is None
    assert not Disk().exists(pipe)


def test_a_path_that_no_system_accepts_is_not_there() -> None:
    assert Disk().read(Path("a\0b")) is None
    assert fingerprint(Path("x" * 10_000)) is None


def test_what_is_thought_to_be_in_a_file_is_found_under_every_name_of_it(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"old")
    (tmp_path / "b.py").write_bytes(b"b")
    (tmp_path / "link.py").symlink_to(tmp_path / "a.py")
    disk = Disk({(tmp_path / "a.py").resolve(): b"new", (tmp_path / "none.py").resolve(): b"x"})
    names = ("a.py", "link.py", "b.py", "none.py")
    assert [disk.read(tmp_path / name) for name in names] == [b"new", b"new", b"b", b"x"]
    assert disk.exists(tmp_path / "none.py")
