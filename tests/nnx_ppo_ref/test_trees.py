"""Trees of environments keep their types and lose no numbers."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nnx_ppo_ref.trees import cast_like, clone_keys, like, strong, tree_where, widen

FLAGS = jnp.array([True, False, True])


def test_it_chooses_for_each_environment() -> None:
    ones, zeros = jnp.ones((3, 2)), jnp.zeros((3, 2))
    chosen = tree_where(FLAGS, {"a": ones, "b": FLAGS}, {"a": zeros, "b": ~FLAGS})
    np.testing.assert_array_equal(chosen["a"], [[1, 1], [0, 0], [1, 1]])
    assert chosen["b"].all()


def test_a_leaf_that_environments_share_is_taken_from_the_first_tree() -> None:
    for shared in (jnp.ones(2), jnp.ones(()), jnp.ones((2, 3))):
        np.testing.assert_array_equal(tree_where(FLAGS, shared, 0 * shared), shared)


def test_chosen_keys_may_be_used() -> None:
    keys, others = (jax.random.split(jax.random.key(seed), 3) for seed in (0, 1))
    bits = [np.asarray(jax.random.key_data(k)) for k in (keys, others)]
    drawn = jax.jit(lambda a, b: jax.vmap(jax.random.split)(tree_where(FLAGS, a, b)))(keys, others)
    assert drawn.shape == (3, 2)
    chosen = jax.random.key_data(tree_where(FLAGS, clone_keys(keys), clone_keys(others)))
    np.testing.assert_array_equal(chosen, np.where(np.asarray(FLAGS)[:, None], *bits))


@pytest.mark.parametrize(
    ("before", "after", "dtype"),
    [
        (jnp.ones(3), FLAGS, jnp.float32),
        (FLAGS, jnp.ones(3), jnp.bool_),
        (jnp.ones(3), jnp.arange(3), jnp.float32),
        (jnp.arange(3), jnp.ones(3), jnp.float32),
        (jnp.ones(3), 0.5, jnp.float32),
    ],
)
def test_types_stay_where_no_number_is_lost(before: Any, after: Any, dtype: Any) -> None:
    assert like(before, after).dtype == dtype


def test_strong_types_are_the_same_numbers() -> None:
    tree: dict[str, Any] = strong(
        {"a": 1.5, "b": jnp.asarray(2), "k": jax.random.key(0), "n": np.float16(3)}
    )
    assert not any(leaf.weak_type for leaf in jax.tree.leaves(tree) if hasattr(leaf, "weak_type"))
    assert (tree["a"].dtype, tree["b"].dtype, tree["n"].dtype) == (
        jnp.float32,
        jnp.int32,
        jnp.float16,
    )


def test_casting_keeps_values_and_refuses_another_structure() -> None:
    cast: dict[str, Any] = cast_like({"a": 1}, {"a": jax.ShapeDtypeStruct((), jnp.float32)})
    assert cast["a"].dtype == jnp.float32
    assert not cast["a"].weak_type
    with pytest.raises(ValueError, match="key"):
        cast_like({"a": 1}, {"b": jnp.zeros(())})


@pytest.mark.parametrize(
    ("dtype", "other", "dtype_after"),
    [(bool, float, jnp.float32), (int, float, jnp.float32), (float, bool, jnp.float32)],
)
def test_widened_types_hold_both(dtype: Any, other: Any, dtype_after: Any) -> None:
    leaf = jnp.ones(2, dtype)
    assert widen(leaf, jax.ShapeDtypeStruct((2,), jnp.dtype(other))).dtype in (
        dtype_after,
        jnp.float64,
    )


def test_a_cloned_key_counts_as_unused() -> None:
    key = jax.random.key(0)
    clone = clone_keys({"k": key})["k"]
    jax.random.normal(key)
    jax.random.normal(clone)
    with pytest.raises(jax.errors.KeyReuseError):
        jax.random.normal(key)
