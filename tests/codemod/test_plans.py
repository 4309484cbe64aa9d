"""A rewritten module is clean, and stays as it is; what is left alone is left for a reason."""

from __future__ import annotations

import pytest

pytest.importorskip("nnx_ppo")

from mutation.mutants import Mutant
from mutation.sampling import sampled
from rules.idioms.test_idioms import IDIOMS
from support import module

from .corpus import EXAMPLES, is_clean, rewrites


@pytest.mark.parametrize("name", sorted(IDIOMS))
def test_a_rewritten_idiom_is_clean(name: str) -> None:
    after = rewrites(name, module(IDIOMS[name]))
    assert after is None or is_clean(after)


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_a_rewritten_example_is_clean(name: str) -> None:
    after = rewrites(name, EXAMPLES[name])
    assert after is None or is_clean(after)


@pytest.mark.parametrize("mutant", [m for m in sampled(lambda m: m.fault) if not m.marks])
def test_a_rewritten_mutant_is_clean(mutant: Mutant) -> None:
    after = rewrites(mutant.fault, mutant.source, mutant.subject.cls)
    assert after is None or is_clean(after, mutant.subject.cls)
