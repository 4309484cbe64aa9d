"""A fault that something hides is judged in the same module without it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from .recipe import Noise, Recipe
from .render import source
from .running import counted, in_directory
from .veils import lifted

pytestmark = pytest.mark.slow
pytest.importorskip("nnx_ppo")

CONSTANT = Noise("a constant key", steps=("normal",), sink="nothing")
OWN = Noise(advance="split", seed="split", steps=("normal per env",))


def kinds(recipe: Recipe) -> set[str]:
    return {count.kind for count in counted(recipe, in_directory(recipe))}


def test_a_draw_whose_numbers_reach_nothing_is_judged_where_they_do() -> None:
    assert "hidden" in kinds(Recipe((CONSTANT,)))


def test_a_carry_that_holds_nothing_without_the_veil_is_built_anew() -> None:
    kept = Recipe((replace(CONSTANT, sink="memory, never read"),), structure="bare")
    assert "hidden" in kinds(kept)


def test_numbers_that_go_into_a_memory_which_a_container_loses_are_judged_where_it_is_kept() -> (
    None
):
    lost = Recipe(
        (replace(CONSTANT, sink="memory, read later"),), shell="a container, state dropped"
    )
    assert kinds(lost) == {"hidden", "fixed"}
    assert "hidden" not in kinds(replace(lost, shell="a container"))


def test_extras_that_a_container_loses_are_missed_where_the_passes_draw_other_numbers() -> None:
    stuck = Noise("a key in an attribute", steps=("attribute", "permutation"))
    lost = Recipe((stuck,), role="emitting", shell="a container, extras not returned")
    assert "hidden" in kinds(lost)


def test_raw_keys_are_judged_as_typed_ones_by_the_rules_on_how_keys_are_used() -> None:
    drawn_then_split = Noise(advance="drawn, then split", seed="raw", steps=("normal per env",))
    assert "hidden" in kinds(Recipe((drawn_then_split,)))


def test_what_is_sound_has_nothing_to_lift() -> None:
    assert kinds(Recipe((OWN,))) == set()
    assert list(lifted(Recipe((OWN,)), "NNX101", is_broken=False)) == []


def test_a_lifted_recipe_is_another_module() -> None:
    recipe = Recipe((CONSTANT, OWN))
    for _, bare in lifted(recipe, "NNX106", is_broken=True):
        assert source(bare) != source(recipe)
