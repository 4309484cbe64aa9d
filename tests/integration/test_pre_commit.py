"""The hooks stop a faulty commit, as `pre-commit install` sets them up."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from .conftest import FAULTY, SOUND, run, start

pytestmark = pytest.mark.slow

PROJECT = Path(__file__).parents[2]
SHIPPED = ("pyproject.toml", "README.md", "LICENSE", "src", ".pre-commit-hooks.yaml")
"""What pre-commit needs of this project to install it."""

BUILD = 1800
"""Seconds for an environment to be built on a slow machine with cold caches."""

Git = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """Nothing of the user's own git, and one cache of hooks for all tests."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    identity = {
        f"GIT_{role}_{part}": value
        for role in ("AUTHOR", "COMMITTER")
        for part, value in (("NAME", "Tester"), ("EMAIL", "tester@example.com"))
    }
    return {
        **inherited,
        **identity,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "PRE_COMMIT_HOME": str(tmp_path_factory.mktemp("pre-commit-home")),
    }


@pytest.fixture(scope="session")
def git(environment: Mapping[str, str]) -> Git:
    """Runs git in a directory."""

    def command(directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        return run("git", *arguments, cwd=directory, env=environment, timeout=BUILD)

    return command


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory, git: Git) -> Path:
    """This project as a repository of its own, as if it had been cloned."""
    copy = tmp_path_factory.mktemp("published")
    unbuilt = shutil.ignore_patterns("*.egg-info", "__pycache__")
    for name in SHIPPED:
        source = PROJECT / name
        if source.is_dir():
            shutil.copytree(source, copy / name, ignore=unbuilt)
        else:
            shutil.copy2(source, copy / name)
    git(copy, "init", "--initial-branch=main").check_returncode()
    git(copy, "add", "--all").check_returncode()
    git(copy, "commit", "--message=Publish").check_returncode()
    return copy


def _own_hook(published: Path, git: Git, hook: str = "nnx-rng-check") -> str:
    """A configuration that takes a hook from this project's repository."""
    revision = git(published, "rev-parse", "HEAD").stdout.strip()
    return f"""\
repos:
- repo: '{published}'
  rev: {revision}
  hooks:
  - id: {hook}
"""


def _flake8_hook(published: Path, _: Git) -> str:
    """A configuration that adds the plugin to a hook for flake8."""
    return f"""\
repos:
- repo: local
  hooks:
  - id: flake8
    name: flake8
    entry: flake8 --select NNX
    language: python
    types: [python]
    additional_dependencies: [flake8, '{published}']
"""


@pytest.fixture(params=[_own_hook, _flake8_hook], ids=["own hook", "flake8 hook"])
def repository(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    published: Path,
    git: Git,
    environment: Mapping[str, str],
) -> Path:
    """An empty repository with the hook installed."""
    _install(tmp_path, request.param(published, git), git, environment)
    return tmp_path


def _install(directory: Path, configuration: str, git: Git, environment: Mapping[str, str]) -> None:
    """Makes a repository of a directory, with hooks."""
    git(directory, "init", "--initial-branch=main").check_returncode()
    (directory / ".pre-commit-config.yaml").write_text(configuration, encoding="utf-8")
    install = (sys.executable, "-m", "pre_commit", "install", "--install-hooks")
    done = run(*install, cwd=directory, env=environment, timeout=BUILD)
    assert done.returncode == 0, done.stdout + done.stderr


def _commit(git: Git, repository: Path, module: str) -> subprocess.CompletedProcess[str]:
    """Tries to commit a module."""
    (repository / "noisy.py").write_text(module, encoding="utf-8")
    git(repository, "add", "--all").check_returncode()
    return git(repository, "commit", "--message=Add noise")


def _commits(git: Git, repository: Path) -> int:
    return int(git(repository, "rev-list", "--all", "--count").stdout)


def test_a_faulty_module_is_not_committed(git: Git, repository: Path) -> None:
    """The author sees the finding, and the commit does not come to be."""
    done = _commit(git, repository, FAULTY)
    assert done.returncode != 0
    assert start().rstrip() in done.stderr
    assert _commits(git, repository) == 0


def test_a_sound_module_is_committed(git: Git, repository: Path) -> None:
    """The hook has run and has nothing to say."""
    done = _commit(git, repository, SOUND)
    assert "Passed" in done.stderr, done.stderr
    assert done.returncode == 0
    assert _commits(git, repository) == 1


def test_the_commit_goes_through_once_the_module_is_mended(git: Git, repository: Path) -> None:
    """Nothing remains of the refusal."""
    assert _commit(git, repository, FAULTY).returncode != 0
    assert _commit(git, repository, SOUND).returncode == 0
    assert _commits(git, repository) == 1


def test_the_fix_hook_lets_a_faulty_module_through_only_after_another_look(
    tmp_path: Path, published: Path, git: Git, environment: Mapping[str, str]
) -> None:
    """Whether it has rewritten the module or left it with a reason."""
    _install(tmp_path, _own_hook(published, git, "nnx-rng-fix"), git, environment)
    done = _commit(git, tmp_path, FAULTY)
    assert done.returncode != 0
    assert "NNX101" in done.stderr
    assert _commits(git, tmp_path) == 0
    done = _commit(git, tmp_path, SOUND)
    assert "Passed" in done.stderr, done.stderr
    assert _commits(git, tmp_path) == 1


def test_the_manifest_of_hooks_is_valid(tmp_path: Path) -> None:
    """By pre-commit's own schema."""
    manifest = str(PROJECT / ".pre-commit-hooks.yaml")
    done = run(sys.executable, "-m", "pre_commit", "validate-manifest", manifest, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
