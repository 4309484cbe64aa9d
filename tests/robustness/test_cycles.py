"""Hundreds of files that import each other in a circle: followed to the end, in bounded time."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from planning import noisy, write
from support import PRELUDE, module

pytestmark = pytest.mark.slow

COMMANDS = {"check --extend-select NNX9": 300, "fix --check --extend-select NNX9": 60}
"""How many files; a class and all that it derives from are rewritten together."""


def _stars(here: str, following: str, base: str) -> str:
    return f"from {following} import *\n{base}"


def _names(here: str, following: str, base: str) -> str:
    return base or f"from {following} import Base\n"


def _modules(here: str, following: str, base: str) -> str:
    return f"import {following}\n" + (base or f"class Base({following}.Base): pass\n")


def _itself(here: str, following: str, base: str) -> str:
    return f"import {here}\nfrom {here} import *\n" + _stars(here, following, base)


def _nothing(here: str, following: str, base: str) -> str:
    return f"from {following} import *\nfrom {here} import Base as Base\n"


FILES: dict[str, tuple[Callable[[str, str, str], str], str]] = {
    "stars": (_stars, "NNX101"),
    "names": (_names, "NNX101"),
    "modules": (_modules, "NNX101"),
    "files that import themselves": (_itself, "NNX101"),
    "names that are nowhere": (_nothing, "NNX900"),
}
"""What each file says, by its name, that of the next and the base if it is there; what is found."""


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize(
    "command", [pytest.param(n, marks=pytest.mark.thorough if "fix" in n else []) for n in COMMANDS]
)
def test_files_that_import_each_other_in_a_circle_are_followed(
    tmp_path: Path, kind: str, command: str
) -> None:
    make, found = FILES[kind]
    count = COMMANDS[command]
    names = [f"m{at:03}" for at in range(count)]
    write(tmp_path, "pyproject.toml", "")
    for at, here in enumerate(names):
        base = noisy("Base") if at == count // 2 else ""
        write(tmp_path, f"{here}.py", PRELUDE + make(here, names[(at + 1) % count], base))
    leaf = noisy("Leaf", base="Base")
    write(tmp_path, "leaf.py", module(f"from m000 import Base\n{leaf}"))
    done = subprocess.run(
        [sys.executable, "-P", "-m", "flake8_nnx_rng", *command.split(), "leaf.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (done.returncode, done.stderr) == (1, ""), done.stdout + done.stderr
    assert found in done.stdout
