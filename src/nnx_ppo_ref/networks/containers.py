"""Containers: one layer after another, several side by side, one tensor into several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx

from nnx_ppo_ref.networks.named import NamedChildren
from nnx_ppo_ref.networks.types import ModuleState, StatefulModule, StatefulModuleOutput


class Sequential(StatefulModule):
    """Each layer gets the output of the one before it.

    Carry and rollout extras are lists with one entry for each layer, metrics a dict by the layer's
    index; losses add up.
    """

    def __init__(self, layers: Sequence[StatefulModule]) -> None:
        """Takes the layers in the order in which they run."""
        self.layers = nnx.List(layers)

    def __call__(
        self, network_state: list[ModuleState], obs: Any, rollout_extras: Any = None
    ) -> StatefulModuleOutput:
        """One step through all layers.

        Args:
            network_state: The layers' carries.
            obs: The input of the first layer, `[B, ...]`.
            rollout_extras: The layers' extras, or None.

        Raises:
            ValueError: If there are more or fewer carries than layers.
        """
        x = obs
        loss = jnp.zeros(())
        next_state, metrics, extras = [], {}, []
        for index, (layer, state) in enumerate(zip(self.layers, network_state, strict=True)):
            out = layer(state, x, None if rollout_extras is None else rollout_extras[index])
            x = out.output
            loss = loss + out.regularization_loss
            next_state.append(out.next_state)
            metrics[index] = out.metrics
            extras.append(out.rollout_extras)
        return StatefulModuleOutput(next_state, x, loss, metrics, extras)

    def initialize_state(self, batch_size: int) -> list[ModuleState]:
        """The first carry of every layer."""
        return [layer.initialize_state(batch_size) for layer in self.layers]

    def reset_state(self, prev_state: list[ModuleState]) -> list[ModuleState]:
        """Resets the carry of every layer."""
        return [
            layer.reset_state(state) for layer, state in zip(self.layers, prev_state, strict=True)
        ]

    def update_statistics(self, rollout_extras: Any) -> None:
        """Gives every layer its extras, `[T, B, ...]`."""
        for layer, extras in zip(self.layers, rollout_extras, strict=True):
            layer.update_statistics(extras)

    def __getitem__(self, ind: int) -> StatefulModule:
        """The layer at an index."""
        layer: StatefulModule = self.layers[ind]
        return layer


class Concat(NamedChildren):
    """Each child gets the input's entry of its name; outputs `[B, D_i]` become `[B, sum D_i]`."""

    def child_input(self, name: str, x: dict[str, Any]) -> Any:
        """The input's entry of that name."""
        return x[name]

    def combine(self, outputs: dict[str, jax.Array]) -> jax.Array:
        """The outputs next to each other along the last axis."""
        return jnp.concatenate(list(outputs.values()), axis=-1)


class Parallel(NamedChildren):
    """Each child gets the whole input; the output is a dict of the children's outputs."""

    def child_input(self, name: str, x: Any) -> Any:
        """The whole input."""
        del name
        return x

    def combine(self, outputs: dict[str, Any]) -> dict[str, Any]:
        """The outputs by child."""
        return outputs


class Splitter(StatefulModule):
    """Cuts `[..., D]` into a dict of named slices along the last axis.

    The slices follow each other in the order of the arguments. Features beyond the last one are
    dropped.
    """

    def __init__(self, **sizes: int) -> None:
        """Takes the size of each slice by name.

        Raises:
            ValueError: If there is no slice, or if a size is not positive.
        """
        if not sizes:
            raise ValueError("Splitter needs at least one slice")
        for name, size in sizes.items():
            if size <= 0:
                raise ValueError(f"slice {name!r} must have a positive size, not {size}")
        self._sizes = dict(sizes)

    def __call__(
        self, state: tuple[()], x: jax.Array, rollout_extras: Any = None
    ) -> StatefulModuleOutput:
        """One step: `[..., D]` to a dict of `[..., size]`."""
        del state, rollout_extras
        slices, start = {}, 0
        for name, size in self._sizes.items():
            slices[name] = x[..., start : start + size]
            start += size
        return StatefulModuleOutput((), slices, jnp.zeros(()), {})
