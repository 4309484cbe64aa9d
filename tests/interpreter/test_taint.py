"""What flows into a value."""

from __future__ import annotations

import libcst as cst
import pytest

from flake8_nnx_rng.interpreter.taint import (
    CLEAN,
    Asked,
    Carried,
    Drawn,
    Entry,
    Fixed,
    Held,
    Host,
    Sample,
    Source,
    Taint,
    held_paths,
    is_threaded,
    merge,
)

HERE, THERE = cst.Name("here"), cst.Name("there")


@pytest.mark.parametrize("entry", list(Entry))
def test_what_the_framework_hands_in_is_threaded(entry: Entry) -> None:
    assert is_threaded(frozenset({Held("self.key"), entry}))


@pytest.mark.parametrize(
    "source",
    [
        Held("self.key"),
        Asked("self.rngs", HERE),
        Drawn(HERE),
        Sample(HERE),
        Fixed(HERE),
        Host("time.time", HERE),
    ],
    ids=lambda source: type(source).__name__,
)
def test_nothing_else_is_threaded(source: Source) -> None:
    assert not is_threaded(frozenset({source}))


def test_what_is_clean_is_not_threaded() -> None:
    assert not is_threaded(CLEAN)


def test_merging_keeps_every_source_once() -> None:
    first: Taint = frozenset({Held("a"), Carried("state")})
    second: Taint = frozenset({Held("a"), Entry.INPUT})
    assert merge([first, second]) == {Held("a"), Carried("state"), Entry.INPUT}


def test_merging_nothing_is_clean() -> None:
    assert merge([]) == CLEAN


def test_held_paths_are_sorted_and_are_of_held_sources_alone() -> None:
    taint: Taint = frozenset(
        {Held("self.b"), Carried("state"), Held("self.a"), Asked("self.c", HERE)}
    )
    assert held_paths(taint) == ["self.a", "self.b"]


@pytest.mark.parametrize("kind", [Drawn, Sample, Fixed])
def test_sources_of_one_kind_differ_by_their_place(
    kind: type[Drawn] | type[Sample] | type[Fixed],
) -> None:
    assert kind(HERE) == kind(HERE)
    assert kind(HERE) != kind(THERE)
