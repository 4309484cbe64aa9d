"""A training run on some devices, as a program: `sharded.py RESULT DEVICES [ADDRESS RANK]`.

Saves what was drawn and learned to `RESULT`. With an address it is one of two processes.
"""

from __future__ import annotations

import sys
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx
from jax.sharding import NamedSharding, PartitionSpec

from nnx_ppo_ref.algorithms.initial import new_training_state
from nnx_ppo_ref.algorithms.learner import Learner, take_apart
from nnx_ppo_ref.algorithms.rollout import rollout
from nnx_ppo_ref.algorithms.sharding import env_mesh, shard
from nnx_ppo_ref.algorithms.static import Static
from nnx_ppo_ref.algorithms.step import StepScalars, StepSettings, compiled_step
from nnx_ppo_ref.keys import is_key
from nnx_ppo_ref.networks.adapter import PPOAdapter
from nnx_ppo_ref.networks.containers import Sequential
from nnx_ppo_ref.networks.feedforward import Dense
from nnx_ppo_ref.networks.normalizer import Normalizer
from nnx_ppo_ref.networks.recurrent import LSTM
from nnx_ppo_ref.networks.sampling_layers import NormalTanhSampler
from nnx_ppo_ref.networks.variational import AR1VariationalBottleneck

from .kinds import unoptimized
from .runs import ENV

N_ENVS, LENGTH, STEPS = 16, 4, 4


def network() -> PPOAdapter:
    """Its first latents and actions are noise alone, so that they can be compared bit by bit."""
    rngs = nnx.Rngs(0)
    zeros = nnx.initializers.zeros
    actor = [
        Normalizer(2),
        LSTM(2, 4, rngs),
        Dense(4, 4, rngs, kernel_init=zeros),
        AR1VariationalBottleneck(2, rngs, kl_weight=1e-3, ar1_weight=1e-3),
        Dense(2, 4, rngs, kernel_init=zeros),
        NormalTanhSampler(rngs, entropy_weight=1e-3),
    ]
    return PPOAdapter(Sequential(actor), Dense(2, 1, rngs))


def run(devices: int) -> dict[str, np.ndarray]:
    """Trains, and returns numbers by name."""
    state = new_training_state(ENV, network(), N_ENVS, 0, learning_rate=1e-2)
    state = shard(state, env_mesh(jax.devices()[:devices]))
    definitions, learner = take_apart(state)
    found = {f"start{path}": leaf for path, leaf in _leaves(learner).items()}

    first = jax.jit(
        lambda learner: rollout(
            ENV,
            definitions.parts(learner.params, learner.others),
            (learner.network_states, learner.env_states),
            LENGTH,
            jax.random.clone(learner.rng_key),
        )
    )
    # The same learner is used again below, on purpose.
    with jax.debug_key_reuse(False):
        _, carry, transitions = first(learner)
    found |= {f"carry{path}": leaf for path, leaf in _leaves(carry).items()}
    found["raw actions"] = _numbers(transitions.rollout_extras["action"][-1])

    settings = StepSettings(N_ENVS, LENGTH, 2, 2, True, False)
    scalars = StepScalars(0.95, 0.99, 0.2, 1.0)
    compilations = _Compilations()
    each = []
    for _ in range(STEPS):
        before = len(compilations.made)
        learner, _, _ = compiled_step(Static(ENV), definitions, settings, scalars, learner)
        each.append(len(compilations.made) - before)
        _assert_divided(learner, devices)
    found["compilations"] = np.array(each)
    return found | {f"end{path}": leaf for path, leaf in _leaves(learner).items()}


class _Compilations:
    """Notes every compilation."""

    def __init__(self) -> None:
        self.made: list[float] = []
        jax.monitoring.register_event_duration_secs_listener(self._note)

    def _note(self, event: str, duration_secs: float, **_: Any) -> None:
        if event.endswith("backend_compile_duration"):
            self.made.append(duration_secs)


def _assert_divided(learner: Learner, devices: int) -> None:
    for leaf in jax.tree.leaves((learner.network_states, learner.env_states)):
        assert leaf.sharding.shard_shape(leaf.shape)[0] == N_ENVS // devices
    for leaf in jax.tree.leaves((learner.params, learner.optimizer, learner.rng_key)):
        assert leaf.sharding.is_fully_replicated


def _leaves(tree: Any) -> dict[str, np.ndarray]:
    return {
        jax.tree_util.keystr(path): _numbers(leaf) for path, leaf in jax.tree.leaves_with_path(tree)
    }


def _numbers(leaf: jax.Array) -> np.ndarray:
    """The whole array, from all devices of all processes."""
    leaf = jax.random.key_data(leaf) if is_key(leaf) else leaf
    everywhere = NamedSharding(leaf.sharding.mesh, PartitionSpec())  # type: ignore[attr-defined]
    return np.asarray(jax.jit(jnp.asarray, out_shardings=everywhere)(leaf))


def main(result: str, devices: str, address: str = "", rank: str = "0") -> None:
    if address:
        jax.config.update("jax_cpu_collectives_implementation", "gloo")
        jax.distributed.initialize(address, num_processes=2, process_id=int(rank))
        assert len(jax.local_devices()) == len(jax.devices()) // 2
    with jax.debug_key_reuse(True), unoptimized():
        found = run(int(devices))
    if jax.process_index() == 0:
        np.savez(result, **found)  # type: ignore[arg-type]


if __name__ == "__main__":
    main(*sys.argv[1:])
