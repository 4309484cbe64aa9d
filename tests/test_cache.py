"""Findings kept on disk: used while they hold, and never when they are damaged."""

from __future__ import annotations

import importlib.metadata
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest
from support import PRELUDE, module, write

from flake8_nnx_rng import cache as kept
from flake8_nnx_rng import lint as pipeline
from flake8_nnx_rng.cache import Cache, open_cache
from flake8_nnx_rng.findings import Finding
from flake8_nnx_rng.lint import Settings, lint, lint_cached
from flake8_nnx_rng.source import Disk, Document, SourceError, Span

NOISY = module("""
    class Noisy(StatefulModule):
        def __init__(self, rngs: nnx.Rngs):
            self.rngs = rngs

        def __call__(self, state, x, rollout_extras=None):
            return StatefulModuleOutput(state, x + self.rngs.normal(x.shape), 0.0, {})
""")
DOCUMENT = Document("a.py", NOISY)
FOUND = [Finding("a.py", Span(1, 2, 3, 4), "NNX101", "é → \udc80")]


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current directory, that of a project."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").touch()
    return tmp_path


@pytest.fixture
def cache(tmp_path_factory: pytest.TempPathFactory) -> Cache:
    """A cache outside of the project."""
    return Cache(tmp_path_factory.mktemp("cache") / "of" / "findings")


@pytest.fixture
def analysed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the documents that were analysed, in order."""
    names: list[str] = []
    analyse = pipeline._analyse

    def counted(*arguments: object) -> list[Finding]:
        names.append(arguments[0].own.path)  # type: ignore[attr-defined]
        return analyse(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(pipeline, "_analyse", counted)
    return names


def _lint(cache: Cache, document: Document = DOCUMENT, **settings: tuple[str, ...]) -> list[str]:
    given = Settings(**settings)
    found = lint_cached(document, None, given, cache)
    assert found == lint(document, None, given, Disk())
    return [finding.code for finding in found]


def _entries(cache: Cache) -> list[Path]:
    return sorted(cache.directory.glob(f"*{kept.SUFFIX}")) if cache.directory.exists() else []


def _is_found_again(cache: Cache) -> bool:
    """Whether `FOUND` had to be computed; it is what comes back either way."""
    computed = []

    def again(disk: Disk) -> list[Finding]:
        computed.append(disk)
        return FOUND

    assert cache.findings(DOCUMENT, "", again) == FOUND
    return bool(computed)


def test_what_was_found_once_is_not_computed_again(cache: Cache, analysed: list[str]) -> None:
    first = lint_cached(DOCUMENT, None, Settings(), cache)
    assert [finding.code for finding in first] == ["NNX101"]
    assert lint_cached(DOCUMENT, None, Settings(), cache) == first
    assert analysed == ["a.py"]


def test_that_nothing_was_found_is_kept_too(cache: Cache, analysed: list[str]) -> None:
    sound = Document("a.py", NOISY.replace("self.rngs.normal(x.shape)", "1"))
    for _ in range(2):
        assert lint_cached(sound, None, Settings(), cache) == []
    assert analysed == ["a.py"]


def test_every_part_of_a_finding_is_kept(cache: Cache) -> None:
    assert _is_found_again(cache)
    assert not _is_found_again(cache)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"document": Document("b.py", NOISY)}, id="path"),
        pytest.param({"document": Document("./a.py", NOISY)}, id="name"),
        pytest.param({"document": Document("a.py", NOISY + "\n")}, id="text"),
        pytest.param({"bases": ("acme.Layer",)}, id="bases"),
        pytest.param({"samplers": ("acme.Layer",)}, id="samplers"),
        pytest.param({"roots": ("vendor",)}, id="roots"),
    ],
)
def test_a_change_of_what_is_linted_or_how_is_a_miss(
    cache: Cache, analysed: list[str], change: dict[str, object]
) -> None:
    lint_cached(DOCUMENT, None, Settings(), cache)
    settings = {"document": DOCUMENT} | change
    document = settings.pop("document")
    lint_cached(document, None, Settings(**settings), cache)  # type: ignore[arg-type]
    assert len(analysed) == 2


def test_a_relative_root_means_another_one_in_another_directory(
    cache: Cache, directory: Path, monkeypatch: pytest.MonkeyPatch, analysed: list[str]
) -> None:
    (directory / "below").mkdir()
    document = Document(str(directory / "a.py"), NOISY)
    lint_cached(document, None, Settings(roots=("vendor",)), cache)
    monkeypatch.chdir("below")
    lint_cached(document, None, Settings(roots=("vendor",)), cache)
    assert len(analysed) == 2


@pytest.mark.parametrize("part", ["__version__", "python", "libcst", "sources"])
def test_another_version_is_a_miss(
    cache: Cache, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    change: dict[str, Callable[[], None]] = {
        "__version__": lambda: monkeypatch.setattr(kept, "__version__", "0.0"),
        "python": lambda: monkeypatch.setattr(sys, "version", "4.0"),
        "libcst": lambda: monkeypatch.setattr(importlib.metadata, "version", lambda _: "0"),
        "sources": lambda: monkeypatch.setattr(kept, "_sources", lambda _: [("a.py", 1, 2)]),
    }
    assert _is_found_again(cache)
    kept._version.cache_clear()
    assert not _is_found_again(cache)
    change[part]()
    kept._version.cache_clear()
    try:
        assert _is_found_again(cache)
        assert not _is_found_again(cache)
    finally:
        kept._version.cache_clear()


def test_without_a_version_to_tell_nothing_is_kept(
    cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "_version", lambda: None)
    assert _is_found_again(cache)
    assert _is_found_again(cache)
    assert not cache.directory.exists()


def test_the_sources_are_told_apart_by_name_size_and_time(directory: Path) -> None:
    write(directory, {"p/a.py": "1", "p/q/b.py": "2", "p/c.txt": "3"})
    seen = [sorted(kept._sources(directory / "p"))]
    for path, text in [("p/a.py", "12"), ("p/q/new.py", "")]:
        (directory / path).write_text(text)
        seen.append(sorted(kept._sources(directory / "p")))
    os.utime(directory / "p/q/b.py", (1, 1))
    seen.append(sorted(kept._sources(directory / "p")))
    assert [len(one) for one in seen] == [2, 2, 3, 3]
    assert all(seen.count(one) == 1 for one in seen)


BASE = PRELUDE + "class Base(StatefulModule):\n    def noisy(self, x):\n        return x\n"
LEAF = """
from lib.base import Base


