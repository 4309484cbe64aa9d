"""A run of flake8 with the plugin installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import DRAW, FAULTY, OF_UNKNOWN_BASE, SOUND, flake8, start


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A directory with one faulty module."""
    (tmp_path / "noisy.py").write_text(FAULTY, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    "options",
    [(), ("--select", "NNX"), ("--select", "NNX101"), ("--extend-select", "NNX")],
    ids=["default", "select-plugin", "select-code", "extend-select"],
)
def test_the_finding_is_shown_once_whether_or_not_it_is_selected_by_name(
    project: Path, options: tuple[str, ...]
) -> None:
    """The plugin's codes are on by default."""
    done = flake8(*options, "noisy.py", cwd=project)
    (line,) = done.stdout.splitlines()
    assert line.startswith(start())
    assert DRAW.removesuffix("()") in line
    assert (done.returncode, done.stderr) == (1, "")


def test_a_directory_is_searched_for_modules(project: Path) -> None:
    """No argument means the current directory."""
    assert flake8(cwd=project).stdout.startswith(start("./noisy.py"))


@pytest.mark.parametrize(
    "options", [("--select", "E,W,F"), ("--extend-ignore", "NNX101"), ("--extend-ignore", "NNX")]
)
def test_a_finding_that_is_not_wanted_is_not_shown(project: Path, options: tuple[str, ...]) -> None:
    """Selection is flake8's."""
    done = flake8(*options, "noisy.py", cwd=project)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_sound_module_passes(tmp_path: Path) -> None:
    """Nothing found is exit status 0."""
    (tmp_path / "sound.py").write_text(SOUND, encoding="utf-8")
    done = flake8("sound.py", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_standard_input_is_reported_under_its_display_name(tmp_path: Path) -> None:
    """As editors run it."""
    name = "layers/noisy.py"
    done = flake8("--stdin-display-name", name, "-", cwd=tmp_path, stdin=FAULTY.encode())
    assert done.stdout.startswith(start(name))
    assert done.returncode == 1


def test_a_syntax_error_stays_a_report_of_flake8_itself(tmp_path: Path) -> None:
    """A tree that cannot be built is not the plugin's to report."""
    (tmp_path / "broken.py").write_text(FAULTY + "\n\ndef (:\n", encoding="utf-8")
    done = flake8("--select", "NNX,E9", "broken.py", cwd=tmp_path)
    (line,) = done.stdout.splitlines()
    assert " E999 SyntaxError" in line
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize("options", [(), ("--select", "NNX"), ("--extend-select", "NNX")])
def test_a_class_whose_base_cannot_be_found_is_passed_over_in_silence(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    """Most such classes are no modules of nnx-ppo."""
    (tmp_path / "unknown.py").write_text(OF_UNKNOWN_BASE, encoding="utf-8")
    done = flake8(*options, "unknown.py", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("code", ["NNX9", "NNX900"])
def test_nnx900_is_shown_to_who_asks_for_it(tmp_path: Path, code: str) -> None:
    """It points at the name of the class and names the base."""
    (tmp_path / "unknown.py").write_text(OF_UNKNOWN_BASE, encoding="utf-8")
    done = flake8("--extend-select", code, "unknown.py", cwd=tmp_path)
    (line,) = done.stdout.splitlines()
    assert line.startswith("unknown.py:7:7: NNX900 Noisy was not analysed")
    assert "acme.layers.Layer" in line
    assert done.returncode == 1


def test_the_help_lists_the_options_of_the_plugin(tmp_path: Path) -> None:
    """They are registered with flake8."""
    shown = flake8("--help", cwd=tmp_path).stdout
    assert "--nnx-rng-base" in shown
    assert "--nnx-rng-sampler" in shown


def test_the_version_lists_the_plugin(tmp_path: Path) -> None:
    """A report about flake8 says that the plugin was there."""
    assert "flake8-nnx-rng: " in flake8("--version", cwd=tmp_path).stdout
