"""Every mutant that the oracle calls broken is reported, and nothing else is."""

from __future__ import annotations

import functools
import sys
import tempfile
import types
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from judging import PROMISED, STRICT, by_default, imported, read, run, shown

from .mutants import Mutant
from .sampling import MUTANTS, sampled
from .subjects import SUBJECTS, Subject

if TYPE_CHECKING:
    from nnx_ppo_ref.oracle import Report

pytestmark = pytest.mark.slow
pytest.importorskip("nnx_ppo")

AUGMENT = """
import jax

def noise(x, rngs):
    return jax.random.normal(rngs.noise(), x.shape)
"""
"""A file that the linter does not see."""


@pytest.fixture(autouse=True)
def augment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    module = types.ModuleType("mutant_augment")
    exec(AUGMENT, vars(module))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    yield


@functools.cache
def broken_before(subject: Subject) -> frozenset[str]:
    """What the oracle sees in the sound module: nnx-ppo draws from a key and then splits it."""
    with tempfile.TemporaryDirectory() as directory:
        return frozenset(oracle(subject, subject.source, Path(directory)).failed)


def oracle(subject: Subject, source: str, directory: Path) -> Report:
    with imported(source, directory) as file:
        return run(lambda: subject.instance(file), subject.observation())


@pytest.mark.parametrize("subject", SUBJECTS.values(), ids=SUBJECTS)
def test_what_is_to_be_broken_is_sound_before(subject: Subject) -> None:
    assert by_default(read(subject.source)) == []
    assert broken_before(subject) <= STRICT


@pytest.mark.parametrize("mutant", MUTANTS.values(), ids=MUTANTS)
def test_a_mutant_that_breaks_a_rule_is_reported_by_it(mutant: Mutant) -> None:
    codes = {finding.code for finding in read(mutant.source)}
    assert codes & {*mutant.codes} or not mutant.codes


@pytest.mark.parametrize("mutant", sampled(lambda mutant: mutant.fault))
def test_a_mutant_is_reported_if_and_only_if_it_is_broken(mutant: Mutant, tmp_path: Path) -> None:
    findings = read(mutant.source)
    report = oracle(mutant.subject, mutant.source, tmp_path)
    broken = set(report.failed) - broken_before(mutant.subject)
    evidence = f"{mutant}\n\n{mutant.diff}\n\n{report}\n\n{shown(findings)}"
    if broken:
        explained = [finding for finding in findings if PROMISED[finding.code] & broken]
        assert explained, f"MISSED: nothing reported explains {broken}\n{evidence}"
        assert {one.code for one in findings} & {*mutant.codes}, f"ANOTHER RULE: {evidence}"
    else:
        assert not by_default(findings), f"FALSE ALARM: nothing is broken\n{evidence}"
