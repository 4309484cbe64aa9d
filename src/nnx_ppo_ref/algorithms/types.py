"""What passes between the stations of PPO."""

from __future__ import annotations

import dataclasses
import enum
from typing import Any

import jax

from nnx_ppo_ref.environments.types import EnvState as EnvState
from nnx_ppo_ref.environments.types import RLEnv as RLEnv
from nnx_ppo_ref.networks.types import ModuleState, PPONetworkOutput
from nnx_ppo_ref.replaceable import Replaceable


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class TrainingState(Replaceable):
    """Everything that training goes on from.

    Attributes:
        networks: The network, an `nnx.Module`.
        network_states: Its carry, `[B, ...]`.
        env_states: The environments' states, `[B, ...]`.
        optimizer: An `nnx.Optimizer` over the network's `nnx.Param`s.
        rng_key: A key, for resets of environments and for shuffling.
        steps_taken: Environment steps so far, a float scalar.
    """

    networks: Any
    network_states: ModuleState
    env_states: Any
    optimizer: Any
    rng_key: jax.Array
    steps_taken: jax.Array


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Transition(Replaceable):
    """One step of all environments, `[B, ...]`, or a whole rollout, `[T, B, ...]`.

    Attributes:
        obs: Observations before the step.
        network_output: What the network answered.
        rewards: PyTree of rewards.
        done: Whether the episode ended with this step, bool.
        truncated: Whether it was cut off, bool.
        next_obs: Observations after the step, before any reset.
        metrics: `{"env": ..., "net": ...}`.
        rollout_extras: What the replay gets back, of the structure that the network emitted.
        reset_draws: What `reset_state` made that has no gradient, such as keys; the replay puts it
            back, so that a reset may draw from the module's own stream.
    """

    obs: Any
    network_output: PPONetworkOutput
    rewards: Any
    done: jax.Array
    truncated: jax.Array
    next_obs: Any
    metrics: dict[str, Any]
    rollout_extras: Any = None
    reset_draws: Any = None


class LoggingLevel(enum.Flag):
    """Which metrics a step computes; combine with `|`."""

    LOSSES = enum.auto()
    CRITIC_EXTRA = enum.auto()
    ACTOR_EXTRA = enum.auto()
    ROLLOUT_STATS = enum.auto()
    ROLLOUT_OBS = enum.auto()
    ENV_METRICS = enum.auto()
    NETWORK_METRICS = enum.auto()
    GRAD_NORM = enum.auto()
    WEIGHTS = enum.auto()
    THROUGHPUT = enum.auto()
    BASIC = LOSSES
    # Without ROLLOUT_OBS: whole observations are too much unless asked for.
    ALL = (
        LOSSES
        | CRITIC_EXTRA
        | ACTOR_EXTRA
        | ROLLOUT_STATS
        | ENV_METRICS
        | NETWORK_METRICS
        | GRAD_NORM
        | WEIGHTS
        | THROUGHPUT
    )
    NONE = 0
