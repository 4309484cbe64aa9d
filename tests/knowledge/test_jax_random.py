"""The table of `jax.random` against the installed JAX."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NewType

import jax
import jax.numpy as jnp
import pytest

from flake8_nnx_rng.knowledge import keys
from flake8_nnx_rng.knowledge.keys import KeyEffect

GONE = {"shuffle"}
"""Names of older releases that code may still use."""

NEW = {"key_dtype"}
"""Names that the oldest release that is supported does not have yet."""


def _public() -> dict[str, Callable[..., Any]]:
    """The functions of `jax.random`, types such as `jax.random.Key` aside."""
    return {
        name: value
        for name, value in vars(jax.random).items()
        if not name.startswith("_") and callable(value) and not isinstance(value, (type, NewType))
    }


def test_every_function_of_the_table_is_public() -> None:
    known = keys.RANDOM.keys() - GONE - {"random_gamma_p"}  # a primitive: public, not callable
    assert known - NEW <= _public().keys()


def test_names_of_older_releases_are_really_gone() -> None:
    assert not [name for name in GONE if hasattr(jax.random, name)]


def test_what_the_tables_call_a_draw_is_the_same_in_both() -> None:
    drawing = {name for name, effect in keys.RANDOM.items() if effect is KeyEffect.DRAW}
    assert drawing - GONE == keys.DRAWS


TAKES_KEYS = sorted(
    name
    for name, effect in keys.RANDOM.items()
    if effect is not KeyEffect.NEUTRAL and name not in GONE
)


@pytest.mark.parametrize("name", TAKES_KEYS)
def test_the_first_parameter_is_called_what_the_tables_call_it(name: str) -> None:
    first = next(iter(inspect.signature(getattr(jax.random, name)).parameters))
    assert first in keys.KEY_PARAMETERS


ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "ball": (3,),
    "beta": (1.0, 1.0),
    "binomial": (3, 0.5),
    "categorical": (jnp.zeros(3),),
    "chisquare": (3.0,),
    "choice": (5,),
    "dirichlet": (jnp.ones(3),),
    "double_sided_maxwell": (0.0, 1.0),
    "f": (3.0, 3.0),
    "gamma": (2.0,),
    "generalized_normal": (2.0,),
    "geometric": (0.5,),
    "loggamma": (2.0,),
    "multinomial": (jnp.array(3.0), jnp.ones(2) / 2),
    "multivariate_normal": (jnp.zeros(2), jnp.eye(2)),
    "orthogonal": (2,),
    "pareto": (2.0,),
    "permutation": (5,),
    "poisson": (2.0,),
    "randint": ((), 0, 9),
    "rayleigh": (2.0,),
    "t": (2.0,),
    "triangular": (0.0, 0.5, 1.0),
    "truncated_normal": (-1.0, 1.0),
    "wald": (1.0,),
    "weibull_min": (1.0, 2.0),
}
"""What a draw needs besides its key."""


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(keys.DRAWS))
def test_a_draw_turns_a_key_into_numbers(name: str) -> None:
    draw = getattr(jax.random, name)
    numbers = jax.eval_shape(lambda key: draw(key, *ARGUMENTS.get(name, ())), jax.random.key(0))
    assert not jnp.issubdtype(numbers.dtype, jax.dtypes.prng_key)


KEY_ARGUMENTS: dict[str, tuple[Any, ...]] = {"fold_in": (1,)}


@pytest.mark.parametrize("name", ["clone", "fold_in", "split"])
def test_what_derives_returns_keys(name: str) -> None:
    result = getattr(jax.random, name)(jax.random.key(0), *KEY_ARGUMENTS.get(name, ()))
    assert jnp.issubdtype(result.dtype, jax.dtypes.prng_key)
    assert keys.RANDOM[name] is KeyEffect.DERIVE


def test_a_key_goes_to_its_data_and_back_without_a_draw() -> None:
    data = jax.random.key_data(jax.random.key(0))
    again = jax.random.wrap_key_data(data)
    assert again == jax.random.key(0)
    assert keys.RANDOM["key_data"] is KeyEffect.DERIVE
    assert keys.RANDOM["wrap_key_data"] is KeyEffect.CONSTRUCT


@pytest.mark.parametrize("name", ["key", "PRNGKey"])
def test_what_constructs_makes_a_key_of_a_seed(name: str) -> None:
    assert keys.RANDOM[name] is KeyEffect.CONSTRUCT
    assert jax.random.normal(getattr(jax.random, name)(0)).shape == ()
