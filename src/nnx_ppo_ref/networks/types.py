"""The contract between a module and PPO: carry in, carry out, nothing hidden.

The names and fields are those of `nnx_ppo.networks.types` (nnx-ppo 0.3.0).
"""

from __future__ import annotations

import abc
import dataclasses
from typing import Any

import jax
from flax import nnx

from nnx_ppo_ref.replaceable import Replaceable

ModuleState = Any
"""The carry of a module: any PyTree whose arrays have the batch first, `[B, ...]`."""


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class PPONetworkOutput(Replaceable):
    """What a whole network returns as its output.

    Attributes:
        actions: PyTree of actions, `[B, ...]`.
        loglikelihoods: Log-likelihoods of the raw actions, `[B]`, or a PyTree of such.
        value_estimates: Value estimates, `[B]`, or a PyTree of such.
    """

    actions: Any
    loglikelihoods: Any
    value_estimates: Any


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class StatefulModuleOutput(Replaceable):
    """What a module returns from one step.

    Attributes:
        next_state: The carry for the next step, of the same structure as the carry given.
        output: The activation, usually `[B, D]`.
        regularization_loss: Scalar or `[B]`.
        metrics: Anything to log.
        rollout_extras: What the loss replay gets back, such as a raw action.
    """

    next_state: ModuleState
    output: Any
    regularization_loss: Any
    metrics: dict[Any, Any]
    rollout_extras: Any = None


class StatefulModule(abc.ABC, nnx.Module):
    """A layer whose state is a carry: given to each step and returned from it.

    PPO runs the layer twice on the same observations, and the second pass must reproduce the
    first. So a step may read the module's Variables but not write them, and draws only from keys
    that it finds in its carry.
    """

    @abc.abstractmethod
    def __call__(
        self, module_state: ModuleState, obs: Any, rollout_extras: Any = None
    ) -> StatefulModuleOutput:
        """One step for a batch.

        Args:
            module_state: The carry, `[B, ...]`.
            obs: The input, `[B, ...]`.
            rollout_extras: None in the rollout; in the loss replay what the rollout returned.
        """

    def initialize_state(self, batch_size: int) -> ModuleState:
        """The carry before the first step; keys are seeded here, one for each environment."""
        del batch_size
        return ()

    def reset_state(self, prev_state: ModuleState) -> ModuleState:
        """The carry after an episode has ended; keys go on from where they were."""
        return prev_state

    def update_statistics(self, rollout_extras: Any) -> None:
        """Folds a rollout's extras, `[T, B, ...]`, into running statistics, after the update."""
        del rollout_extras
