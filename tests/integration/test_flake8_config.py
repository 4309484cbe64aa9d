"""Options of flake8 and of the plugin in flake8's configuration files."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import BASE, FAULTY, LINE, OF_UNKNOWN_BASE, flake8, start

CONFIGURATIONS = pytest.mark.parametrize("configuration", ["setup.cfg", "tox.ini", ".flake8"])


def _configure(directory: Path, configuration: str, *options: str) -> None:
    """Writes flake8's section."""
    (directory / configuration).write_text("\n".join(["[flake8]", *options, ""]), encoding="utf-8")


@CONFIGURATIONS
@pytest.mark.parametrize("option", ["nnx-rng-base", "nnx_rng_base"])
def test_a_base_named_in_the_configuration_is_checked(
    tmp_path: Path, configuration: str, option: str
) -> None:
    """Without it the class cannot be known to matter."""
    (tmp_path / "unknown.py").write_text(OF_UNKNOWN_BASE, encoding="utf-8")
    _configure(tmp_path, configuration, f"{option} =", "    acme.Other,", f"    {BASE}")
    done = flake8("unknown.py", cwd=tmp_path)
    assert done.stdout.startswith(start("unknown.py", LINE + 1))
    assert len(done.stdout.splitlines()) == 1


def test_a_base_named_on_the_command_line_is_checked(tmp_path: Path) -> None:
    """The command line does what the configuration does."""
    (tmp_path / "unknown.py").write_text(OF_UNKNOWN_BASE, encoding="utf-8")
    done = flake8("--nnx-rng-base", BASE, "unknown.py", cwd=tmp_path)
    assert done.stdout.startswith(start("unknown.py", LINE + 1))


@CONFIGURATIONS
def test_a_base_named_as_a_sampler_may_draw_for_its_entropy(
    tmp_path: Path, configuration: str
) -> None:
    """What enters only the regularization loss is exempt in samplers and nowhere else."""
    text = OF_UNKNOWN_BASE.replace("x + noise, 0.0", "x, noise.mean()")
    (tmp_path / "sampler.py").write_text(text, encoding="utf-8")
    _configure(tmp_path, configuration, "extend-select = NNX9", f"nnx-rng-sampler = {BASE}")
    assert flake8(cwd=tmp_path).stdout == ""
    _configure(tmp_path, configuration, "extend-select = NNX9", f"nnx-rng-base = {BASE}")
    assert flake8(cwd=tmp_path).stdout.startswith(start("./sampler.py", LINE + 1))


@CONFIGURATIONS
def test_codes_can_be_ignored_in_the_configuration(tmp_path: Path, configuration: str) -> None:
    """By prefix, as all of flake8's codes."""
    (tmp_path / "noisy.py").write_text(FAULTY, encoding="utf-8")
    _configure(tmp_path, configuration, "extend-ignore = NNX1")
    assert flake8(cwd=tmp_path).stdout == ""


@CONFIGURATIONS
def test_nnx900_can_be_asked_for_in_the_configuration(tmp_path: Path, configuration: str) -> None:
    """The plugin sees what the configuration selects."""
    (tmp_path / "unknown.py").write_text(OF_UNKNOWN_BASE, encoding="utf-8")
    _configure(tmp_path, configuration, "extend-select = NNX9")
    assert " NNX900 " in flake8(cwd=tmp_path).stdout


@CONFIGURATIONS
def test_per_file_ignores_spares_only_its_files(tmp_path: Path, configuration: str) -> None:
    """Old modules may be excused while new ones are checked."""
    for name in ("old.py", "new.py"):
        (tmp_path / name).write_text(FAULTY, encoding="utf-8")
    _configure(tmp_path, configuration, "per-file-ignores = old.py: NNX101")
    (report,) = flake8(cwd=tmp_path).stdout.splitlines()
    assert report.startswith(start("./new.py"))


def test_per_file_ignores_of_another_code_spares_nothing(tmp_path: Path) -> None:
    """The code has to match, too."""
    (tmp_path / "noisy.py").write_text(FAULTY, encoding="utf-8")
    done = flake8("--per-file-ignores", "noisy.py: NNX102", "noisy.py", cwd=tmp_path)
    assert " NNX101 " in done.stdout
