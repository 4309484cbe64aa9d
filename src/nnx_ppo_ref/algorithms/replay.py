"""Replay: the network computes its rollout again, on some of the environments.

The passes see the same inputs and carries, so that at unchanged parameters they answer the same,
and PPO's importance ratios start at 1.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import jax

from nnx_ppo_ref.algorithms import fission, pure
from nnx_ppo_ref.algorithms.resets import reset_where
from nnx_ppo_ref.algorithms.types import Transition
from nnx_ppo_ref.networks.types import ModuleState


class Seen(NamedTuple):
    """What the replay is fed at each step.

    Attributes:
        obs: Observations, `[T, B, ...]`.
        done: Whether the episode ended with the step, `[T, B]`.
        rollout_extras: What the rollout emitted, `[T, B, ...]`.
        reset_draws: What its resets drew, `[T, B, ...]`.
    """

    obs: Any
    done: jax.Array
    rollout_extras: Any
    reset_draws: Any


class Replayed(NamedTuple):
    """What the replay answers.

    Attributes:
        others: The network's other Variables after the last step.
        network_state: Its carry after the last step, `[B, ...]`.
        output: Its outputs, `[T, B, ...]`.
        regularization_loss: `[T]` or `[T, B]`.
    """

    others: pure.Variables
    network_state: ModuleState
    output: Any
    regularization_loss: Any


def seen(transitions: Transition) -> Seen:
    """Takes what the replay needs from transitions."""
    return Seen(
        transitions.obs, transitions.done, transitions.rollout_extras, transitions.reset_draws
    )


def replay(parts: pure.Split, network_state: ModuleState, inputs: Seen) -> Replayed:
    """Computes a rollout's outputs again, differentiably in the parameters.

    Args:
        parts: The network, with Variables as the rollout left them.
        network_state: The carry with which the rollout began, `[B, ...]`.
        inputs: What the rollout saw, `[T, B, ...]`.
    """
    step = functools.partial(_step, parts.definition, parts.params)
    carry, outputs = fission.scan(step, (parts.others, network_state), inputs)
    return Replayed(*carry, *outputs)


def _step(
    definition: Any,
    params: pure.Variables,
    carry: tuple[pure.Variables, ModuleState],
    inputs: Seen,
) -> tuple[tuple[pure.Variables, ModuleState], tuple[Any, Any]]:
    others, network_state = carry

    def one(networks: Any) -> tuple[ModuleState, tuple[Any, Any]]:
        answer = networks(network_state, inputs.obs, inputs.rollout_extras)
        following, _ = reset_where(networks, inputs.done, answer.next_state, inputs.reset_draws)
        return following, (answer.output, answer.regularization_loss)

    others, (following, outputs) = pure.apply(pure.Split(definition, params, others), one)
    return (others, following), outputs
