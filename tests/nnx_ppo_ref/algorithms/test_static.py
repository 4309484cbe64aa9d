"""Objects that cannot be hashed can be static arguments."""

from __future__ import annotations

from typing import Any

import jax
from flax import nnx

from nnx_ppo_ref.algorithms.static import Definition, Static
from nnx_ppo_ref.networks.containers import Splitter


class Equal:
    """Equal to everything, and so not to be hashed."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return True


def test_an_object_is_equal_only_to_itself() -> None:
    one, other = Equal(), Equal()
    assert Static(one) == Static(one)
    assert hash(Static(one)) == hash(Static(one))
    assert Static(one) != Static(other)
    assert Static(one) != one


def definition(**sizes: int) -> Definition:
    return Definition(nnx.split(Splitter(**sizes))[0])


def test_definitions_are_equal_if_all_their_attributes_are() -> None:
    assert definition(a=1, b=2) == definition(a=1, b=2)
    assert hash(definition(a=1, b=2)) == hash(definition(a=1, b=2))
    assert definition(a=1, b=2) != definition(a=2, b=2)


def test_a_function_compiles_once_for_equal_definitions() -> None:
    traced = []

    def function(static: Any, x: float) -> float:
        traced.append(static)
        return x

    compiled = jax.jit(function, static_argnums=0)
    for given in (definition(a=1), definition(a=1), definition(a=2)):
        compiled(given, 1.0)
    assert len(traced) == 2
