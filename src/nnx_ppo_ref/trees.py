"""PyTrees of which each leaf has the environments first."""

from __future__ import annotations

from typing import Any, TypeVar

import jax
import jax.numpy as jnp

from nnx_ppo_ref.keys import is_key

T = TypeVar("T")


def tree_where(cond: jax.Array, on_true: Any, on_false: Any) -> Any:
    """Chooses between two PyTrees for each environment.

    Args:
        cond: `[B]`, bool.
        on_true: Leaves `[B, ...]`. Leaves without the batch, as some simulators share between
            their environments, are taken from here.
        on_false: As `on_true`.
    """

    def where(x: jax.Array, y: jax.Array) -> jax.Array:
        if x is y or jnp.shape(x)[:1] != cond.shape:
            return x
        chosen = jnp.where(expand(cond, x), x, y)
        # Only one of the two goes on, so the result counts as unused.
        return jax.random.clone(chosen) if is_key(chosen) else chosen

    return jax.tree.map(where, on_true, on_false)


def expand(per_env: jax.Array, leaf: jax.Array) -> jax.Array:
    """Gives `[B]` as many axes as a leaf `[B, ...]` has."""
    return per_env.reshape(per_env.shape + (1,) * (leaf.ndim - 1))


def like(before: Any, after: Any) -> Any:
    """Gives `after` the dtypes of `before` where no number is lost: a carry must keep its types.

    Environments return weakly typed scalars, and flags as bools here and floats there.
    """

    def cast(old: Any, new: Any) -> Any:
        if is_key(new):
            return new
        kind, wanted = jnp.result_type(new), jnp.result_type(old)
        safe = jnp.issubdtype(wanted, jnp.bool_) or jnp.promote_types(kind, wanted) == wanted
        return _convert(new, wanted) if safe else new

    return jax.tree.map(cast, before, after)


def strong(tree: T) -> T:
    """The same values with fixed types: a weak type would compile every function twice."""
    fixed: T = jax.tree.map(lambda leaf: _convert(leaf, jnp.result_type(leaf)), tree)
    return fixed


def cast_like(tree: T, spec: Any) -> T:
    """The same values with the dtypes of a tree of arrays or shapes; the result has no weak types.

    Raises:
        ValueError: If the trees differ in structure.
    """
    cast: T = jax.tree.map(lambda leaf, like: _convert(leaf, like.dtype), tree, spec)
    return cast


def clone_keys(tree: Any) -> Any:
    """The same leaves, where keys count as unused: for the one second use that is meant."""
    return jax.tree.map(lambda leaf: jax.random.clone(leaf) if is_key(leaf) else leaf, tree)


def widen(tree: Any, types: Any) -> Any:
    """Gives a PyTree types that hold its own numbers and those of another, as after a step."""

    def cast(leaf: Any, other: Any) -> Any:
        if is_key(leaf):
            return leaf
        return _convert(leaf, jnp.promote_types(leaf.dtype, other.dtype))

    return jax.tree.map(cast, tree, types)


def _convert(leaf: Any, dtype: Any) -> Any:
    if jnp.issubdtype(dtype, jax.dtypes.extended):  # keys: never weak, and not to be converted
        return leaf
    if isinstance(leaf, jax.Array) and leaf.dtype == dtype and not leaf.weak_type:
        return leaf
    return jax.lax.convert_element_type(leaf, dtype)
