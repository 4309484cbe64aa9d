"""Linter, oracle and codemod agree on modules that are composed at random."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest

from .project import Project
from .recipe import Recipe
from .render import source
from .running import counted, explained
from .shrinking import shrunk
from .strategies import distinct
from .verdict import Count, Verdict, as_text, judged

pytestmark = pytest.mark.slow
pytest.importorskip("nnx_ppo")

SEED, CHUNKS, SIZE = 1, 38, 8
"""So many chunks of so many modules, which processes can share."""


@functools.cache
def modules() -> list[Recipe]:
    return list(distinct(SEED, CHUNKS * SIZE, lambda recipe: as_text(source(recipe))))


def disagreements(recipe: Recipe, verdict: Verdict) -> set[Count]:
    return {count for count in counted(recipe, verdict) if count.disagrees}


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_what_is_read_is_what_is_seen_and_what_is_rewritten_is_sound(
    chunk: int, tmp_path: Path
) -> None:
    project = Project(tmp_path.resolve() / "project")

    def wrong(recipe: Recipe) -> set[Count]:
        return disagreements(recipe, judged(source(recipe), project))

    for recipe in modules()[chunk * SIZE : (chunk + 1) * SIZE]:
        found = wrong(recipe)
        if found:
            plain = shrunk(recipe, lambda one: not found.isdisjoint(wrong(one)))  # noqa: B023
            pytest.fail(explained(plain, judged(source(plain), project)))
