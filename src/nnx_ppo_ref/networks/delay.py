"""A delay line."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from nnx_ppo_ref.networks.types import StatefulModule, StatefulModuleOutput


class Delay(StatefulModule):
    """Returns what it was given `k_steps` steps ago, and `initial_value` before that.

    The carry is a ring buffer for each environment, `{"buffer": [B, k_steps, ...], "idx": [B]}`:
    `idx` is the slot to read next, and to write right after. A slot for each environment, since
    each is reset at a time of its own.
    """

    def __init__(self, sample_input: Any, k_steps: int, initial_value: float = 0.0) -> None:
        """Keeps shapes and dtypes of the sample, not its values.

        Args:
            sample_input: One input without the batch axis, any PyTree of arrays.
            k_steps: Length of the delay.
            initial_value: What comes out until the buffer is full.

        Raises:
            ValueError: If the delay is shorter than one step.
        """
        if k_steps < 1:
            raise ValueError(f"k_steps must be at least 1, but is {k_steps}")
        self.k_steps = k_steps
        self.initial_value = initial_value
        leaves, self._treedef = jax.tree.flatten(sample_input)
        self._leaf_shapes = tuple(leaf.shape for leaf in leaves)
        self._leaf_dtypes = tuple(leaf.dtype for leaf in leaves)

    def __call__(
        self, state: dict[str, Any], x: Any, rollout_extras: Any = None
    ) -> StatefulModuleOutput:
        """One step: reads the oldest slot of each environment and overwrites it with the input."""
        del rollout_extras
        slot = state["idx"]
        env = jnp.arange(slot.shape[0])
        return StatefulModuleOutput(
            next_state={
                "buffer": jax.tree.map(
                    lambda ring, new: ring.at[env, slot].set(new), state["buffer"], x
                ),
                "idx": (slot + 1) % self.k_steps,
            },
            output=jax.tree.map(lambda ring: ring[env, slot], state["buffer"]),
            regularization_loss=jnp.zeros(slot.shape[0]),
            metrics={},
        )

    def initialize_state(self, batch_size: int) -> dict[str, Any]:
        """Buffers `[B, k_steps, ...]` full of the initial value, slots `[B]` (int32) at 0."""
        rings = [
            jnp.full((batch_size, self.k_steps, *shape), self.initial_value, dtype)
            for shape, dtype in zip(self._leaf_shapes, self._leaf_dtypes, strict=True)
        ]
        return {
            "buffer": jax.tree.unflatten(self._treedef, rings),
            "idx": jnp.zeros(batch_size, jnp.int32),
        }

    def reset_state(self, prev_state: dict[str, Any]) -> dict[str, Any]:
        """The initial carry in the shape of the previous one."""
        return {
            "buffer": jax.tree.map(
                lambda ring: jnp.full_like(ring, self.initial_value), prev_state["buffer"]
            ),
            "idx": jnp.zeros_like(prev_state["idx"]),
        }
