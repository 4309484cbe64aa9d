"""Where absolute imports start."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support import write

from flake8_nnx_rng.source import Disk, absolute, find_roots


def _roots(directory: Path, file: str, further: tuple[str, ...] = ()) -> list[str]:
    """The roots of a file, relative to a directory."""
    roots = find_roots(Disk(), directory / file, further)
    return [os.path.relpath(path, directory) for path in roots.directories]


def _make(directory: Path, *names: str) -> None:
    write(directory, dict.fromkeys(names, ""))


def test_a_file_that_stands_alone_sees_its_neighbours(tmp_path: Path) -> None:
    _make(tmp_path, "a/b.py")
    assert _roots(tmp_path, "a/b.py")[0] == "a"


def test_the_topmost_package_around_a_file_lies_in_a_root(tmp_path: Path) -> None:
    _make(tmp_path, "lib/a/__init__.py", "lib/a/b/__init__.py", "lib/a/b/c.py")
    assert _roots(tmp_path, "lib/a/b/c.py")[0] == "lib"
    assert _roots(tmp_path, "lib/a/__init__.py")[0] == "lib"


@pytest.mark.parametrize("mark", ["pyproject.toml", "setup.cfg", "setup.py", ".git/HEAD"])
def test_the_directory_of_the_project_and_its_src_are_roots(tmp_path: Path, mark: str) -> None:
    _make(tmp_path, mark, "src/a/__init__.py", "tests/test_a.py", "tests/deep/test_b.py")
    assert _roots(tmp_path, "tests/test_a.py") == ["tests", "src", "."]
    assert _roots(tmp_path, "tests/deep/test_b.py") == ["tests/deep", "src", "."]
    assert _roots(tmp_path, "src/a/__init__.py") == ["src", "."]


def test_the_nearest_project_counts(tmp_path: Path) -> None:
    _make(tmp_path, ".git/HEAD", "one/pyproject.toml", "one/a.py")
    roots = find_roots(Disk(), tmp_path / "one" / "a.py")
    assert roots.project == tmp_path / "one"
    assert roots.directories == (tmp_path / "one",)


@pytest.mark.parametrize(
    "text",
    [
        '[tool.setuptools.packages.find]\nwhere = ["lib"]',
        '[tool.setuptools]\npackage-dir = {"" = "lib"}',
        '[tool.setuptools]\npackage-dir = {"a" = "lib/a"}',
        '[tool.hatch.build]\nsources = ["lib"]',
        '[tool.hatch.build.sources]\n"lib" = ""',
        '[tool.hatch.build.targets.wheel]\npackages = ["lib/a"]',
        '[tool.hatch.build.targets.wheel]\nsources = ["lib"]',
        '[tool.hatch.build]\npackages = ["lib/a/"]',
        '[tool.poetry]\npackages = [{include = "b"}, {include = "a", from = "lib"}]',
        '[tool.pdm.build]\npackage-dir = "lib"',
        '[tool.uv.build-backend]\nmodule-root = "lib"',
    ],
)
def test_pyproject_says_what_holds_the_packages(tmp_path: Path, text: str) -> None:
    write(tmp_path, {"pyproject.toml": text, "lib/a/x.py": "", "test.py": ""})
    assert "lib" in _roots(tmp_path, "test.py")


@pytest.mark.parametrize(
    "text",
    [
        "[options]\npackage_dir =\n    = lib\n",
        "[options]\npackage_dir =\n    a = lib/a\n",
        "[options]\npackage_dir = =lib\n",
        "[options.packages.find]\nwhere = lib\n",
        "[options.packages.find]\nwhere =\n    other\n    lib\n",
    ],
)
def test_setup_cfg_says_what_holds_the_packages(tmp_path: Path, text: str) -> None:
    write(tmp_path, {"setup.cfg": text, "lib/a/x.py": "", "test.py": ""})
    assert "lib" in _roots(tmp_path, "test.py")


@pytest.mark.parametrize(
    "name, text",
    [
        ("pyproject.toml", "[tool.setuptools\n"),
        ("pyproject.toml", '[tool]\nsetuptools = "text"'),
        ("pyproject.toml", "[tool.setuptools.packages]\nfind = {where = 3}"),
        ("pyproject.toml", "[tool.setuptools]\npackage-dir = {a = 3, b = 'lib/c'}"),
        ("pyproject.toml", "[tool.setuptools]\npackage-dir = ['lib']"),
        ("pyproject.toml", "[tool.poetry]\npackages = ['lib', {from = 3}]"),
        ("pyproject.toml", "[tool.hatch.build]\npackages = ['/lib/a']"),
        ("setup.cfg", "package_dir = lib\n"),
        ("setup.cfg", "[options]\npackage_dir = lib\n"),
        ("setup.cfg", "[options]\na\n = b\n[options]\n"),
    ],
)
def test_a_broken_or_odd_configuration_names_no_roots(tmp_path: Path, name: str, text: str) -> None:
    write(tmp_path, {name: text, "lib/a/x.py": "", "test.py": ""})
    assert _roots(tmp_path, "test.py") == ["."]


@pytest.mark.parametrize("name", ["pyproject.toml", "setup.cfg"])
def test_a_configuration_that_is_not_text_names_no_roots(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"\xff\xfe[\x00")
    assert _roots(tmp_path, "test.py") == ["."]


def test_roots_that_the_user_names_come_first_relative_to_here_or_to_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _make(tmp_path, "one/pyproject.toml", "one/lib/x.py", "one/a.py", "two/x.py")
    monkeypatch.chdir(tmp_path)
    assert _roots(tmp_path, "one/a.py", ("lib", "two"))[:2] == ["one/lib", "two"]
    assert _roots(tmp_path, "one/a.py", (str(tmp_path / "two"), "nowhere")) == ["two", "one"]


def test_a_name_that_leads_nowhere_stands_in_the_current_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    _make(tmp_path, "a/b.py")
    assert absolute("./a/new.py") == tmp_path / "a" / "new.py"
    assert absolute("a/../a/b.py") == tmp_path / "a" / "b.py"
    assert absolute("stdin") == tmp_path / "stdin"
    assert absolute("-") == tmp_path / "-"
    assert absolute("gone/c.py") == tmp_path / "c.py"
