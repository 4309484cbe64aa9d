"""Checkpoints from which training goes on bit for bit, keys included."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import orbax.checkpoint

from nnx_ppo_ref.algorithms.learner import Learner, take_apart, write_back
from nnx_ppo_ref.algorithms.types import TrainingState
from nnx_ppo_ref.keys import from_numbers, numbers_of

MARKER = "_CHECKPOINT_METADATA"
"""The file that orbax puts into a checkpoint that is complete."""


def make_checkpoint_fn(directory: str | Path) -> Callable[[TrainingState, int], None]:
    """Makes a `checkpoint_fn` for `train_ppo`; it saves to `directory/step_0000012345`.

    A checkpoint of the same step is replaced: training that goes on from a checkpoint begins by
    saving it again.
    """
    directory = Path(directory)

    def checkpoint_fn(training_state: TrainingState, step: int) -> None:
        save_checkpoint(directory / f"step_{step:010d}", training_state, overwrite=True)

    return checkpoint_fn


def save_checkpoint(path: str | Path, state: TrainingState, *, overwrite: bool = False) -> None:
    """Saves everything that training goes on from, with orbax.

    Args:
        path: Where, a directory that is made.
        state: What to save.
        overwrite: Whether to replace what is there.

    Raises:
        FileExistsError: If there is something already.
    """
    path = Path(path).absolute()
    if path.exists() and not overwrite:
        raise FileExistsError(f"{path} exists: save to another path, or give overwrite=True")
    _, learner = take_apart(state)
    with orbax.checkpoint.StandardCheckpointer() as checkpointer:
        checkpointer.save(path, _arrays(learner), force=overwrite)


def restore_checkpoint(path: str | Path, like: TrainingState) -> TrainingState:
    """Restores a checkpoint.

    Args:
        path: Where it was saved.
        like: A training state for the same environment, network and settings, as
            `new_training_state` makes it, on the devices where training is to go on. Its numbers
            do not matter; its modules are overwritten.

    Raises:
        FileNotFoundError: If there is no checkpoint.
        ValueError: If the checkpoint is not of such a training state.
    """
    path = Path(path).absolute()
    if not (path / MARKER).exists():
        raise FileNotFoundError(f"{path} is not a checkpoint{_instead(path)}")
    _, learner = take_apart(like)
    wanted = _arrays(learner)
    with orbax.checkpoint.StandardCheckpointer() as checkpointer:
        saved = dict(checkpointer.metadata(path).item_metadata.items())
        _check_same(path, _types(saved), _types(wanted))
        targets = {name: _target(array) for name, array in wanted.items()}
        arrays = checkpointer.restore(path, targets)
    leaves = [
        from_numbers(arrays[name], leaf) if name in arrays else leaf
        for name, leaf in _by_name(learner).items()
    ]
    restored: Learner = jax.tree.unflatten(jax.tree.structure(learner), leaves)
    return write_back(restored, like)


def _by_name(learner: Learner) -> dict[str, Any]:
    """All leaves by their path."""
    return {jax.tree_util.keystr(path): leaf for path, leaf in jax.tree.leaves_with_path(learner)}


def _arrays(learner: Learner) -> dict[str, jax.Array]:
    """All leaves that hold something; keys as their numbers, which is what can be stored."""
    return {name: numbers_of(leaf) for name, leaf in _by_name(learner).items() if leaf.size}


def _target(array: jax.Array) -> Any:
    return jax.ShapeDtypeStruct(array.shape, array.dtype, sharding=array.sharding)


def _types(arrays: dict[str, Any]) -> dict[str, str]:
    return {name: f"{array.dtype}{list(array.shape)}" for name, array in arrays.items()}


def _check_same(path: Path, saved: dict[str, str], wanted: dict[str, str]) -> None:
    for name in sorted(saved.keys() | wanted.keys()):
        there, here = saved.get(name, "missing"), wanted.get(name, "missing")
        if there != here:
            raise ValueError(
                f"{path} is of another environment, network or number of environments: {name} is "
                f"{there} there and {here} in the state to restore; make that state with the "
                "settings of the run that saved it"
            )


def _instead(path: Path) -> str:
    """The checkpoints that might have been meant."""
    near = path if path.is_dir() else path.parent
    found = sorted(each.parent.name for each in near.glob(f"*/{MARKER}"))
    return f"; in {near} there are {', '.join(found)}" if found else ""
