"""Comments that silence findings."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import FAULTY, LINE, flake8, start


def _shown(directory: Path, text: str) -> list[str]:
    """The places and codes that flake8 reports for a module."""
    (directory / "noisy.py").write_text(text, encoding="utf-8")
    reports = flake8("--select", "NNX", "noisy.py", cwd=directory).stdout.splitlines()
    return [" ".join(report.split()[:2]) for report in reports]


def _with_comment(comment: str) -> str:
    """`FAULTY` with a comment on the line of its finding."""
    lines = FAULTY.splitlines()
    lines[LINE - 1] += f"  {comment}"
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    "comment", ["# noqa: NNX101", "# noqa:NNX101", "# NOQA: NNX1", "# noqa: E501,NNX101"]
)
def test_a_noqa_comment_silences_its_own_code(tmp_path: Path, comment: str) -> None:
    """However it is spelled."""
    assert _shown(tmp_path, _with_comment(comment)) == []


def test_a_noqa_comment_silences_only_its_own_code(tmp_path: Path) -> None:
    """Another rule's code does not help."""
    (report,) = _shown(tmp_path, _with_comment("# noqa: NNX102"))
    assert report.endswith(" NNX101")


def test_a_bare_noqa_comment_silences_everything_on_its_line(tmp_path: Path) -> None:
    """All codes are meant."""
    assert _shown(tmp_path, _with_comment("# noqa")) == []


def test_a_noqa_comment_on_another_line_silences_nothing(tmp_path: Path) -> None:
    """The draw has its own line."""
    (report,) = _shown(tmp_path, FAULTY.replace("x + noise, 0.0, {})", "x, 0.0, {})  # noqa"))
    assert report.endswith(" NNX101")


def test_a_noqa_comment_covers_all_lines_of_a_multiline_string(tmp_path: Path) -> None:
    """Flake8 joins the lines that one token spans."""
    text = FAULTY.replace(
        "noise = jax.random.normal(self.rngs.noise(), x.shape)",
        'noise = jax.random.normal(self.rngs.noise(), x.shape); """\n        """  # noqa: NNX101',
    )
    assert _shown(tmp_path, text) == []


def test_a_comment_for_the_whole_file_silences_it(tmp_path: Path) -> None:
    """Wherever it stands."""
    assert _shown(tmp_path, f"{FAULTY}\n# flake8: noqa\n") == []


def test_disable_noqa_shows_what_a_comment_hides(tmp_path: Path) -> None:
    """As flake8 has it for all its checks."""
    (tmp_path / "noisy.py").write_text(_with_comment("# noqa: NNX101"), encoding="utf-8")
    done = flake8("--disable-noqa", "noisy.py", cwd=tmp_path)
    assert done.stdout.startswith(start())
