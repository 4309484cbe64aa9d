"""A training state without modules: arrays that a compiled function takes and returns."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import jax
from flax import nnx
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from nnx_ppo_ref.algorithms import pure
from nnx_ppo_ref.algorithms.static import Definition
from nnx_ppo_ref.algorithms.types import TrainingState
from nnx_ppo_ref.trees import strong

AXIS = "envs"
"""The axis of a mesh along which environments are divided."""


class Learner(NamedTuple):
    """What changes from step to step.

    Attributes:
        params: The network's parameters.
        others: The network's other Variables.
        optimizer: The optimizer's Variables.
        network_states: The network's carry, `[B, ...]`.
        env_states: The environments' states, `[B, ...]`.
        rng_key: A key.
        steps_taken: Environment steps so far, a scalar.
    """

    params: pure.Variables
    others: pure.Variables
    optimizer: pure.Variables
    network_states: Any
    env_states: Any
    rng_key: jax.Array
    steps_taken: jax.Array


@dataclasses.dataclass(frozen=True)
class Definitions:
    """What does not change.

    Attributes:
        networks: Structure and plain attributes of the network.
        optimizer: Those of the optimizer.
        mesh: The devices among which the environments are divided, or None.
    """

    networks: Definition
    optimizer: Definition
    mesh: Mesh | None

    def parts(self, params: pure.Variables, others: pure.Variables) -> pure.Split:
        """The network in parts."""
        return pure.Split(self.networks, params, others)


def take_apart(state: TrainingState) -> tuple[Definitions, Learner]:
    """Separates what a training state's modules are from what they hold."""
    networks = pure.split(state.networks)
    graph, optimizer = nnx.split(state.optimizer)
    learner = Learner(
        networks.params,
        networks.others,
        optimizer,
        state.network_states,
        state.env_states,
        state.rng_key,
        state.steps_taken,
    )
    definitions = Definitions(networks.definition, Definition(graph), _mesh(learner))
    return definitions, strong(learner)


def write_back(learner: Learner, state: TrainingState) -> TrainingState:
    """Writes a learner into the modules of a training state, in place, and returns the state."""
    nnx.update(state.networks, learner.params, learner.others)
    nnx.update(state.optimizer, learner.optimizer)
    return state.replace(
        network_states=learner.network_states,
        env_states=learner.env_states,
        rng_key=learner.rng_key,
        steps_taken=learner.steps_taken,
    )


def layout(learner: Learner, mesh: Mesh) -> Learner:
    """Where each leaf of a learner goes: environments divided, everything else everywhere."""
    everywhere = NamedSharding(mesh, PartitionSpec())
    # A mesh of one device has one name for both, or a step's results would go by another one.
    divided = NamedSharding(mesh, PartitionSpec(AXIS)) if mesh.size > 1 else everywhere
    n_envs = learner.env_states.done.shape[0]

    def per_env(leaf: Any) -> NamedSharding:
        return divided if leaf.shape[:1] == (n_envs,) else everywhere

    whole: Learner = jax.tree.map(lambda _: everywhere, learner)
    return whole._replace(
        network_states=jax.tree.map(per_env, learner.network_states),
        env_states=jax.tree.map(per_env, learner.env_states),
    )


def _mesh(learner: Learner) -> Mesh | None:
    """The mesh that `shard` placed a learner on."""
    sharding = getattr(learner.env_states.done, "sharding", None)
    if isinstance(sharding, NamedSharding) and AXIS in sharding.mesh.axis_names:
        return sharding.mesh  # type: ignore[return-value] # abstract meshes are for tracing
    return None
