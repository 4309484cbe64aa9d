"""From a network's output to what PPO reads: actions, log-likelihoods, values."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from nnx_ppo_ref.networks.types import (
    ModuleState,
    PPONetworkOutput,
    StatefulModule,
    StatefulModuleOutput,
)


class PPOAdapter(StatefulModule):
    """Gives its input to an actor and to a critic and makes a `PPONetworkOutput` of their answers.

    The actor ends in a sampler, or in a PyTree of samplers such as `Map` makes: each returns
    `{"action", "log_likelihood"}`. The critic's output is taken as it is, `[B, 1]` as `[B]`. Carry,
    metrics and rollout extras are dicts with the entries `action` and `value`.
    """

    def __init__(self, action: StatefulModule, value: StatefulModule) -> None:
        """Takes actor and critic."""
        self.action = action
        self.value = value

    def __call__(
        self, state: dict[str, ModuleState], x: Any, rollout_extras: Any = None
    ) -> StatefulModuleOutput:
        """One step of both, each with its own carry and its own extras.

        Args:
            state: Carries of `action` and `value`.
            x: The input of both, `[B, ...]`.
            rollout_extras: Extras of `action` and `value`, or None.
        """
        extras = {"action": None, "value": None} if rollout_extras is None else rollout_extras
        action = self.action(state["action"], x, extras["action"])
        value = self.value(state["value"], x, extras["value"])

        def from_samplers(field: str) -> Any:
            return jax.tree.map(lambda sample: sample[field], action.output, is_leaf=_is_sample)

        return StatefulModuleOutput(
            next_state={"action": action.next_state, "value": value.next_state},
            output=PPONetworkOutput(
                actions=from_samplers("action"),
                loglikelihoods=from_samplers("log_likelihood"),
                value_estimates=jax.tree.map(_without_last_one, value.output),
            ),
            regularization_loss=action.regularization_loss + value.regularization_loss,
            metrics={"action": action.metrics, "value": value.metrics},
            rollout_extras={"action": action.rollout_extras, "value": value.rollout_extras},
        )

    def initialize_state(self, batch_size: int) -> dict[str, ModuleState]:
        """The first carries of actor and critic."""
        return {
            "action": self.action.initialize_state(batch_size),
            "value": self.value.initialize_state(batch_size),
        }

    def reset_state(self, prev_state: dict[str, ModuleState]) -> dict[str, ModuleState]:
        """Resets the carries of actor and critic."""
        return {
            "action": self.action.reset_state(prev_state["action"]),
            "value": self.value.reset_state(prev_state["value"]),
        }

    def update_statistics(self, rollout_extras: Any) -> None:
        """Gives actor and critic their extras, `[T, B, ...]`."""
        self.action.update_statistics(rollout_extras["action"])
        self.value.update_statistics(rollout_extras["value"])


def _is_sample(tree: Any) -> bool:
    """Whether this is what a sampler returns; a dict of samplers' names is not."""
    return isinstance(tree, dict) and {"action", "log_likelihood"} <= tree.keys()


def _without_last_one(value: Any) -> Any:
    """`[..., 1]` to `[...]`, anything else as it is."""
    if getattr(value, "shape", ())[-1:] == (1,):
        return jnp.squeeze(value, axis=-1)
    return value
