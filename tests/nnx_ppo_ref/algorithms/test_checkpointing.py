"""Checkpoints: training goes on from them to the last bit."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nnx_ppo_ref.algorithms.checkpointing import (
    make_checkpoint_fn,
    restore_checkpoint,
    save_checkpoint,
)
from nnx_ppo_ref.algorithms.initial import new_training_state
from nnx_ppo_ref.algorithms.training import train_ppo
from nnx_ppo_ref.algorithms.types import TrainingState
from nnx_ppo_ref.wrappers import MaskObservation

from .kinds import unoptimized
from .runs import ENV, STEP, assert_identical, contents, network, plain_network, settings

pytestmark = pytest.mark.slow  # orbax takes seconds to be imported


@pytest.fixture(autouse=True)
def quick_to_compile() -> Iterator[None]:
    with unoptimized():
        yield


def _fresh(modules: Any, seed: int = 5, n_envs: int = 8) -> TrainingState:
    """A training state with other numbers than any that is saved here."""
    return new_training_state(ENV, modules, n_envs, seed, settings().ppo.learning_rate)


def test_training_goes_on_from_a_checkpoint_to_the_last_bit(tmp_path: Path) -> None:
    whole = train_ppo(
        ENV,
        network(),
        settings(4, checkpoint_every_steps=2 * STEP),
        checkpoint_fn=make_checkpoint_fn(tmp_path),
    )
    saved = sorted(path.name for path in tmp_path.iterdir())
    assert saved == ["step_0000000000", "step_0000000064", "step_0000000128"]
    restored = restore_checkpoint(tmp_path / saved[1], _fresh(network(seed=5)))
    assert int(restored.steps_taken) == 2 * STEP
    rest = train_ppo(ENV, restored.networks, settings(4), initial_state=restored)
    assert rest.total_iterations == 2
    assert_identical(contents(rest.training_state), contents(whole.training_state))


PROGRAM = """
import sys
import numpy as np
from nnx_ppo_ref.algorithms.checkpointing import restore_checkpoint
from nnx_ppo_ref.algorithms.training import train_ppo
from tests.nnx_ppo_ref.algorithms.kinds import unoptimized
from tests.nnx_ppo_ref.algorithms.runs import ENV, contents, network, settings
from tests.nnx_ppo_ref.algorithms.test_checkpointing import _fresh

state = restore_checkpoint(sys.argv[1], _fresh(network(seed=7), seed=7))
with unoptimized():
    result = train_ppo(ENV, state.networks, settings(4), initial_state=state)
np.savez(sys.argv[2], **contents(result.training_state))
"""


@pytest.mark.thorough
def test_another_process_goes_on_from_a_checkpoint_to_the_last_bit(tmp_path: Path) -> None:
    modules = network()
    half = train_ppo(ENV, modules, settings(2))
    save_checkpoint(tmp_path / "half", half.training_state)
    whole = train_ppo(ENV, modules, settings(4), initial_state=half.training_state)
    root = Path(__file__).parents[3]
    subprocess.run(
        [sys.executable, "-c", PROGRAM, tmp_path / "half", tmp_path / "end.npz"],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
        check=True,
    )
    with np.load(tmp_path / "end.npz") as end:
        assert_identical(dict(end), contents(whole.training_state))


def test_a_restored_state_is_the_one_that_was_saved(tmp_path: Path) -> None:
    state = _fresh(network(), seed=1)
    # Names that could be taken for paths, and arrays without numbers, which orbax does not save.
    odd = {"a/b": jnp.arange(8), "none": jnp.zeros((8, 0))}
    info = {**state.env_states.info, **odd}
    state = state.replace(env_states=state.env_states.replace(info=info))
    save_checkpoint(tmp_path / "odd", state)
    like = _fresh(network(seed=2))
    blank = {name: jnp.zeros_like(leaf) for name, leaf in info.items()}
    like = like.replace(env_states=like.env_states.replace(info=blank))
    restored = restore_checkpoint(tmp_path / "odd", like)
    assert restored.networks is like.networks
    assert restored.optimizer is like.optimizer
    assert_identical(contents(restored), contents(state))
    assert jax.random.key_impl(restored.rng_key) == jax.random.key_impl(state.rng_key)


def test_a_checkpoint_that_is_not_there_is_named_with_those_that_are(tmp_path: Path) -> None:
    save_checkpoint(tmp_path / "step_0000000064", _fresh(plain_network()))
    with pytest.raises(FileNotFoundError, match=r"step_65 is not a checkpoint; .* step_0000000064"):
        restore_checkpoint(tmp_path / "step_65", _fresh(plain_network()))
    with pytest.raises(FileNotFoundError, match=r"is not a checkpoint; .* step_0000000064"):
        restore_checkpoint(tmp_path, _fresh(plain_network()))
    with pytest.raises(FileNotFoundError, match=r"elsewhere/nothing is not a checkpoint$"):
        restore_checkpoint(tmp_path / "elsewhere" / "nothing", _fresh(plain_network()))


def test_a_checkpoint_of_something_else_is_refused_with_the_first_difference(
    tmp_path: Path,
) -> None:
    path = tmp_path / "plain"
    save_checkpoint(path, _fresh(plain_network()))
    before = _fresh(network())
    kept = contents(before)
    with pytest.raises(ValueError, match=r"plain is of another .* is missing there and "):
        restore_checkpoint(path, before)
    assert_identical(contents(before), kept)
    with pytest.raises(ValueError, match=r"\.done is bool\[8\] there and bool\[4\] in"):
        restore_checkpoint(path, _fresh(plain_network(), n_envs=4))
    masked = MaskObservation(ENV, (0,))
    other = new_training_state(masked, plain_network(features=1), 8, 0)
    with pytest.raises(ValueError, match=r"another environment.*unmasked_obs.* is missing there"):
        restore_checkpoint(path, other)


def test_a_checkpoint_is_not_overwritten_unless_it_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "one"
    save_checkpoint(path, _fresh(plain_network(), seed=1))
    later = _fresh(plain_network(), seed=2)
    with pytest.raises(FileExistsError, match="one exists: save to another path, or give overwr"):
        save_checkpoint(path, later)
    save_checkpoint(path, later, overwrite=True)
    assert_identical(contents(restore_checkpoint(path, _fresh(plain_network()))), contents(later))


def test_training_that_goes_on_may_save_to_where_it_was_restored_from(tmp_path: Path) -> None:
    config = settings(1, checkpoint_every_steps=STEP)
    save = make_checkpoint_fn(tmp_path)
    train_ppo(ENV, plain_network(), config, checkpoint_fn=save)
    state = restore_checkpoint(tmp_path / "step_0000000032", _fresh(plain_network()))
    train_ppo(
        ENV,
        state.networks,
        settings(2, checkpoint_every_steps=STEP),
        checkpoint_fn=save,
        initial_state=state,
    )
    assert (tmp_path / "step_0000000064").is_dir()
