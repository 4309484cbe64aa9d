"""A dense layer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx

from nnx_ppo_ref.networks.types import StatefulModule, StatefulModuleOutput


class Dense(StatefulModule):
    """An affine map and, if given, an activation: `activation(x @ kernel + bias)`."""

    def __init__(
        self,
        in_features: int,
        out_features: int,
        rngs: nnx.Rngs,
        activation: Callable[[jax.Array], jax.Array] | None = None,
        **linear_kwargs: Any,
    ) -> None:
        """Draws the parameters.

        Args:
            in_features: Size of the input.
            out_features: Size of the output.
            rngs: Where the parameters are drawn from.
            activation: Applied to the affine map, or None.
            **linear_kwargs: More arguments of `nnx.Linear`.
        """
        self.in_features = in_features
        self.out_features = out_features
        self.linear = nnx.Linear(in_features, out_features, rngs=rngs, **linear_kwargs)
        self.activation = activation

    def __call__(
        self, state: tuple[()], x: jax.Array, rollout_extras: Any = None
    ) -> StatefulModuleOutput:
        """One step: `[B, in_features]` to `[B, out_features]`."""
        del rollout_extras
        y = self.linear(x)
        if self.activation is not None:
            y = self.activation(y)
        return StatefulModuleOutput(state, y, jnp.zeros(()), {})
