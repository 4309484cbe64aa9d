"""A recurrent layer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx

from nnx_ppo_ref.networks.types import StatefulModule, StatefulModuleOutput

LSTMCarry = tuple[jax.Array, jax.Array]
"""Hidden and cell activations, both `[B, H]`."""


class LSTM(StatefulModule):
    """Long short-term memory (Hochreiter and Schmidhuber 1997) with Flax's cells.

    The carry is `(h, c)`, both `[B, hidden_features]`; it starts, and starts again after a reset,
    at zero or at a learned vector.
    """

    def __init__(
        self,
        in_features: int,
        hidden_features: int,
        rngs: nnx.Rngs,
        *,
        gate_fn: Callable[[jax.Array], jax.Array] = nnx.sigmoid,
        activation_fn: Callable[[jax.Array], jax.Array] = nnx.tanh,
        kernel_init: Callable[..., jax.Array] | None = None,
        recurrent_kernel_init: Callable[..., jax.Array] | None = None,
        bias_init: Callable[..., jax.Array] | None = None,
        use_optimized: bool = True,
        trainable_initial_state: bool = False,
    ) -> None:
        """Draws the parameters.

        Args:
            in_features: Size of the input.
            hidden_features: Size of the output, H.
            rngs: Where the parameters are drawn from.
            gate_fn: Activation of the gates.
            activation_fn: Activation of the candidate and of the cell.
            kernel_init: Initializer of the input kernels; None for Flax's default.
            recurrent_kernel_init: Initializer of the recurrent kernels; None for Flax's default.
            bias_init: Initializer of the biases; None for Flax's default.
            use_optimized: Whether to use `nnx.OptimizedLSTMCell`, which joins the matrix products.
            trainable_initial_state: Whether the carry starts at learned vectors.
        """
        self.in_features = in_features
        self.hidden_features = hidden_features
        self.trainable_initial_state = trainable_initial_state
        initializers: dict[str, Any] = {
            "kernel_init": kernel_init,
            "recurrent_kernel_init": recurrent_kernel_init,
            "bias_init": bias_init,
        }
        cell = nnx.OptimizedLSTMCell if use_optimized else nnx.LSTMCell
        self.cell = cell(
            in_features,
            hidden_features,
            gate_fn=gate_fn,
            activation_fn=activation_fn,
            rngs=rngs,
            **{name: given for name, given in initializers.items() if given is not None},
        )
        if trainable_initial_state:
            self.initial_h = nnx.Param(jnp.zeros(hidden_features))
            self.initial_c = nnx.Param(jnp.zeros(hidden_features))

    def __call__(
        self, state: LSTMCarry, x: jax.Array, rollout_extras: Any = None
    ) -> StatefulModuleOutput:
        """One step: `[B, in_features]` to `[B, hidden_features]`."""
        del rollout_extras
        carry, output = self.cell(state, x)
        return StatefulModuleOutput(carry, output, jnp.zeros(x.shape[0]), {})

    def initialize_state(self, batch_size: int) -> LSTMCarry:
        """Zeros, or the learned vectors for every environment."""
        shape = (batch_size, self.hidden_features)
        if self.trainable_initial_state:
            return self._learned(shape, shape)
        return jnp.zeros(shape), jnp.zeros(shape)

    def reset_state(self, prev_state: LSTMCarry) -> LSTMCarry:
        """The initial carry in the shape of the previous one."""
        hidden, cell = prev_state
        if self.trainable_initial_state:
            return self._learned(hidden.shape, cell.shape)
        return jnp.zeros_like(hidden), jnp.zeros_like(cell)

    def _learned(self, *shapes: tuple[int, ...]) -> LSTMCarry:
        """The learned vectors, as often as the shapes ask."""
        hidden, cell = shapes
        return (
            jnp.broadcast_to(self.initial_h[...], hidden),
            jnp.broadcast_to(self.initial_c[...], cell),
        )
