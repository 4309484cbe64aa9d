"""What a user imports stands at the top of the package."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import pkgutil
from types import ModuleType

import pytest

import nnx_ppo_ref


def shared_modules() -> list[str]:
    """The paths below the package at which nnx-ppo has a module too."""
    if importlib.util.find_spec("nnx_ppo") is None:
        return []
    paths = [
        module.name.partition(".")[2]
        for module in pkgutil.walk_packages(nnx_ppo_ref.__path__, "nnx_ppo_ref.")
    ]
    return [path for path in paths if _exists(f"nnx_ppo.{path}")]


def _exists(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # not even its parent does
        return False


def defined(module: ModuleType) -> set[str]:
    """The public classes and functions that a module defines."""
    return {
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and (inspect.isclass(value) or inspect.isfunction(value))
        and value.__module__ == module.__name__
    }


@pytest.mark.parametrize("path", shared_modules())
def test_what_nnx_ppo_has_too_can_be_imported_from_the_package_itself(path: str) -> None:
    theirs, ours = (importlib.import_module(f"{top}.{path}") for top in ("nnx_ppo", "nnx_ppo_ref"))
    shared = {name for name in defined(theirs) if hasattr(ours, name)}
    assert shared <= set(nnx_ppo_ref.__all__)


@pytest.mark.parametrize("name", ["CategoricalSampler", "NoisyDense", "Dropout", "BernoulliGate"])
def test_the_layers_that_only_we_have_can_be_imported_from_the_package_itself(name: str) -> None:
    assert name in nnx_ppo_ref.__all__


def test_every_name_is_there_once() -> None:
    assert len(set(nnx_ppo_ref.__all__)) == len(nnx_ppo_ref.__all__)
    assert all(hasattr(nnx_ppo_ref, name) for name in nnx_ppo_ref.__all__)
