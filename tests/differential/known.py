"""Disagreements that are understood and left are counted apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from .recipe import Recipe
from .verdict import NO_RULE, Count, Kind


@dataclass(frozen=True)
class Known:
    """A kind of disagreement.

    Attributes:
        why: What is the matter, and who is wrong.
        kind: What the module counts as.
        told: The rules that speak, or the observables that are broken, as it counts.
        when: Whether a recipe gives such a module.
    """

    why: str
    kind: Kind
    told: frozenset[str]
    when: Callable[[Recipe], bool]


def reason(kinds: Iterable[Known], recipe: Recipe, count: Count) -> str | None:
    """Why a disagreement on a recipe is left; None if it is of none of some kinds."""
    for known in kinds:
        if _is_told(known, count) and known.when(recipe):
            return known.why
    return None


def _is_told(known: Known, count: Count) -> bool:
    """Whether a disagreement is of a kind, in the module as it was or as it was rewritten."""
    kind = Kind.MISSED if count.rule == NO_RULE else Kind.FALSE
    about = count.observable if kind is Kind.MISSED else count.rule
    is_seen = count.kind == kind.value or (count.kind == Kind.BAD_FIX.value and count.observable)
    return known.kind is kind and about in known.told and bool(is_seen)
