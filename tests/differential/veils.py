"""What keeps a fault from being seen at run time, and the same module without it.

A draw is a fault wherever its numbers go, and hurts where they reach what PPO compares. So what a
rule says of a module in which nothing breaks is judged again in the same module with the veil
lifted; only if the rule speaks there too, and what it promises breaks, was it right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from .dimensions_keys import STEPS, Kind
from .recipe import Noise, Recipe
from .render import is_self_contained
from .strategies import runs

_DEAD = frozenset({"nothing", "metrics", "its shape", "memory, never read", "loss of the batch"})
_OF_ONE = frozenset({"first env's", "split of the first env's", "neighbour's"})
_OVER_ENVS = frozenset({"places folded in", "neighbour's key", "first key", "last key"})
_MAPPED = "normal per env"


@dataclass(frozen=True)
class Veil:
    """Something that hides a fault.

    Attributes:
        why: What it does.
        lifted: The same recipe without it.
        alone: Whether it hides a fault even where nothing else in the module is broken.
    """

    why: str
    lifted: Callable[[Recipe], Recipe]
    alone: bool = True


def lifted(recipe: Recipe, *, is_broken: bool) -> Iterator[tuple[str, Recipe]]:
    """What hides faults in a recipe, each with the recipe without it.

    Args:
        recipe: The recipe.
        is_broken: Whether anything is broken as it is.
    """
    alive = _each(_alive)(recipe)
    for begin in dict.fromkeys((recipe, alive)):
        for veil in VEILS:
            bare = veil.lifted(begin)
            if bare != recipe and (veil.alone or is_broken) and _is_sound(bare):
                yield veil.why, bare


def _is_sound(recipe: Recipe) -> bool:
    return all(map(is_self_contained, recipe.noises)) and runs(recipe)


def _each(change: Callable[[Noise], Noise]) -> Callable[[Recipe], Recipe]:
    return lambda recipe: replace(recipe, noises=tuple(map(change, recipe.noises)))


def _alive(noise: Noise) -> Noise:
    if noise.reach == "nothing":
        noise = replace(noise, reach="a helper")
    return replace(noise, sink="output") if noise.sink in _DEAD else noise


def _typed(noise: Noise) -> Noise:
    if noise.source == "a raw key in a Variable":
        noise = replace(noise, source="a key in a Variable")
    return replace(noise, seed="split") if noise.seed == "raw" else noise


def _remembered(recipe: Recipe) -> Recipe:
    """With a key in the carry, as it is noise that tells whether a carry goes on."""
    if "dropped" not in recipe.shell:
        return recipe
    key = Noise(advance="split", seed="split", steps=(_MAPPED,))
    return replace(recipe, role="layer", noises=(key, *recipe.noises[1:]))


def _own(noise: Noise) -> Noise:
    """With each env's own key, drawn from in a map over the envs."""
    if noise.advance in _OF_ONE:
        return replace(noise, advance="split", steps=(_MAPPED,))
    kept: list[str] = []
    for step in noise.steps:
        if step in _OVER_ENVS:
            if STEPS[step].gives is Kind.KEY:
                return replace(noise, steps=(*kept, _MAPPED))
            continue
        kept.append(step)
    return replace(noise, steps=tuple(kept))


def _without_shell(recipe: Recipe) -> Recipe:
    return replace(recipe, shell="none")


def _first(recipe: Recipe) -> Recipe:
    return replace(recipe, noises=recipe.noises[:1])


def _last(recipe: Recipe) -> Recipe:
    return replace(recipe, noises=recipe.noises[-1:])


VEILS = (
    Veil("its numbers reach nothing that is compared", _each(_alive)),
    Veil("JAX's checker does not see keys of raw words", _each(_typed)),
    Veil("the carry that is lost holds no key", _remembered),
    Veil("every env is given another env's key", _each(_own), alone=False),
    Veil("another sample", _first, alone=False),
    Veil("another sample", _last, alone=False),
    Veil("a container loses extras", _without_shell, alone=False),
    Veil(
        "a sampler's extras",
        lambda recipe: replace(recipe, role="layer"),
        alone=False,
    ),
)
"""The plainest first."""
