"""Every Python file of the standard library and of what is installed here, through every face."""

from __future__ import annotations

import sysconfig
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from flake8_nnx_rng.lint import Settings
from flake8_nnx_rng.source import SourceError, may_matter
from flake8_nnx_rng.source.document import decode

from .faces import FACES, through

pytestmark = [pytest.mark.slow, pytest.mark.thorough]

TREES = {
    "the standard library": Path(sysconfig.get_paths()["stdlib"]),
    "site-packages": Path(sysconfig.get_paths()["purelib"]),
}
SHARDS = 8
EVERY = 20
"""What cannot matter `fix` only reads, as `check` does; libcst's tool parses it, which takes hours:
only a sample of it goes through these two."""


@cache
def files(tree: str) -> tuple[Path, ...]:
    """The files of a tree; site-packages may lie in that of the standard library."""
    root = TREES[tree]
    others = [other for other in TREES.values() if other != root and other.is_relative_to(root)]
    return tuple(
        path
        for path in sorted(root.rglob("*.py"))
        if path.is_file() and not any(path.is_relative_to(other) for other in others)
    )


def _faces(number: int, data: bytes) -> Iterator[str]:
    try:
        matters = may_matter(decode(data, "").text, Settings().markers())
    except SourceError:
        matters = True
    everything = matters or number % EVERY == 0
    yield from (name for name in FACES if everything or name in ("flake8", "fix"))


@pytest.mark.parametrize("shard", range(SHARDS))
@pytest.mark.parametrize("tree", TREES)
def test_every_file_is_read_or_refused_by_every_face(tree: str, shard: int) -> None:
    counted: Counter[str] = Counter()
    for number, path in enumerate(files(tree)[shard::SHARDS]):
        data = path.read_bytes()
        for name in _faces(number, data):
            refused = through(FACES[name], path, data) is None
            counted[f"{name}: {'refused' if refused else 'read'}"] += 1
    print(f"{tree}, part {shard}:", dict(sorted(counted.items())))
    assert counted["fix: read"] > 100
