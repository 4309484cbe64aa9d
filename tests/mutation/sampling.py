"""The mutants by name, all of them or some."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from .mutants import Mutant, mutants

MUTANTS = {str(mutant): mutant for mutant in mutants()}


def sampled(kind: Callable[[Mutant], object]) -> list[Any]:
    """All mutants; those marked as thorough of which another one is of the same kind."""
    kinds = list(dict.fromkeys(map(kind, MUTANTS.values())))
    chosen = set()
    for number, each in enumerate(kinds):  # not always the same subject
        alike = [name for name, mutant in MUTANTS.items() if kind(mutant) == each]
        chosen.add(alike[number % len(alike)])
    return [
        pytest.param(mutant, id=name, marks=[] if name in chosen else pytest.mark.thorough)
        for name, mutant in MUTANTS.items()
    ]
