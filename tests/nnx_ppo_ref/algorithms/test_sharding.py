"""Sharding: the same draws on any number of devices and processes."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jax
import numpy as np
import pytest
from jax.sharding import AxisType

from nnx_ppo_ref.algorithms.checkpointing import restore_checkpoint, save_checkpoint
from nnx_ppo_ref.algorithms.initial import new_training_state
from nnx_ppo_ref.algorithms.sharding import env_mesh, shard
from nnx_ppo_ref.algorithms.training import train_ppo

from .runs import ENV, assert_identical, contents, plain_network, settings

Numbers = dict[str, np.ndarray]


def _start(
    result: Path, devices: int, *more: str, of_process: int | None = None
) -> subprocess.Popen[bytes]:
    root = Path(__file__).parents[3]
    flag = f"--xla_force_host_platform_device_count={of_process or devices}"
    return subprocess.Popen(
        [sys.executable, "-m", "tests.nnx_ppo_ref.algorithms.sharded", result, str(devices), *more],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root), "XLA_FLAGS": flag, "JAX_PLATFORMS": "cpu"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def _finish(*processes: subprocess.Popen[bytes]) -> None:
    for process in processes:
        out, _ = process.communicate(timeout=300)
        assert process.returncode == 0, out.decode()


def _load(path: Path) -> Numbers:
    with np.load(path) as file:
        return dict(file)


@pytest.fixture(scope="module")
def on(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Numbers]:
    """What a run on so many devices of one process found."""
    directory, known = tmp_path_factory.mktemp("sharded"), dict[int, Numbers]()

    def run(devices: int) -> Numbers:
        if devices not in known:
            path = directory / f"{devices}.npz"
            _finish(_start(path, devices, of_process=8))
            known[devices] = _load(path)
        return known[devices]

    return run


def _assert_same_training(one: Numbers, other: Numbers) -> None:
    """Draws to the last bit, what is summed over environments up to rounding."""
    assert one.keys() == other.keys()
    for name in one:
        learned = name.startswith("end") and one[name].dtype.kind == "f"
        tolerance = 1e-5 if learned else 0.0
        np.testing.assert_allclose(one[name], other[name], tolerance, tolerance, err_msg=name)


@pytest.mark.slow
def test_a_run_draws_the_noise_that_is_compared(on: Callable[[int], Numbers]) -> None:
    """Keys, latents and raw actions; all of them differ between environments."""
    found = on(1)
    latents, actions = found["carry[0]['action'][3]['last_z']"], found["raw actions"]
    keys = found["carry[0]['action'][3]['keys']"]
    for noise in (keys, latents[~np.isnan(latents[:, 0])], actions[-1]):
        assert len(np.unique(noise, axis=0)) == len(noise) > 8


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize("devices", [2, 8])
def test_draws_are_the_same_on_any_number_of_devices(
    on: Callable[[int], Numbers], devices: int
) -> None:
    _assert_same_training(on(devices), on(1))


@pytest.mark.slow
@pytest.mark.parametrize("devices", [1, 8])
def test_nothing_is_compiled_after_the_first_step(
    on: Callable[[int], Numbers], devices: int
) -> None:
    assert on(devices)["compilations"].tolist() == [1, 0, 0, 0]


@pytest.mark.slow
@pytest.mark.thorough
def test_draws_are_the_same_in_two_processes(on: Callable[[int], Numbers], tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("localhost", 0))
        address = f"localhost:{free.getsockname()[1]}"
    result = tmp_path / "two.npz"
    _finish(*(_start(result, 4, address, str(rank), of_process=2) for rank in range(2)))
    _assert_same_training(_load(result), on(1))


def test_environments_that_cannot_be_divided_are_refused() -> None:
    state = new_training_state(ENV, plain_network(), 8, 0)
    mesh: Any = SimpleNamespace(size=3)
    with pytest.raises(ValueError, match=r"n_envs \(8\) must be a multiple of the 3 devices"):
        shard(state, mesh)


def test_a_mesh_is_of_all_devices_along_the_environments() -> None:
    mesh = env_mesh()
    assert mesh.axis_names == ("envs",)
    assert mesh.size == len(jax.devices())
    assert mesh.axis_types == (AxisType.Auto,)


@pytest.mark.slow
def test_on_one_device_a_sharded_state_trains_as_any_other(tmp_path: Path) -> None:
    plain = train_ppo(ENV, plain_network(), settings(2))
    modules = plain_network()
    rate = settings().ppo.learning_rate
    state = shard(new_training_state(ENV, modules, 8, settings().seed, rate), env_mesh())
    assert state.networks is modules
    sharded = train_ppo(ENV, modules, settings(2), initial_state=state)
    found, expected = contents(sharded.training_state), contents(plain.training_state)
    assert found.keys() == expected.keys()
    for name, value in expected.items():  # another program, which may round otherwise
        np.testing.assert_allclose(found[name], value, rtol=1e-5, atol=1e-6, err_msg=name)
    save_checkpoint(tmp_path / "sharded", sharded.training_state)
    fresh = new_training_state(ENV, plain_network(), 8, 1, rate)
    restored = restore_checkpoint(tmp_path / "sharded", fresh)
    assert_identical(contents(restored), contents(sharded.training_state))
