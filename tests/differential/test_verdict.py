"""How what is said is held against what is seen."""

from __future__ import annotations

from collections import Counter

import pytest

from flake8_nnx_rng.findings import Finding

from .recipe import Noise, Recipe
from .report import apart, table
from .running import counted
from .verdict import NO_RULE, Count, Sight, Verdict

REPLAY = frozenset({"replay"})


def sight(codes: str = "", broken: str = "", unjudged: str = "") -> Sight:
    findings = tuple(Finding.of_file("m.py", 1, code, "is wrong") for code in codes.split())
    return Sight(findings, frozenset(broken.split()), frozenset(unjudged.split()), "")


def kinds(seen: Sight) -> set[tuple[str, str, str]]:
    return {(count.rule, count.observable, count.kind) for count in seen.counts()}


def test_what_a_rule_promises_and_what_is_broken_agree() -> None:
    both = {("NNX101", "replay", "agreed"), ("NNX101", "purity", "agreed")}
    assert kinds(sight("NNX101", "replay purity")) == both


def test_nothing_said_and_nothing_seen_counts_nowhere() -> None:
    assert kinds(sight()) == set()


def test_what_is_broken_and_explained_by_no_rule_is_missed() -> None:
    assert kinds(sight("", "replay")) == {(NO_RULE, "replay", "missed")}
    assert (NO_RULE, "lock", "missed") in kinds(sight("NNX201", "lock"))


def test_a_rule_of_which_nothing_is_broken_is_a_false_alarm() -> None:
    assert kinds(sight("NNX203")) == {("NNX203", "replay", "false")}


def test_what_only_strict_rules_protect_counts_once_the_rest_is_sound() -> None:
    assert kinds(sight("", "hygiene")) == {(NO_RULE, "hygiene", "missed")}
    assert ("NNX106", "replay", "agreed") in kinds(sight("NNX106", "replay lockstep"))
    assert not {kind for _, _, kind in kinds(sight("NNX106", "replay lockstep"))} - {"agreed"}


def test_what_cannot_be_seen_as_the_module_does_not_run_is_no_false_alarm() -> None:
    seen = kinds(sight("NNX101", "trace", "replay purity"))
    assert {kind for _, _, kind in seen} == {"agreed"}


def test_a_rewrite_is_bad_if_it_breaks_what_was_sound() -> None:
    verdict = Verdict(sight("NNX101", "replay"), sight("", "trace"))
    assert Count(NO_RULE, "trace", "bad fix") in set(verdict.counts())
    assert Count("NNX101", "", "fixed") not in set(verdict.counts())


def test_a_rewrite_is_not_to_blame_for_what_was_missed_before() -> None:
    verdict = Verdict(sight("NNX101", "replay lock"), sight("", "lock"))
    assert Count(NO_RULE, "lock", "missed") in set(verdict.counts())
    assert Count("NNX101", "", "fixed") in set(verdict.counts())


@pytest.mark.parametrize(("after", "kind"), [(None, "refused"), (sight(), "fixed")])
def test_a_module_is_refused_or_fixed(after: Sight | None, kind: str) -> None:
    assert Count("NNX101", "", kind) in set(Verdict(sight("NNX101", "replay"), after).counts())


def test_a_fault_of_the_rewrite_counts_for_all_of_its_rules() -> None:
    verdict = Verdict(sight("NNX101", "replay"), sight(), faults=("a second fix changes it again",))
    assert verdict.disagreements == [Count("NNX101", "", "bad fix")]


def test_what_the_catalogue_exempts_is_counted_apart_where_its_cause_is_in_the_recipe() -> None:
    exempt = Recipe((Noise(advance="stored key and counter", steps=("normal per env",)),))
    other = Recipe((Noise(advance="split", seed="split", steps=("normal per env",)),))
    verdict = Verdict(sight("", "independence"))
    assert {c.kind for c in counted(exempt, verdict)} == {"exempt"}
    assert {c.kind for c in counted(other, verdict)} == {"missed"}


def test_why_something_is_counted_apart_is_listed_with_its_number() -> None:
    one, other = (Count("NNX106", "replay", "hidden", why) for why in ("a limit", "another"))
    assert apart(Counter([one, other, other])) == "- 2 hidden: another\n- 1 hidden: a limit"


def test_the_table_has_a_row_for_each_rule_and_observable_and_a_sum() -> None:
    counts = Counter([Count("NNX101", "replay", "agreed")] * 2 + [Count("NNX101", "", "fixed")])
    lines = table(counts).splitlines()
    assert lines[0].split()[:3] == ["rule", "observable", "agreed"]
    assert [line.split()[:3] for line in lines[1:]] == [
        ["NNX101", "(any)", "1"],
        ["NNX101", "replay", "2"],
        ["all", "2", "0"],
    ]
    assert table(counts, markdown=True).splitlines()[1].startswith("| --- | --- |")
