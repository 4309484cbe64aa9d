"""The parameters of `jax.random` are those of the installed JAX."""

from __future__ import annotations

import inspect

import pytest

from flake8_nnx_rng.knowledge.keys import DRAWS
from flake8_nnx_rng.knowledge.signatures import MIXES_ROWS, NOT_BY_ROWS, SIGNATURES


def test_every_draw_has_its_parameters() -> None:
    assert SIGNATURES.keys() == DRAWS
    assert MIXES_ROWS <= DRAWS
    assert all(names <= {*SIGNATURES[draw]} for draw, names in NOT_BY_ROWS.items())


@pytest.mark.parametrize("name", sorted(SIGNATURES))
def test_they_are_in_the_order_of_the_installed_function(name: str) -> None:
    random = pytest.importorskip("jax.random")
    _, *parameters = inspect.signature(getattr(random, name)).parameters
    assert [known for known in SIGNATURES[name] if known in parameters] == parameters
