"""libcst's own tool runs the codemod."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import libcst as cst
import pytest
from libcst.codemod import CodemodContext
from planning import DRAW, MENDED, NOISY, SOUND, mend, mend_with_bases, noisy, write
from support import module

import flake8_nnx_rng
from flake8_nnx_rng.adapters.libcst_tool import Fix

PLANNER = "flake8_nnx_rng.adapters.fix.planner"
TESTS = Path(__file__).parent.parent

TOOL = f"""
import sys
sys.path.insert(0, {str(TESTS)!r})
import planning
from flake8_nnx_rng.adapters import fix
from libcst.tool import main
fix.planner = planning.mend
sys.exit(main("libcst.tool", sys.argv[1:]))
"""
"""`python -m libcst.tool` with a planner for tests."""


def _tool(
    *arguments: str, start: tuple[str, ...] = ("-c", TOOL)
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *start, "codemod", "-x", "flake8_nnx_rng.Fix", "--no-format"]
    return subprocess.run(
        [*command, *arguments], capture_output=True, check=False, text=True, timeout=300
    )


def _fix(data: bytes, name: str = "a.py", **options: object) -> tuple[bytes, list[str]]:
    context = CodemodContext(filename=str(Path(name).absolute()))
    result = Fix(context, **options).transform_module(cst.parse_module(data))
    return result.bytes, context.warnings


def test_a_tree_is_fixed(directory: Path) -> None:
    for number in range(6):
        write(directory, f"file{number}.py", NOISY)
    done = _tool("-j", "1", ".")
    assert done.returncode == 0, done.stderr
    assert "Transformed 6 files successfully" in done.stderr
    assert {path.read_text("utf-8") for path in directory.glob("*.py")} == {SOUND}


def test_what_is_left_is_a_warning(directory: Path) -> None:
    write(directory, "a.py", module(noisy("UnsafeOne")))
    done = _tool("a.py")
    assert "UnsafeOne: left NNX101: the carry changes (unsafe: --unsafe-fixes" in done.stderr
    assert "1 warnings were generated" in done.stderr
    assert _tool("--unsafe-fixes", "a.py").returncode == 0
    assert (directory / "a.py").read_text("utf-8") == module(noisy("UnsafeOne", draw=MENDED))


def test_a_file_that_is_no_python_is_a_failure(directory: Path) -> None:
    write(directory, "a.py", "# nnx_ppo\ndef f(:\n")
    done = _tool("a.py")
    assert done.returncode == 1
    assert "Failed to codemod 1 files" in done.stderr


def test_the_command_is_found_without_any_help(directory: Path) -> None:
    """As a user calls it; the real planner decides on what becomes of the class."""
    write(directory, "a.py", SOUND)
    done = _tool("a.py", start=("-m", "libcst.tool"))
    assert done.returncode == 0, done.stderr
    assert "Transformed 1 files successfully" in done.stderr
    assert (directory / "a.py").read_text("utf-8") == SOUND


def test_the_command_has_options_of_its_own(directory: Path) -> None:
    done = _tool("--help", start=("-m", "libcst.tool"))
    assert "--unsafe-fixes" in done.stdout
    assert "--nnx-rng-base" in done.stdout
    assert "carry one key for each environment" in " ".join(done.stdout.split())


@pytest.mark.parametrize(
    "data",
    [
        NOISY.encode(),
        NOISY.rstrip("\n").encode(),
        b"\xef\xbb\xbf" + NOISY.replace("\n", "\r\n").encode(),
        b"# coding: latin-1\r\n# \xe9\n" + NOISY.encode(),
        "# é\r\n\f\n".encode() + NOISY.encode(),
    ],
)
def test_the_bytes_are_those_that_nnx_rng_fix_writes(
    directory: Path, monkeypatch: pytest.MonkeyPatch, data: bytes
) -> None:
    monkeypatch.setattr(PLANNER, mend)
    assert _fix(data) == (data.replace(DRAW.encode(), MENDED.encode()), [])


def test_options_reach_the_codemod(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PLANNER, mend)
    assert _fix(NOISY.encode(), select=["NNX2"]) == (NOISY.encode(), [])
    text = "import acme\n" + module(noisy("Noisy", base="acme.Layer"))
    assert _fix(text.encode()) == (text.encode(), [])
    assert _fix(text.encode(), nnx_rng_base=["acme.Layer"])[0] != text.encode()


def test_a_class_that_changes_other_files_is_left_to_nnx_rng_fix(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PLANNER, mend_with_bases)
    write(directory, "base.py", "# base\n")
    data, warnings = _fix(NOISY.encode())
    assert data == NOISY.encode()
    assert [warning.rpartition(": ")[2] for warning in warnings] == [
        "other files must change with it; name the files to nnx-rng fix"
    ]


def test_the_package_has_no_other_lazy_name() -> None:
    assert flake8_nnx_rng.Fix is Fix  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        flake8_nnx_rng.Nothing  # type: ignore[attr-defined]  # noqa: B018
