"""The tables of functions that hand functions and values on, and of host randomness."""

from __future__ import annotations

import importlib
import warnings
from typing import Any

import numpy as np
import pytest

from flake8_nnx_rng.knowledge import functions, host, library, streams

GONE = {"jax.linear_util.wrap_init", "jax.ad_checkpoint.checkpoint"}
"""Names that only other releases of JAX have."""

OPTIONAL = ("torch", "jaxtyping")
"""Packages that need not be installed."""


def _found(name: str) -> Any:
    """What a dotted name stands for, or None."""
    parts = name.split(".")
    for split in range(len(parts), 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:split]))
        except ImportError:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for part in parts[split:]:
                found = getattr(found, part, None)
        return found
    return None


TABLES = {
    "transforms": functions.TRANSFORMS,
    "gradients": functions.GRADIENTS,
    "differentiated": functions.DIFFERENTIATED,
    "pass through": functions.PASS_THROUGH,
    "shape only": functions.SHAPE_ONLY,
    "host functions": host.FUNCTIONS,
    "host generators": host.GENERATOR_FACTORIES,
    "clocks": host.CLOCKS,
}


@pytest.mark.parametrize("table", TABLES)
def test_every_name_in_a_table_exists(table: str) -> None:
    names = {name for name in TABLES[table] if not name.startswith(OPTIONAL)}
    assert {name for name in names if _found(name) is None} <= GONE


def test_a_name_stands_in_one_table_only() -> None:
    names = [name for table in TABLES.values() for name in table]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("name", sorted(functions.DIFFERENTIATED))
def test_what_differentiates_calls_what_it_is_given_at_once(name: str) -> None:
    calls: list[object] = []

    def given(x: Any) -> Any:
        calls.append(x)
        return x * 2.0

    arguments = ((1.0,), (1.0,)) if name.endswith("jvp") else (1.0,)
    options = {"graph": False} if name.startswith("flax.") else {}
    _found(name)(given, *arguments, **options)
    assert calls


def test_a_selection_passes_on_one_of_its_further_arguments() -> None:
    assert functions.SELECTIONS
    assert functions.SELECTIONS <= functions.PASS_THROUGH
    for name in functions.SELECTIONS:
        chosen = [_found(name)(np.array(which), np.float32(1), np.float32(2)) for which in (1, 0)]
        assert [float(value) for value in chosen] == [1.0, 2.0]


@pytest.mark.parametrize(
    ("name", "draws"),
    [
        ("random.random", True),
        ("random.shuffle", True),
        ("random.seed", False),
        ("random.Random", False),
        ("random.SystemRandom", False),
        ("numpy.random.normal", True),
        ("numpy.random.seed", False),
        ("numpy.random.default_rng", False),
        ("numpy.random.SeedSequence", False),
        ("secrets.randbits", True),
        ("os.urandom", True),
        ("uuid.uuid4", True),
        ("torch.randn", True),
        ("torch.zeros", False),
        ("torch.Generator", False),
        ("scipy.stats.norm.rvs", True),
        ("scipy.stats.norm.pdf", False),
        ("time.time", False),
        ("numpy.zeros", False),
        ("jax.random.normal", False),
        ("randomness.normal", False),
        ("", False),
    ],
)
def test_what_draws_on_the_host_is_told_by_name(name: str, draws: bool) -> None:
    assert host.draws_on_host(name) is draws


@pytest.mark.parametrize(
    ("name", "is_silent"),
    [
        ("jax.tree.leaves", True),
        ("builtins.print", True),
        ("logging.info", True),
        ("chex.Dimensions", True),
        ("distrax.Normal", True),
        ("distrax.sample", False),
        ("equinox.filter", False),
        ("jaxed.leaves", False),
        ("helpers.jax.noise", False),
        ("nnx_ppo.rollout", False),
        ("?.Noise", False),
        ("", False),
    ],
)
def test_what_draws_nothing_unread_is_told_by_its_package(name: str, is_silent: bool) -> None:
    assert functions.draws_nothing(name) is is_silent


def test_methods_that_keep_what_they_are_given_are_no_methods_of_streams() -> None:
    drawing = streams.DRAW_METHODS | streams.ADVANCE_METHODS | streams.INITIALIZER_METHODS
    assert functions.KEEPING_METHODS.isdisjoint(drawing)
    assert functions.SEEN_THROUGH.isdisjoint(library.REFERENCE_PACKAGES)
