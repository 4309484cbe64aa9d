"""Makes a recipe as plain as it can be while something stays true of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from .recipe import Noise, Recipe
from .render import is_self_contained
from .strategies import runs

_PLAIN = Recipe(())
_PLAIN_NOISE = Noise()


def shrunk(recipe: Recipe, holds: Callable[[Recipe], bool]) -> Recipe:
    """The plainest recipe on the way from one, of which something still holds."""
    while True:
        plainer = next((one for one in _plainer(recipe) if holds(one)), None)
        if plainer is None:
            return recipe
        recipe = plainer


def _plainer(recipe: Recipe) -> Iterator[Recipe]:
    """The recipes that are plainer in one place."""
    for n in range(len(recipe.noises)):
        others = recipe.noises[:n] + recipe.noises[n + 1 :]
        if others:
            yield from _valid(replace(recipe, noises=others))
    for name in ("shell", "role", "reset", "memory", "torso", "library", "parameter"):
        if getattr(recipe, name) != getattr(_PLAIN, name):
            yield from _valid(replace(recipe, **{name: getattr(_PLAIN, name)}))
    for n, noise in enumerate(recipe.noises):
        for plain in _plainer_noises(noise):
            noises = (*recipe.noises[:n], plain, *recipe.noises[n + 1 :])
            yield from _valid(replace(recipe, noises=noises))


def _plainer_noises(noise: Noise) -> Iterator[Noise]:
    for name in ("control", "reach", "sink"):
        if getattr(noise, name) != getattr(_PLAIN_NOISE, name):
            yield replace(noise, **{name: getattr(_PLAIN_NOISE, name)})
    if noise.seed not in ("", "split"):
        yield replace(noise, seed="split")


def _valid(recipe: Recipe) -> Iterator[Recipe]:
    if all(map(is_self_contained, recipe.noises)) and runs(recipe):
        yield recipe
