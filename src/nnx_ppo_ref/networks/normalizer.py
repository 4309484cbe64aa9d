"""Normalization by running statistics that a step reads and never writes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx

from nnx_ppo_ref.networks.types import StatefulModule, StatefulModuleOutput

UNSEEN_STD = 10.0
"""The deviation assumed before any data: large, so that first outputs are small."""


class NormalizerStatistics(nnx.Variable[Any]):
    """A running statistic: state of the module, but no parameter."""


class Normalizer(StatefulModule):
    """Subtracts the running mean and divides by the running standard deviation.

    A step emits its input as rollout extras and leaves the statistics alone, so that the replay
    normalizes as the rollout did. `update_statistics` folds the inputs of a whole rollout in, once
    they have been learned from. Statistics are mean, sum of squared deviations (`M2`) and number of
    inputs (Welford 1962), merged in batches by the pairwise update of Chan, Golub and LeVeque 1983
    (The American Statistician 37:3).
    """

    def __init__(self, shape: Any) -> None:
        """Starts without data.

        Args:
            shape: Shape of one input without the batch axis, as an int, a tuple or a list; or a
                mapping to sizes, nested as the inputs are.
        """
        if isinstance(shape, int | tuple | list):
            self.mean = NormalizerStatistics(jnp.zeros(shape))
            self.M2 = NormalizerStatistics(jnp.zeros(shape))
        else:
            sizes = _plain(shape)
            self.mean = NormalizerStatistics(jax.tree.map(jnp.zeros, sizes))
            self.M2 = NormalizerStatistics(jax.tree.map(jnp.zeros, sizes))
        self.counter = NormalizerStatistics(jnp.zeros(()))
        self.epsilon = 1e-6

    def __call__(
        self, state: tuple[()], x: Any, rollout_extras: Any = None
    ) -> StatefulModuleOutput:
        """One step: `(x - mean) / std`, a PyTree of `[B, ...]`."""
        del state, rollout_extras
        x = _plain(x)
        count: jax.Array = self.counter.get_value()

        def normalize(value: jax.Array, mean: jax.Array, m2: jax.Array) -> jax.Array:
            # Without data the quotient is not used, but 0/0 would still be a NaN.
            variance = jnp.maximum(m2 / jnp.where(count > 0, count, 1.0), self.epsilon)
            std = jnp.where(count > 0, jnp.sqrt(variance), UNSEEN_STD)
            return (value - mean) / std

        output = jax.tree.map(normalize, x, self.mean.get_value(), self.M2.get_value())
        return StatefulModuleOutput((), output, jnp.zeros(()), {}, rollout_extras=x)

    def update_statistics(self, rollout_extras: Any) -> None:
        """Folds in the inputs of a rollout, a PyTree of `[T, B, ...]`.

        The merge of Chan, Golub and LeVeque for the old statistics and those of the rollout, with
        `delta` the difference of their means: `mean += delta * n / total` and
        `M2 += M2_rollout + delta**2 * count * n / total`.
        """
        rollout_extras = _plain(rollout_extras)
        steps, batch = jax.tree.leaves(rollout_extras)[0].shape[:2]
        n: int = steps * batch
        count: jax.Array = self.counter.get_value()
        total = count + n
        means = jax.tree.map(lambda value: jnp.mean(value, axis=(0, 1)), rollout_extras)
        deltas = jax.tree.map(jnp.subtract, means, self.mean.get_value())

        def merge(m2: jax.Array, value: jax.Array, mean: jax.Array, delta: jax.Array) -> jax.Array:
            of_rollout: jax.Array = jnp.sum(jnp.square(value - mean), axis=(0, 1))
            return m2 + of_rollout + jnp.square(delta) * (count * n / total)

        m2 = jax.tree.map(merge, self.M2.get_value(), rollout_extras, means, deltas)
        self.M2.set_value(m2)
        self.mean.set_value(
            jax.tree.map(lambda m, d: m + d * (n / total), self.mean.get_value(), deltas)
        )
        self.counter.set_value(total)


def _plain(tree: Any) -> Any:
    """The same tree with plain dicts for mappings of any kind.

    JAX tells a dict from an OrderedDict or a FrozenDict and maps no tree of one over the other.
    """
    if isinstance(tree, Mapping):
        return {key: _plain(value) for key, value in tree.items()}
    if isinstance(tree, list):
        return [_plain(value) for value in tree]
    if isinstance(tree, tuple):
        return tuple(_plain(value) for value in tree)
    return tree
