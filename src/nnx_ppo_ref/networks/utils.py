"""Layers that rearrange PyTrees, and two more containers of named children."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from nnx_ppo_ref.networks.named import NamedChildren
from nnx_ppo_ref.networks.types import StatefulModule, StatefulModuleOutput

FilterSpec = str | tuple[str | int, ...] | Callable[[Any], Any]
"""What `Filter` takes for one output: a key, a path of keys, or a function of the whole input."""


class Flattener(StatefulModule):
    """Flattens a PyTree of `[B, ...]` to one `[B, D]`.

    With `preserve_levels` the outermost levels of dicts, lists and tuples stay, and what lies below
    them is flattened.
    """

    def __init__(self, preserve_levels: int = 0) -> None:
        """Takes the number of outer levels to keep.

        Raises:
            ValueError: If it is negative.
        """
        if preserve_levels < 0:
            raise ValueError(f"preserve_levels must not be negative, but is {preserve_levels}")
        self.preserve_levels = preserve_levels

    def __call__(
        self, state: tuple[()], x: Any, rollout_extras: Any = None
    ) -> StatefulModuleOutput:
        """One step: leaves `[B, ...]` to `[B, D]`.

        Raises:
            TypeError: If a leaf stands where a level should be kept.
        """
        del state, rollout_extras
        return StatefulModuleOutput((), _flatten(x, self.preserve_levels), jnp.zeros(()), {})


def _flatten(tree: Any, keep: int) -> Any:
    """Flattens what lies `keep` levels down."""
    if keep == 0:
        rows = [leaf.reshape((leaf.shape[0], -1)) for leaf in jax.tree.leaves(tree)]
        return jnp.concatenate(rows, axis=-1)
    if isinstance(tree, dict):
        return {key: _flatten(below, keep - 1) for key, below in tree.items()}
    if isinstance(tree, list | tuple):
        return type(tree)(_flatten(below, keep - 1) for below in tree)
    raise TypeError(
        f"cannot keep {keep} more level(s) of a {type(tree).__name__}: "
        "preserve_levels counts dicts, lists and tuples"
    )


class Filter(StatefulModule):
    """Picks parts of a PyTree and drops the rest; the output is a dict."""

    def __init__(self, spec: dict[str, FilterSpec]) -> None:
        """Takes for each entry of the output a key, a path of keys, or a function of the input.

        Raises:
            TypeError: If `spec` or one of its entries is of another type.
        """
        if not isinstance(spec, dict):
            raise TypeError(f"spec must be a dict, not {type(spec).__name__}")
        for name, part in spec.items():
            if not isinstance(part, str | tuple) and not callable(part):
                raise TypeError(
                    f"spec[{name!r}] must be a key, a tuple of keys or a function, "
                    f"not {type(part).__name__}"
                )
        self._spec = dict(spec)

    def __call__(
        self, state: tuple[()], x: Any, rollout_extras: Any = None
    ) -> StatefulModuleOutput:
        """One step: the picked parts by name."""
        del state, rollout_extras
        output = {name: _pick(x, part) for name, part in self._spec.items()}
        return StatefulModuleOutput((), output, jnp.zeros(()), {})


def _pick(tree: Any, part: FilterSpec) -> Any:
    """One part of a PyTree."""
    if isinstance(part, str):
        return tree[part]
    if isinstance(part, tuple):
        for key in part:
            tree = tree[key]
        return tree
    return part(tree)


class Scale(StatefulModule):
    """Multiplies every leaf of its input by a fixed number."""

    def __init__(self, factor: float) -> None:
        """Takes the number."""
        self.factor = float(factor)

    def __call__(
        self, state: tuple[()], x: Any, rollout_extras: Any = None
    ) -> StatefulModuleOutput:
        """One step, on a PyTree of any shapes."""
        del rollout_extras
        scaled = jax.tree.map(lambda leaf: leaf * self.factor, x)
        return StatefulModuleOutput(state, scaled, jnp.zeros(()), {})


class Merge(NamedChildren):
    """Each child gets the whole input and returns a dict; the dicts are merged into one."""

    def child_input(self, name: str, x: Any) -> Any:
        """The whole input."""
        del name
        return x

    def combine(self, outputs: dict[str, Any]) -> dict[str, Any]:
        """The union of the children's dicts.

        Raises:
            TypeError: If a child returned something else than a dict.
            ValueError: If two children returned the same key.
        """
        merged: dict[str, Any] = {}
        for name, output in outputs.items():
            if not isinstance(output, dict):
                raise TypeError(f"child {name!r} returned a {type(output).__name__}, not a dict")
            if twice := merged.keys() & output.keys():
                raise ValueError(f"child {name!r} returned again: {sorted(twice, key=str)}")
            merged |= output
        return merged


class Map(NamedChildren):
    """Each child gets the input's entry of its name; the output is a dict by the same names.

    Entries without a child are dropped.
    """

    def child_input(self, name: str, x: dict[str, Any]) -> Any:
        """The input's entry of that name."""
        return x[name]

    def combine(self, outputs: dict[str, Any]) -> dict[str, Any]:
        """The outputs by child."""
        return outputs
