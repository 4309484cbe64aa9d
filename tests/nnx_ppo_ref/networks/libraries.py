"""nnx-ppo's networks and ours under the same names, and what it means that they do the same."""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from nnx_ppo_ref.keys import is_key

CONTAINERS = {
    "PPOAdapter": "adapter",
    "Concat": "containers",
    "Parallel": "containers",
    "Sequential": "containers",
    "Map": "utils",
    "Merge": "utils",
}
LAYERS = {
    "Splitter": "containers",
    "Delay": "delay",
    "make_mlp": "factories",
    "make_mlp_actor_critic": "factories",
    "make_mlp_layers": "factories",
    "Dense": "feedforward",
    "Normalizer": "normalizer",
    "LSTM": "recurrent",
    "ActionSampler": "sampling_layers",
    "NormalTanhSampler": "sampling_layers",
    "StatefulModule": "types",
    "Filter": "utils",
    "Flattener": "utils",
    "Scale": "utils",
    "AR1VariationalBottleneck": "variational",
    "VariationalBottleneck": "variational",
}
"""Every name that both libraries have, with the file that it is in."""


@dataclasses.dataclass(frozen=True)
class Library:
    """The networks of one package, or the containers of one and the layers of another."""

    containers: str
    layers: str

    def __getattr__(self, name: str) -> Any:
        package, table = (
            (self.containers, CONTAINERS) if name in CONTAINERS else (self.layers, LAYERS)
        )
        return getattr(importlib.import_module(f"{package}.networks.{table[name]}"), name)


OURS = Library("nnx_ppo_ref", "nnx_ppo_ref")
THEIRS = Library("nnx_ppo", "nnx_ppo")
OURS_AROUND_THEIRS = Library("nnx_ppo_ref", "nnx_ppo")
THEIRS_AROUND_OURS = Library("nnx_ppo", "nnx_ppo_ref")


def clone(tree: Any) -> Any:
    """The same tree with its keys as if they had not been used."""
    return jax.tree.map(lambda leaf: jax.random.clone(leaf) if is_key(leaf) else leaf, tree)


def plain(tree: Any) -> Any:
    """The same tree with dicts for dataclasses, whose types the libraries do not share."""
    if dataclasses.is_dataclass(tree):
        return {f.name: plain(getattr(tree, f.name)) for f in dataclasses.fields(tree)}
    if isinstance(tree, dict):
        return {key: plain(value) for key, value in tree.items()}
    if isinstance(tree, list | tuple):
        return type(tree)(plain(value) for value in tree)
    return tree


def assert_same(ours: Any, theirs: Any, keys: bool = True) -> None:
    """Asserts the same structure, shapes, dtypes and, to 1e-5, values; keys to the last bit.

    Args:
        ours: A tree.
        theirs: The tree expected.
        keys: Whether keys must be equal; if not, only their number must.
    """
    ours, theirs = plain(ours), plain(theirs)
    structures: list[Any] = [jax.tree.structure(ours), jax.tree.structure(theirs)]
    assert structures[0] == structures[1]
    for (path, leaf), expected in zip(
        jax.tree.leaves_with_path(ours), jax.tree.leaves(theirs), strict=True
    ):
        where = jax.tree_util.keystr(path)
        assert jnp.shape(leaf) == jnp.shape(expected), where
        if is_key(leaf):
            assert leaf.dtype == expected.dtype, where
            if keys:
                bits, expected_bits = jax.random.key_data(leaf), jax.random.key_data(expected)
                np.testing.assert_array_equal(bits, expected_bits, where)
        else:
            assert jnp.result_type(leaf) == jnp.result_type(expected), where
            np.testing.assert_allclose(leaf, expected, rtol=1e-5, atol=1e-5, err_msg=where)


def variables(module: Any) -> Any:
    """Everything that an NNX module stores, by path."""
    return nnx.to_pure_dict(nnx.state(module))


def trained(module: Any, seed: int = 7) -> Any:
    """Gives all but the streams of a module other, positive values: nothing is left at zero."""
    random = np.random.default_rng(seed)

    def other(leaf: Any) -> Any:
        return jnp.asarray(random.uniform(0.1, 1.0, leaf.shape), leaf.dtype)

    state = nnx.state(module, nnx.Not(nnx.RngState))
    nnx.update(module, jax.tree.map(other, state))
    return module


def gradients(module: Any, carry: Any, x: Any, rollout_extras: Any) -> Any:
    """Gradients of all that a step returns, in parameters, floats of the carry, and input."""
    parts: Any = nnx.split(module, nnx.Param, ...)
    graph, params, rest = parts
    floats, carry_from = _floats(carry)

    def total(params: Any, floats: Any, x: Any) -> jax.Array:
        layer = nnx.merge(graph, params, rest, copy=True)
        out = layer(carry_from(floats), x, rollout_extras)
        # The sine makes the gradient depend on the value.
        return sum((jnp.sin(leaf).sum() for leaf in _floats(plain(out))[0]), start=jnp.zeros(()))

    slopes = jax.grad(total, argnums=(0, 1, 2), allow_int=True)(params, floats, x)
    return {"params": nnx.to_pure_dict(slopes[0]), "carry": slopes[1], "x": _floats(slopes[2])[0]}


def _floats(tree: Any) -> tuple[list[jax.Array], Callable[[list[jax.Array]], Any]]:
    """The leaves of a tree that have a gradient, and how to put others in their place."""
    leaves: list[Any]
    structure: Any
    leaves, structure = jax.tree.flatten(tree)
    places = [i for i, leaf in enumerate(leaves) if jnp.issubdtype(leaf.dtype, jnp.inexact)]

    def put(floats: list[jax.Array]) -> Any:
        replaced = dict(zip(places, floats, strict=True))
        return structure.unflatten(replaced.get(i, leaf) for i, leaf in enumerate(leaves))

    return [leaves[i] for i in places], put
