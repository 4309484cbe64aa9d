"""Every idiom is reported exactly where it breaks the rule, and the oracle agrees."""

from __future__ import annotations

import sys
import types
from pathlib import Path

import numpy as np
import pytest
from judging import PROMISED, imported, run
from support import marked, module, reported

from ..regressions import written_out
from . import fallbacks, keys, layers, samplers, stand_ins, streams

IDIOMS = {
    name: written_out(case)
    for file in (streams, fallbacks, layers, keys, samplers)
    for name, case in sorted(file.IDIOMS.items())
}

EXCUSED = {
    "52 a recurrent layer without an initial carry": {"purity"},
    "59 a draw of no sampler that the extras replace and that is emitted": {"lockstep"},
}
"""What the oracle sees in sound idioms: streams that advance and leave the output as it is."""

UNSEEN = {"NNX404"}
"""The rules about a smell, of which nothing is seen at run time."""

NEVER_BOUND = "38 a key by name from the bridge"
"""Runs only inside of a Linen module, which gives it its streams."""


def codes(name: str) -> set[str]:
    return {code for code, _ in marked(IDIOMS[name])}


def test_there_is_an_idiom_of_every_number_from_one_to_sixty() -> None:
    assert {int(name[:2]) for name in IDIOMS} == set(range(1, 61))


@pytest.mark.parametrize("name", sorted(IDIOMS))
def test_an_idiom_is_reported_exactly_where_it_is_marked(name: str) -> None:
    code = IDIOMS[name]
    assert reported(code) == marked(code)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(IDIOMS.keys() - {NEVER_BOUND}))
def test_the_oracle_sees_of_an_idiom_what_its_rules_say_and_nothing_in_a_sound_one(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nnx = pytest.importorskip("flax.nnx")
    for absent, source in stand_ins.FILES.items():
        monkeypatch.setitem(sys.modules, absent, types.ModuleType(absent))
        exec(source, vars(sys.modules[absent]))
    with imported(module(IDIOMS[name]), tmp_path) as file:
        instance = file.M(nnx.Rngs(0))
        instance.train()  # as `networks.train()` does, whatever the constructor said

        report = run(instance, np.zeros(3, np.float32))
    broken = set(report.failed) - EXCUSED.get(name, set())
    for code in codes(name) - UNSEEN:
        assert broken & PROMISED[code], f"{code} is marked\n{report}"
    if not codes(name):
        assert not broken, report