class Leaf(Base):
    def __call__(self, state, x, rollout_extras=None):
        return self.noisy(x)
"""
KEYED = BASE.replace("return x", "return x + self.rngs.normal()")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param({"lib/base.py": BASE}, {"lib/base.py": KEYED}, id="a base changes"),
        pytest.param({}, {"lib/base.py": KEYED}, id="a base appears"),
        pytest.param({"lib/base.py": KEYED}, {"lib/base.py": None}, id="a base vanishes"),
        pytest.param(
            {"lib/base.py": BASE}, {"lib/base/__init__.py": KEYED}, id="a package hides a base"
        ),
        pytest.param(
            {"vendor/lib/base.py": KEYED},
            {"pyproject.toml": "tool.setuptools.package-dir = {'' = 'vendor'}"},
            id="the project says where its packages are",
        ),
        pytest.param(
            {"vendor/lib/base.py": KEYED},
            {"setup.cfg": "[options]\npackage_dir =\n    =vendor\n"},
            id="a configuration appears",
        ),
        pytest.param(
            {"lib/base.py": BASE, "src/lib/base.py": KEYED},
            {"src/lib/__init__.py": "", "lib/base.py": None},
            id="a namespace package becomes another",
        ),
    ],
)
def test_findings_hold_only_while_the_files_that_were_looked_at_are_the_same(
    cache: Cache,
    directory: Path,
    analysed: list[str],
    before: dict[str, str],
    after: dict[str, str | None],
) -> None:
    write(directory, before)
    leaf = Document("leaf.py", LEAF)
    first = _lint(cache, leaf)
    for path, text in after.items():
        if text is None:
            (directory / path).unlink()
        else:
            write(directory, {path: text})
    assert _lint(cache, leaf) != first
    known = len(analysed)
    lint_cached(leaf, None, Settings(), cache)
    assert len(analysed) == known


def test_a_file_that_was_not_looked_at_may_change(
    cache: Cache, directory: Path, analysed: list[str]
) -> None:
    write(directory, {"lib/base.py": KEYED, "lib/other.py": ""})
    leaf = Document("leaf.py", LEAF)
    lint_cached(leaf, None, Settings(), cache)
    write(directory, {"lib/other.py": BASE, "another.py": ""})
    lint_cached(leaf, None, Settings(), cache)
    assert analysed == ["leaf.py"]


def test_an_entry_cut_off_anywhere_is_a_miss(cache: Cache) -> None:
    assert _is_found_again(cache)
    (entry,) = _entries(cache)
    data = entry.read_bytes()
    for length in range(len(data)):
        entry.write_bytes(data[:length])
        assert _is_found_again(cache), length
        assert entry.read_bytes() == data


def test_an_entry_with_any_bit_flipped_is_a_miss(cache: Cache) -> None:
    assert _is_found_again(cache)
    (entry,) = _entries(cache)
    data, source = entry.read_bytes(), random.Random(0)
    for _ in range(500):
        damaged = bytearray(data)
        damaged[source.randrange(len(data))] ^= 1 << source.randrange(8)
        entry.write_bytes(damaged)
        assert _is_found_again(cache), bytes(damaged)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "null",
        "{}",
        "[" * 100_000,
        '{"text": %s}',
        '{"text": %s, "dependencies": [], "findings": []}',
        '{"text": %s, "dependencies": {}, "findings": [1]}',
        '{"text": %s, "dependencies": {}, "findings": [[[1], "NNX101", ""]]}',
        '{"text": %s, "dependencies": {"a\\u0000b": "00"}, "findings": []}',
    ],
)
def test_an_entry_of_another_shape_is_a_miss(cache: Cache, content: str) -> None:
    assert _is_found_again(cache)
    (entry,) = _entries(cache)
    content = content.replace("%s", json.dumps(kept._digest(NOISY)))
    entry.write_text(f"{kept._checksum(entry, content)}\n{content}")
    assert _is_found_again(cache)
    assert not _is_found_again(cache)


def test_an_entry_under_the_name_of_another_is_a_miss(cache: Cache) -> None:
    cache.findings(DOCUMENT, "other settings", lambda _: [])
    (other,) = _entries(cache)
    assert _is_found_again(cache)
    (entry,) = {*_entries(cache)} - {other}
    other.replace(entry)
    assert _is_found_again(cache)


def test_a_directory_in_the_place_of_an_entry_is_a_miss(cache: Cache) -> None:
    assert _is_found_again(cache)
    (entry,) = _entries(cache)
    entry.unlink()
    entry.mkdir()
    assert _is_found_again(cache)
    assert _entries(cache) == [entry]


def test_a_cache_that_cannot_be_written_changes_nothing(directory: Path) -> None:
    file = directory / "file"
    file.touch()
    for place in (file, file / "below", Path("a\0b"), Path("a" * 5000)):
        assert _is_found_again(Cache(place))
        assert _is_found_again(Cache(place))
    assert file.read_bytes() == b""


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root writes anywhere")
def test_a_directory_that_is_read_only_serves_what_it_has(cache: Cache) -> None:
    assert _is_found_again(cache)
    cache.directory.chmod(0o500)
    try:
        assert not _is_found_again(cache)
        assert cache.findings(DOCUMENT, "other settings", lambda _: FOUND) == FOUND
        assert len(_entries(cache)) == 1
    finally:
        cache.directory.chmod(0o700)


@pytest.mark.parametrize(
    ("owner", "function"),
    [(Path, "mkdir"), (tempfile, "mkstemp"), (os, "fdopen"), (Path, "replace")],
)
def test_a_write_that_fails_leaves_nothing(
    cache: Cache, monkeypatch: pytest.MonkeyPatch, owner: object, function: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(owner, function, fail)
        assert _is_found_again(cache)
        assert _entries(cache) == []
    assert _is_found_again(cache)
    assert not _is_found_again(cache)


def test_an_interrupted_write_leaves_nothing(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        _is_found_again(cache)
    assert _entries(cache) == []


def test_an_entry_that_cannot_be_removed_does_not_keep_the_others(
    cache: Cache,
) -> None:
    cache.directory.mkdir(parents=True)
    (cache.directory / f"stuck{kept.SUFFIX}").mkdir()
    old = [_aged(cache.directory / f"{name}{kept.SUFFIX}", 31) for name in ("a", "stuck", "z")]
    assert _is_found_again(cache)
    assert [one.exists() for one in old] == [False, True, False]


@pytest.mark.parametrize("error", [ZeroDivisionError, SourceError("a.py", 1, "wrong", "fix it")])
def test_an_error_is_passed_on_and_not_kept(
    cache: Cache, error: type[Exception] | Exception
) -> None:
    def fail(_: Disk) -> list[Finding]:
        raise error

    with pytest.raises((ZeroDivisionError, SourceError)):
        cache.findings(DOCUMENT, "", fail)
    assert _entries(cache) == []


@pytest.mark.parametrize(
    "text", ["import os\nimport sys\n", "# nnx_ppo\nclass A: ...\n", "class A(B): ...\n"]
)
def test_a_file_that_cannot_matter_touches_no_disk(
    cache: Cache, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setattr(Cache, "findings", None)
    assert lint_cached(Document("a.py", text), None, Settings(), cache) == []
    assert not cache.directory.exists()


def _hammer(directory: Path, seed: int) -> int:
    """Reads and writes one entry over and over; how often it was a miss."""
    misses = []

    def find(disk: Disk) -> list[Finding]:
        misses.append(disk)
        return FOUND

    source = random.Random(seed)
    for _ in range(300):
        if source.random() < 0.3:
            for entry in directory.glob(f"*{kept.SUFFIX}"):
                entry.unlink(missing_ok=True)
        assert Cache(directory).findings(DOCUMENT, "", find) == FOUND
    return len(misses)


def test_processes_share_an_entry(cache: Cache) -> None:
    with ProcessPoolExecutor(4) as pool:
        misses = [*pool.map(_hammer, [cache.directory] * 4, range(4))]
    assert all(0 < one < 300 for one in misses)
    assert len(_entries(cache)) <= 1


LOADED = """
import sys
from pathlib import Path
from flake8_nnx_rng.cache import Cache
from flake8_nnx_rng.lint import Settings, lint_cached
from flake8_nnx_rng.source import Document
print(len(lint_cached(Document("a.py", sys.stdin.read()), None, Settings(), Cache(Path("kept")))))
print(*sys.modules)
"""


def test_a_hit_loads_neither_libcst_nor_what_analyses() -> None:
    def run() -> tuple[str, set[str]]:
        command = [sys.executable, "-c", LOADED]
        done = subprocess.run(command, input=NOISY, capture_output=True, text=True, check=True)
        count, modules = done.stdout.splitlines()
        return count, set(modules.split())

    count, loaded = run()
    heavy = {"libcst", *(f"flake8_nnx_rng.{room}" for room in ("interpreter", "rules", "project"))}
    assert (count, heavy - loaded) == ("1", set())
    count, loaded = run()
    assert (count, heavy & loaded) == ("1", set())


def _aged(path: Path, days: float) -> Path:
    path.touch()
    os.utime(path, (time.time() - days * kept.DAY,) * 2)
    return path


@pytest.mark.parametrize(
    ("marker", "pruned"), [(None, True), (2, True), (0.5, False)], ids=["no", "an old", "a new"]
)
def test_the_first_write_of_a_process_removes_old_entries_once_a_day(
    cache: Cache, marker: float | None, pruned: bool
) -> None:
    cache.directory.mkdir(parents=True)
    old = _aged(cache.directory / f"old{kept.SUFFIX}", 31)
    young = _aged(cache.directory / f"young{kept.SUFFIX}", 29)
    foreign = _aged(cache.directory / "foreign.txt", 99)
    if marker is not None:
        _aged(cache.directory / kept.MARKER, marker)
    assert _is_found_again(cache)
    assert old.exists() is not pruned
    assert young.exists()
    assert foreign.exists()
    assert time.time() - (cache.directory / kept.MARKER).stat().st_mtime < kept.DAY
    _aged(cache.directory / kept.MARKER, 2)
    _aged(old, 31)
    cache.findings(DOCUMENT, "other settings", lambda _: [])
    assert old.exists()


def test_the_cache_lies_where_the_user_says(directory: Path) -> None:
    assert open_cache(str(directory)) == Cache(directory)
    assert open_cache(str(directory), off=True) is None


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has a directory of its own")
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("/caches", "/caches/flake8-nnx-rng"),
        ("relative", "/home/me/.cache/flake8-nnx-rng"),
        ("", "/home/me/.cache/flake8-nnx-rng"),
    ],
)
def test_the_cache_lies_in_the_users_cache_directory(
    monkeypatch: pytest.MonkeyPatch, given: str, expected: str
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", given)
    monkeypatch.setenv("HOME", "/home/me")
    assert open_cache() == Cache(Path(expected))


def test_on_windows_it_lies_with_the_local_data(
    monkeypatch: pytest.MonkeyPatch, directory: Path
) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(directory))
    assert open_cache() == Cache(directory / "flake8-nnx-rng")


def test_a_user_without_a_home_has_no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setenv("XDG_CACHE_HOME", "")
    monkeypatch.setenv("LOCALAPPDATA", "")
    monkeypatch.setattr(Path, "home", nowhere)
    assert open_cache() is None
