"""Recipes: composed by whoever picks, Hypothesis or a seeded generator."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from hypothesis import strategies as st

from .dimensions_flow import CONTROLS, REACHES, SINKS
from .dimensions_keys import SOURCES, STEPS, Kind, steps_from
from .dimensions_roles import ROLES, SHELLS
from .dimensions_state import ADVANCES, RESETS, SEEDS, STRUCTURES
from .recipe import Noise, Recipe, has_base
from .render import is_self_contained

T = TypeVar("T")
Pick = Callable[[Sequence[str]], str]

LONGEST = 3
"""Steps from a source to numbers, as far as there is a choice."""

PARAMETERS = ("rngs: nnx.Rngs", "rngs: nnx.Rngs", "rngs")
TORSOS = ("x", "jnp.tanh(x)", "self.torso(x)")
_QUIET = frozenset(
    {
        "no noise",
        "deterministic dropout",
        "dropout of rate zero",
        "a counter",
        "batch normalisation",
    }
)
_BATCH = {"loss": "loss of the batch"}
LIBRARIES = ("nnx_ppo", "nnx_ppo", "nnx_ppo_ref")


def composed(pick: Pick) -> Recipe:
    """A recipe of what is picked."""
    number = 2 if pick(_mostly("one", ("two",), 4)) == "two" else 1
    noises = [_noise(pick) for _ in range(number)]
    role = pick(_mostly("layer", ROLES, 10))
    if ROLES[role].samples:
        noises[0] = _drawn(replace(noises[0], sink="output"))
    if role == "sampler, drawn only without extras":
        noises = noises[:1]
    if any(noise.sink == "loss of the batch" for noise in noises):
        # In the loss of each env, a mean over the batch differs in a minibatch, noise or not.
        noises = [replace(one, sink=_BATCH.get(one.sink, one.sink)) for one in noises]
    if number == 2 and all(map(has_base, noises)):
        noises[-1] = replace(noises[-1], reach="directly")
    recipe = Recipe(
        noises=tuple(noises),
        role=role,
        shell=pick(_mostly("none", SHELLS, 12)),
        memory=pick(("no", "no", "yes")) == "yes",
        torso=pick(_mostly("x", TORSOS, 2)),
        library=pick(LIBRARIES),
        parameter=pick(PARAMETERS),
    )
    if role == "sampler, noise kept":  # the oracle moves parameters to see whether an action moves
        recipe = replace(recipe, torso="self.torso(x)")
    structures = [name for name in STRUCTURES if runs(replace(recipe, structure=name))]
    resets = [name for name in RESETS if runs(replace(recipe, reset=name))]
    return replace(
        recipe,
        structure=pick(structures),
        reset=pick(_mostly("missing", _mostly("passed", resets, 3), 6)),
    )


def _drawn(noise: Noise) -> Noise:
    """The sample of a sampler, which draws: one that draws nothing has no sample to take back."""
    if noise.source in _QUIET:
        noise = replace(noise, source="streams", steps=("method normal",))
    return replace(noise, reach="directly") if noise.reach == "nothing" else noise


def runs(recipe: Recipe) -> bool:
    """Whether the parts of a recipe fit: words of a raw key are no keys to a reset."""
    slots, one = list(recipe.slots()), RESETS[recipe.reset]
    is_raw = any(noise.seed == "raw" for noise in recipe.noises)
    if is_raw and one is not None and (one.key or recipe.reset == "zeros"):
        return False
    if not slots and one is not None and not one.whole:
        return False
    return not STRUCTURES[recipe.structure].single or len(slots) == 1


def _noise(pick: Pick) -> Noise:
    if pick(_mostly("held", ("carried",), 1)) == "held":
        source = pick(_mostly("streams", SOURCES, 12))
        noise, kind = Noise(source=source), SOURCES[source].kind
    else:
        advance = pick(_mostly("split", ADVANCES, 14))
        noise, kind = Noise(advance=advance), ADVANCES[advance].gives
        if ADVANCES[advance].key:
            noise = replace(noise, seed=pick(_mostly("split", SEEDS, 8)))
    steps: list[str] = []
    while kind is not Kind.NOISE:
        choice = steps_from(kind)
        final = [name for name in choice if STEPS[name].gives is Kind.NOISE]
        last = len(steps) >= LONGEST or pick(("on", "end")) == "end"
        steps.append(pick(final if last and final else choice))
        kind = STEPS[steps[-1]].gives
    noise = replace(
        noise,
        steps=tuple(steps),
        control=pick(_mostly("straight", CONTROLS, 14)),
        reach=pick(_mostly("directly", REACHES, 12)),
        sink=pick(_mostly("output", SINKS, 10)),
    )
    return noise if is_self_contained(noise) else replace(noise, reach="directly")


def _mostly(plain: str, others: Iterable[str], weight: int) -> list[str]:
    """The plain one so many times, and each of the others once."""
    return [*[plain] * weight, *others]


@st.composite
def recipes(draw: st.DrawFn) -> Recipe:
    """Recipes that Hypothesis can shrink: what is plain comes first in every choice."""
    return composed(lambda options: draw(st.sampled_from(options)))


def seeded(seed: int, number: int) -> Recipe:
    """The recipe of a number under a seed."""
    return composed(random.Random(f"{seed}/{number}").choice)


def distinct(seed: int, count: int, source: Callable[[Recipe], object]) -> Iterator[Recipe]:
    """So many recipes under a seed, no two of which give the same source."""
    seen: set[object] = set()
    number = 0
    while len(seen) < count:
        recipe = seeded(seed, number)
        text = source(recipe)
        number += 1
        if text not in seen:
            seen.add(text)
            yield recipe
