"""Environments divided among devices; the draws are the same whatever their number.

Each environment owns its key, and a threefry draw depends on the key alone, so it does not matter
where it is made (https://docs.jax.dev/en/latest/jax.random.html). Sums over environments are made
in another order, so parameters agree up to rounding.
"""

from __future__ import annotations

import jax
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import AxisType, Mesh

from nnx_ppo_ref.algorithms.learner import AXIS, Learner, layout, take_apart, write_back
from nnx_ppo_ref.algorithms.types import TrainingState
from nnx_ppo_ref.keys import from_numbers, numbers_of


def env_mesh(devices: list[jax.Device] | None = None) -> Mesh:
    """A mesh of all devices of all processes, along the environments."""
    devices = jax.devices() if devices is None else devices
    return jax.make_mesh((len(devices),), (AXIS,), axis_types=(AxisType.Auto,), devices=devices)


def shard(state: TrainingState, mesh: Mesh | None = None) -> TrainingState:
    """Divides the environments of a training state among devices; parameters go to all of them.

    `ppo_step` and `train_ppo` (as `initial_state`) then run on all devices. With several processes
    (`jax.distributed.initialize`), every process makes the same state and calls this.

    Args:
        state: As `new_training_state` makes it.
        mesh: Devices along the axis `"envs"`; all devices by default.

    Raises:
        ValueError: If the number of environments is not a multiple of the number of devices.
    """
    mesh = env_mesh() if mesh is None else mesh
    _, learner = take_apart(state)
    n_envs = state.env_states.done.shape[0]
    if n_envs % mesh.size:
        raise ValueError(f"n_envs ({n_envs}) must be a multiple of the {mesh.size} devices")
    return write_back(_put(learner, layout(learner, mesh)), state)


def _put(learner: Learner, shardings: Learner) -> Learner:
    """Every process puts its devices' part of the same arrays, from its own memory."""
    leaves, structure = jax.tree.flatten(learner)
    numbers = [np.asarray(numbers_of(leaf)) for leaf in leaves]
    if jax.process_count() > 1:  # bytes, because NaNs are unequal
        multihost_utils.assert_equal(
            [np.frombuffer(number.tobytes(), np.uint8) for number in numbers],
            fail_message="every process must make the same training state before it is divided",
        )
    placed = [
        jax.make_array_from_callback(number.shape, sharding, number.__getitem__)
        for number, sharding in zip(numbers, jax.tree.leaves(shardings), strict=True)
    ]
    whole: Learner = jax.tree.unflatten(
        structure,
        [from_numbers(number, leaf) for leaf, number in zip(leaves, placed, strict=True)],
    )
    return whole
