"""The sample of the linter's mutants."""

from __future__ import annotations

from collections import Counter

import linter_mutants
from linter_mutants import LEAST, module_of, sampled

MUTANTS = [
    f"linter.rules.{module}.x_check__mutmut_{number}"
    for module, count in (("large", 900), ("small", 90), ("tiny", 3))
    for number in range(count)
]


def test_every_module_has_its_share_of_the_sample() -> None:
    counts = Counter(map(module_of, sampled(MUTANTS, 100, seed=1)))
    assert counts == {"rules.large": 91, "rules.small": 9, "rules.tiny": 3}
    counts = Counter(map(module_of, sampled(MUTANTS, 30, seed=1)))
    assert counts == {"rules.large": 27, "rules.small": LEAST, "rules.tiny": 3}
    counts = Counter(map(module_of, sampled(MUTANTS, 1, seed=1)))
    assert counts == {"rules.large": 1, "rules.small": 1, "rules.tiny": 1}


def test_a_seed_stands_for_a_sample_whatever_the_order() -> None:
    assert sampled(MUTANTS, 100, seed=1) == sampled(MUTANTS[::-1], 100, seed=1)
    assert sampled(MUTANTS, 100, seed=1) != sampled(MUTANTS, 100, seed=2)


def test_the_report_counts_what_was_not_detected() -> None:
    became = {"a.b.x_f__mutmut_1": "killed", "a.b.x_f__mutmut_2": "survived"}
    became |= {"a.c.x_f__mutmut_1": "no tests", "a.c.x_g__mutmut_1": "timeout"}
    told = linter_mutants.report(became)
    assert "undetected: 2 of 4, 50.0%" in told
    assert told.splitlines()[0].split() == ["tried", "killed", "no", "tests", "survived", "timeout"]
    assert [line.split() for line in told.splitlines()[1:4]] == [
        ["b", "2", "1", "0", "1", "0"],
        ["c", "2", "0", "1", "0", "1"],
        ["all", "4", "1", "1", "1", "1"],
    ]
