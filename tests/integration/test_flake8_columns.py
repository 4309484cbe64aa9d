"""Lines and columns are those that an editor shows, whatever bytes the file is made of."""

from __future__ import annotations

import codecs
import sys
from pathlib import Path

import pytest

from .conftest import DRAW, FAULTY, OF_UNKNOWN_BASE, flake8, run


def _before_the_draw(text: str) -> str:
    """`FAULTY` with a string literal before the draw on its line."""
    return FAULTY.replace("noise = jax", f'_, noise = "{text}", jax')


def _file(text: str, encoding: str = "utf-8") -> tuple[str, bytes]:
    """A module as text and as the bytes of its file."""
    return text, text.encode(encoding)


FILES = {
    "plain": _file(FAULTY),
    "accents": _file(_before_the_draw("é")),
    "beyond the basic plane": _file(_before_the_draw("🎲")),
    "combining characters": _file(_before_the_draw("e\u0301")),
    "wide characters": _file(_before_the_draw("乱数")),
    "line separators in a string": _file(_before_the_draw("\u2028\x85\x1c")),
    "tabs": _file(FAULTY.replace("    ", "\t")),
    "a tab before the draw": _file(_before_the_draw("\t")),
    "form feed": _file(FAULTY.replace("\n\n\nclass", "\n\f\n\nclass")),
    "CRLF": _file(FAULTY.replace("\n", "\r\n")),
    "CR": _file(FAULTY.replace("\n", "\r")),
    "mixed line ends": _file(FAULTY.replace("\n\n", "\r\n\n")),
    "no line end at the end": _file(FAULTY.rstrip()),
    "byte order mark": _file(_before_the_draw("é"), "utf-8-sig"),
    "byte order mark and CRLF": _file(FAULTY.replace("\n", "\r\n"), "utf-8-sig"),
    "latin-1": _file("# coding: latin-1\n" + _before_the_draw("é"), "latin-1"),
    "byte order mark and cookie": _file("# coding: utf-8\n" + _before_the_draw("é"), "utf-8-sig"),
    "continued line": _file(FAULTY.replace("noise = jax", "noise = \\\n    jax")),
}


def _place(text: str) -> str:
    """Where the draw of a module stands, lines and columns counted from 1."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    (line,) = (number for number, line in enumerate(lines) if "normal(" in line)
    return f"{line + 1}:{lines[line].index(DRAW) + 1}"


@pytest.mark.parametrize("face", ["file", "standard input", "command"])
@pytest.mark.parametrize("name", FILES)
def test_the_place_is_that_of_the_draw(tmp_path: Path, name: str, face: str) -> None:
    """In code points, a tab being one, on the line that an editor counts."""
    text, data = FILES[name]
    (tmp_path / "noisy.py").write_bytes(data)
    if face == "file":
        done = flake8("--select", "NNX", "noisy.py", cwd=tmp_path)
    elif face == "standard input":
        options = ("--select", "NNX", "--stdin-display-name", "noisy.py", "-")
        done = flake8(*options, cwd=tmp_path, stdin=data)
    else:
        command = (sys.executable, "-m", "flake8_nnx_rng", "check", "--format", "short")
        done = run(*command, "noisy.py", cwd=tmp_path)
    (line,) = done.stdout.splitlines()
    assert line.startswith(f"noisy.py:{_place(text)}: NNX101 ")


def test_a_byte_order_mark_takes_no_column(tmp_path: Path) -> None:
    """It stands on the first line, where the class of this file begins."""
    header, _, module = OF_UNKNOWN_BASE.partition("\n\n\n")
    (tmp_path / "noisy.py").write_bytes(codecs.BOM_UTF8 + f"{module}\n\n{header}\n".encode())
    done = flake8("--select", "NNX9", "noisy.py", cwd=tmp_path)
    assert done.stdout.startswith("noisy.py:1:7: NNX900 ")
