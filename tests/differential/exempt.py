"""What the catalogue of rules exempts, though an observable breaks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .recipe import Recipe
from .verdict import NO_RULE, Count


@dataclass(frozen=True)
class Exemption:
    """A kind of module that no rule reports.

    Attributes:
        why: What the catalogue says.
        observables: What breaks.
        when: Whether a recipe gives such a module.
    """

    why: str
    observables: frozenset[str]
    when: Callable[[Recipe], bool]


def exempted(recipe: Recipe, count: Count) -> str | None:
    """Why a rule need not speak of what is broken; None if one should."""
    if count.rule != NO_RULE:
        return None
    fitting = (e for e in EXEMPTIONS if count.observable in e.observables and e.when(recipe))
    return next((exemption.why for exemption in fitting), None)


def _takes_from_input(recipe: Recipe) -> bool:
    others = {"first key", "last key", "neighbour's key"}
    return any(
        noise.source == "a key from the input" and not others.isdisjoint(noise.steps)
        for noise in recipe.noises
    )


def _has_common_counter(recipe: Recipe) -> bool:
    return any(noise.advance == "stored key and counter" for noise in recipe.noises)


EXEMPTIONS = (
    Exemption(
        "a carried counter folded into a class-level key is never reported, though counters that "
        "start equal give all envs the same noise",
        frozenset({"independence"}),
        _has_common_counter,
    ),
    Exemption(
        "keys derived from the input are never reported, though another env's may be used",
        frozenset({"replay", "independence"}),
        _takes_from_input,
    ),
)
"""The first that fits is given."""
