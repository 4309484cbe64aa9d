"""What lies in a cache is not followed out of it, nor believed if another user has written it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from planning import NOISY

from flake8_nnx_rng.cache import MARKER, SUFFIX, Cache
from flake8_nnx_rng.source import Disk, Document

NEEDS_LINKS = pytest.mark.skipif(os.name != "posix", reason="links are for everybody on POSIX only")


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Where the cache lies."""
    (tmp_path / "tree").mkdir()
    return tmp_path / "tree"


DOCUMENT = Document("a.py", NOISY)


def _entry(cache: Cache) -> Path:
    """The entry of a file without findings, which is made if there is none."""
    assert cache.findings(DOCUMENT, "", lambda _: []) == []
    (entry,) = cache.directory.glob(f"*{SUFFIX}")
    return entry


def _is_believed(cache: Cache) -> bool:
    computed: list[Disk] = []

    def compute(disk: Disk) -> list[object]:
        computed.append(disk)
        return []

    cache.findings(DOCUMENT, "", compute)  # type: ignore[arg-type]
    return not computed


@NEEDS_LINKS
def test_an_entry_that_is_a_link_is_neither_read_nor_written_through(directory: Path) -> None:
    cache = Cache(directory / "cache")
    entry, outside = _entry(cache), directory.parent / "outside"
    outside.write_bytes(entry.read_bytes())
    for content in (outside.read_bytes(), b"precious"):
        outside.write_bytes(content)
        entry.unlink()
        entry.symlink_to(outside)
        assert not _is_believed(cache)
        assert outside.read_bytes() == content
        assert not entry.is_symlink()
        assert _is_believed(cache)


@NEEDS_LINKS
@pytest.mark.parametrize("exists", [False, True])
def test_the_mark_of_the_cache_is_not_made_through_a_link(directory: Path, exists: bool) -> None:
    cache, outside = Cache(directory / "cache"), directory.parent / "outside"
    cache.directory.mkdir()
    if exists:
        outside.touch()
        os.utime(outside, (1, 1))
    (cache.directory / MARKER).symlink_to(outside)
    _entry(cache)
    assert outside.exists() is exists
    assert not exists or outside.stat().st_mtime == 1


@NEEDS_LINKS
def test_a_pipe_in_the_place_of_an_entry_or_the_mark_is_not_waited_for(directory: Path) -> None:
    cache = Cache(directory / "cache")
    entry = _entry(cache)
    for path in (entry, cache.directory / MARKER):
        path.unlink(missing_ok=True)
        os.mkfifo(path)
    assert not _is_believed(cache)
    assert _is_believed(Cache(directory / "cache"))


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no owners")
def test_an_entry_of_another_user_is_not_believed(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = Cache(directory / "cache")
    _entry(cache)
    assert _is_believed(cache)
    monkeypatch.setattr(os, "geteuid", lambda: directory.stat().st_uid + 1)
    assert not _is_believed(cache)
