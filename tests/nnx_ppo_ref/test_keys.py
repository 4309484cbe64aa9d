"""One key for each environment, of an implementation that replays."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from nnx_ppo_ref.keys import (
    from_numbers,
    is_key,
    numbers_of,
    require_replayable,
    seed_keys,
    split_keys,
)


def test_every_environment_is_seeded_with_its_own_key() -> None:
    keys = seed_keys(nnx.Rngs(0), 5)
    assert keys.shape == (5,)
    assert len(np.unique(jax.random.key_data(keys), axis=0)) == 5


def test_the_next_carry_and_the_keys_to_use_have_no_key_in_common() -> None:
    following, use = split_keys(seed_keys(nnx.Rngs(0), 4))
    both = jnp.concatenate([jax.random.key_data(keys) for keys in (following, use)])
    assert len(np.unique(both, axis=0)) == 8


def test_the_keys_of_an_environment_do_not_depend_on_its_place_in_the_batch() -> None:
    keys = seed_keys(nnx.Rngs(0), 4)
    some = jnp.array([3, 1])
    whole, part = split_keys(jax.random.clone(keys)), split_keys(keys[some])
    for all_keys, few in zip(whole, part, strict=True):
        np.testing.assert_array_equal(jax.random.key_data(all_keys)[some], jax.random.key_data(few))


@pytest.mark.parametrize("implementation", ["rbg", "unsafe_rbg"])
def test_keys_that_do_not_replay_are_refused_with_the_reason(implementation: str) -> None:
    key = jax.random.key(0, impl=implementation)
    with pytest.raises(ValueError, match=rf"{implementation}.*position in the batch.*threefry2x32"):
        require_replayable(key)
    with pytest.raises(ValueError, match=implementation):
        seed_keys(lambda: key, 2)


@pytest.mark.parametrize("implementation", ["threefry2x32", "rbg"])
def test_a_key_comes_back_from_its_numbers(implementation: str) -> None:
    keys = jax.random.split(jax.random.key(3, impl=implementation), 2)
    numbers = numbers_of(keys)
    again = from_numbers(numbers, keys)
    assert not is_key(numbers)
    assert is_key(again)
    assert str(jax.random.key_impl(again)) == implementation
    np.testing.assert_array_equal(jax.random.key_data(again), numbers)


def test_other_leaves_are_their_own_numbers() -> None:
    leaf = jnp.arange(3)
    assert numbers_of(leaf) is leaf
    assert from_numbers(leaf, leaf) is leaf
