"""How a report reads, and what `assert_replays` insists on."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import pytest

from nnx_ppo_ref.oracle import OBSERVABLES, Verdict, assert_replays, check

INPUT = jnp.zeros(3)


def noisy(module: Any, state: Any, x: Any) -> Any:
    return state, x + module.rngs.normal(x.shape)


def test_a_report_names_what_differs_where_and_why(layer: Any) -> None:
    report = check(layer(noisy), INPUT)
    text = str(report)
    assert text.startswith("Layer: broken: replay, purity")
    assert "at output, step" in text
    assert "env" in text
    assert "largest difference" in text
    assert "test_report.py:" in text
    assert "usually: a stream or key of the module itself" in text
    assert "`rngs.default.count`" in text
    assert all(len(line) <= 110 for line in text.splitlines())


def test_a_report_has_every_observable_in_order(layer: Any) -> None:
    report = check(layer(noisy), INPUT)
    assert tuple(result.observable for result in report.results) == OBSERVABLES
    assert not report.ok
    assert report["lock"].verdict is Verdict.NOT_APPLICABLE
    with pytest.raises(KeyError, match="'sharpness' is none of replay"):
        report["sharpness"]


def test_a_report_without_a_fault_says_so(layer: Any) -> None:
    report = check(layer(lambda m, s, x: (s, x)), INPUT)
    assert report.ok
    assert str(report).startswith("Layer: nothing is broken")


def test_assert_replays_raises_the_report(layer: Any) -> None:
    with pytest.raises(AssertionError, match=r"(?s)broken: replay.*usually"):
        assert_replays(layer(noisy), INPUT)


def test_assert_replays_insists_only_on_what_is_asked_for(layer: Any) -> None:
    report = assert_replays(layer(noisy), INPUT, observables=["freshness"], seed=3)
    assert report.failed == ("replay", "purity")
    for wrong in (["sharpness"], "replay"):
        with pytest.raises(ValueError, match="no observable"):
            assert_replays(layer(noisy), INPUT, observables=wrong)


def test_the_same_module_gives_the_same_report(layer: Any) -> None:
    assert str(check(layer(noisy), INPUT)) == str(check(layer(noisy), INPUT))
