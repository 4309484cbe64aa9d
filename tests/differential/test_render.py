"""Recipes become files that Python can read, and every entry of the tables is used."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator

import pytest
from hypothesis import given, settings

from .dimensions_flow import CONTROLS, REACHES, SINKS
from .dimensions_keys import SOURCES, STEPS
from .dimensions_roles import ROLES, SHELLS
from .dimensions_state import ADVANCES, RESETS, SEEDS, STRUCTURES
from .recipe import Recipe
from .render import MODULE, source
from .shrinking import shrunk
from .strategies import distinct, recipes, seeded
from .verdict import as_text

TABLES = {
    "sources": SOURCES,
    "steps": STEPS,
    "advances": ADVANCES,
    "seeds": SEEDS,
    "controls": CONTROLS,
    "reaches": REACHES,
    "sinks": SINKS,
    "roles": ROLES,
    "shells": SHELLS,
    "structures": STRUCTURES,
    "resets": RESETS,
}


@settings(max_examples=150, deadline=None)
@given(recipes())
def test_every_recipe_gives_files_that_python_reads_without_places_left_empty(
    recipe: Recipe,
) -> None:
    files = source(recipe)
    assert list(files)[-1] == MODULE
    for text in files.values():
        tree = ast.parse(text)
        assert "$" not in text
        assert tree.body
    assert any(
        isinstance(node, ast.ClassDef) and node.name == "M"
        for node in ast.parse(files[MODULE]).body
    )


def names(recipe: Recipe) -> Iterator[str]:
    yield from (recipe.role, recipe.shell, recipe.structure, recipe.reset)
    for noise in recipe.noises:
        yield from (noise.source, noise.advance, noise.seed, *noise.steps)
        yield from (noise.control, noise.reach, noise.sink)


@functools.cache
def used() -> frozenset[str]:
    return frozenset(name for number in range(3000) for name in names(seeded(1, number)))


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_every_entry_of_a_table_is_used_by_some_of_three_thousand(table: dict[str, object]) -> None:
    assert set(table) - used() == set()


def test_a_seed_always_gives_the_same_modules_and_none_twice() -> None:
    first = [source(recipe) for recipe in distinct(5, 60, lambda r: as_text(source(r)))]
    again = [source(recipe) for recipe in distinct(5, 60, lambda r: as_text(source(r)))]
    assert first == again
    assert len({as_text(files) for files in first}) == 60
    other = [source(recipe) for recipe in distinct(6, 60, lambda r: as_text(source(r)))]
    assert other != first


def test_a_recipe_shrinks_to_the_plainest_that_still_does_it() -> None:
    for number in range(30):
        recipe = seeded(3, number)
        wanted = recipe.noises[0].control
        plain = shrunk(recipe, lambda one: any(n.control == wanted for n in one.noises))  # noqa: B023
        assert len(plain.noises) == 1
        assert (plain.role, plain.shell, plain.reset) == ("layer", "none", "missing")
        assert (plain.noises[0].control, plain.noises[0].reach) == (wanted, "directly")
