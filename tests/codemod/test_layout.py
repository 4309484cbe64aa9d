"""The codemod's rooms know only those before them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import flake8_nnx_rng.codemod as codemod

ROOMS = ("text", "envs", "state", "keys", "fixers", "planning", "applying")
ROOT = Path(codemod.__file__).parent
FILES = sorted(path for room in ROOMS for path in (ROOT / room).glob("*.py"))


def test_every_room_has_its_place() -> None:
    assert {path.name for path in ROOT.iterdir() if (path / "__init__.py").exists()} == set(ROOMS)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_file_imports_from_rooms_before_its_own(path: Path) -> None:
    allowed = ROOMS[: ROOMS.index(path.parent.name) + 1]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(codemod.__name__):
            room = (node.module or "").removeprefix(codemod.__name__).strip(".").split(".")[0]
            assert room in allowed or not (ROOT / room).is_dir()
