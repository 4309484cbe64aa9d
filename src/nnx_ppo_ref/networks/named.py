"""What the containers of named children have in common: one walk over the children."""

from __future__ import annotations

import abc
from collections.abc import Mapping
from typing import Any

import jax.numpy as jnp
from flax import nnx

from nnx_ppo_ref.networks.types import ModuleState, StatefulModule, StatefulModuleOutput


class NamedChildren(StatefulModule):
    """Runs each named child on a part of the input and combines what they return.

    Carry, metrics and rollout extras are dicts with one entry for each child; losses add up. A
    subclass says with `child_input` what a child gets and with `combine` what becomes of the
    outputs.

    Children run in the order in which they were given, always. `nnx.Dict` alone would not keep it:
    it is in order of insertion when built and in alphabetical order once it has been through
    `nnx.jit`, which permutes concatenated features and the draws of a shared stream.
    """

    def __init__(
        self, modules: Mapping[str, StatefulModule] | None = None, /, **kwargs: StatefulModule
    ) -> None:
        """Takes the children as keyword arguments, or as a dict if a name is no identifier.

        Args:
            modules: Children by name.
            **kwargs: Children by name, instead.

        Raises:
            ValueError: If both forms are used, or if there is no child.
        """
        if modules is not None and kwargs:
            raise ValueError(f"{type(self).__name__} takes a dict or keyword arguments, not both")
        components = kwargs if modules is None else modules
        if not components:
            raise ValueError(f"{type(self).__name__} needs at least one child")
        self.components = nnx.Dict(components)
        self._names = tuple(components)

    @abc.abstractmethod
    def child_input(self, name: str, x: Any) -> Any:
        """The part of the container's input that a child gets."""

    @abc.abstractmethod
    def combine(self, outputs: dict[str, Any]) -> Any:
        """The container's output, from the outputs of its children."""

    def __call__(
        self, state: dict[str, ModuleState], x: Any, rollout_extras: Any = None
    ) -> StatefulModuleOutput:
        """One step of every child, each with its own carry and its own extras.

        Args:
            state: Carries by child.
            x: The input, `[B, ...]`.
            rollout_extras: Extras by child, or None.
        """
        outputs = {
            name: self.components[name](
                state[name],
                self.child_input(name, x),
                None if rollout_extras is None else rollout_extras[name],
            )
            for name in self._names
        }
        return StatefulModuleOutput(
            next_state={name: out.next_state for name, out in outputs.items()},
            output=self.combine({name: out.output for name, out in outputs.items()}),
            regularization_loss=sum(
                (out.regularization_loss for out in outputs.values()), start=jnp.zeros(())
            ),
            metrics={name: out.metrics for name, out in outputs.items()},
            rollout_extras={name: out.rollout_extras for name, out in outputs.items()},
        )

    def initialize_state(self, batch_size: int) -> dict[str, ModuleState]:
        """The first carry of every child, by name."""
        return {name: self.components[name].initialize_state(batch_size) for name in self._names}

    def reset_state(self, prev_state: dict[str, ModuleState]) -> dict[str, ModuleState]:
        """Resets the carry of every child."""
        return {name: self.components[name].reset_state(prev_state[name]) for name in self._names}

    def update_statistics(self, rollout_extras: Any) -> None:
        """Gives every child its extras, `[T, B, ...]`."""
        for name in self._names:
            self.components[name].update_statistics(rollout_extras[name])
