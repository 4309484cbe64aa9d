"""What keeps a fault from being seen at run time, and the same module without it.

A draw is a fault wherever its numbers go, and hurts where they reach what PPO compares. So what a
rule says of a module in which nothing breaks is judged again in the same module with the veil
lifted; only if the rule speaks there too, and what it promises breaks, was it right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from .dimensions_flow import SINKS
from .dimensions_keys import STEPS, Kind
from .recipe import Noise, Recipe
from .render import is_self_contained
from .strategies import runs

_DEAD = frozenset({"nothing", "metrics", "its shape", "memory, never read", "loss of the batch"})
_OF_ONE = frozenset({"first env's", "split of the first env's", "neighbour's"})
_OVER_ENVS = frozenset({"places folded in", "neighbour's key", "first key", "last key"})
_IN_TURN = frozenset({"loop over envs", "map over envs"})
_MAPPED = "normal per env"


@dataclass(frozen=True)
class Veil:
    """Something that hides a fault.

    Attributes:
        why: What it does.
        lifted: The same recipe without it.
        alone: The rules whose fault it hides even where nothing else in the module is broken;
            all if None.
    """

    why: str
    lifted: Callable[[Recipe], Recipe]
    alone: frozenset[str] | None = frozenset()

    def hides(self, code: str, *, is_broken: bool) -> bool:
        """Whether it may hide what a rule reports."""
        return is_broken or self.alone is None or code in self.alone


def lifted(recipe: Recipe, code: str, *, is_broken: bool) -> Iterator[tuple[str, Recipe]]:
    """What may hide the fault that a rule reports, each with the recipe without it.

    Args:
        recipe: The recipe.
        code: The rule.
        is_broken: Whether anything else is broken.
    """
    alive = _each(_alive)(recipe)
    for begin in dict.fromkeys((recipe, alive)):
        for veil in VEILS:
            bare = _fitting(veil.lifted(begin))
            if bare not in (None, recipe) and veil.hides(code, is_broken=is_broken):
                yield veil.why, bare


def _fitting(recipe: Recipe) -> Recipe | None:
    """The recipe, or the nearest whose carry and reset fit what is left; None if nothing does."""
    if not all(map(is_self_contained, recipe.noises)):
        return None
    plainer = replace(recipe, structure="tuple")
    candidates = (recipe, plainer, replace(plainer, reset="missing"))
    return next(filter(runs, candidates), None)


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


def _at_once(noise: Noise) -> Noise:
    return replace(noise, steps=tuple(_MAPPED if s in _IN_TURN else s for s in noise.steps))


def _without_shell(recipe: Recipe) -> Recipe:
    return replace(recipe, shell="none")


def _fresh(_: Noise) -> Noise:
    """With other numbers in every pass."""
    return Noise("streams", steps=("method normal",))


def _kept(recipe: Recipe) -> Recipe:
    is_memory = any(SINKS[noise.sink].memory for noise in recipe.noises)
    return _without_shell(recipe) if is_memory and "dropped" in recipe.shell else recipe


def _first(recipe: Recipe) -> Recipe:
    return replace(recipe, noises=recipe.noises[:1])


def _last(recipe: Recipe) -> Recipe:
    return replace(recipe, noises=recipe.noises[-1:])


VEILS = (
    Veil("its numbers reach nothing that is compared", _each(_alive), None),
    Veil("the memory that its numbers go into is lost", _kept, None),
    Veil(
        "JAX's checker does not see keys of raw words",
        _each(_typed),
        frozenset({"NNX401", "NNX405"}),
    ),
    Veil("the carry that is lost holds no key", _remembered, frozenset({"NNX205"})),
    Veil("every env is given another env's key", _each(_own), frozenset({"NNX202", "NNX204"})),
    Veil("both passes draw the same numbers", _each(_fresh), frozenset({"NNX303"})),
    Veil("keys are drawn from one after the other", _each(_at_once), frozenset({"NNX206"})),
    Veil("another sample", _first),
    Veil("another sample", _last),
    Veil("a container loses extras", _without_shell),
    Veil("a sampler's extras", lambda recipe: replace(recipe, role="layer")),
)
"""The plainest first."""
