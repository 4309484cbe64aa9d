"""A new public name on random state, in any library that is known, has to be classified."""

from __future__ import annotations

import importlib
import inspect
import random
import secrets
from collections.abc import Callable
from typing import Any

import flax.nnx as nnx
import jax
import numpy as np
import pytest
from flax.nnx import rnglib

from flake8_nnx_rng.knowledge import keys, library, streams

from . import drift

CHECKS: dict[str, tuple[Callable[[Any], set[str]], Any]] = {
    "jax.random": (drift.random_functions, jax.random),
    "jax.nn.initializers": (drift.initializers, jax.nn.initializers),
    "flax.nnx.initializers": (drift.initializers, nnx.initializers),
    "flax.nnx": (drift.flax_names, nnx),
    "flax.nnx.rnglib": (drift.flax_names, rnglib),
    "flax.nnx.bridge": (drift.flax_names, nnx.bridge),
    "flax.nnx.Rngs": (drift.stream_methods, nnx.Rngs),
    "flax.nnx.RngStream": (drift.stream_methods, nnx.RngStream),
    "layers that write": (drift.writing_layers, nnx),
    "random": (lambda module: drift.host_functions(module, "random"), random),
    "secrets": (lambda module: drift.host_functions(module, "secrets"), secrets),
    "numpy.random": (lambda module: drift.host_functions(module, "numpy.random"), np.random),
}


@pytest.mark.parametrize("where", CHECKS)
def test_every_public_name_on_random_state_is_classified(where: str) -> None:
    unclassified, owner = CHECKS[where]
    assert unclassified(owner) == set()


class Jitter(nnx.Module):
    """A layer that keeps a fork of the stream under a name of its own, and draws from it."""

    def __init__(self, rngs: nnx.Rngs) -> None:
        self.source = rngs.noise.fork()

    def __call__(self, x: jax.Array) -> Any:
        return x + self.source.normal(x.shape)


class Shaken(nnx.Module):
    """A layer that keeps no stream and takes one in its call."""

    def __call__(self, x: jax.Array, *, rngs: nnx.Rngs) -> Any:
        return x + rngs.normal(x.shape)


class Inherited(Shaken):
    """A layer whose drawing stands in its base."""


class Dense(nnx.Module):
    """A layer that draws its parameters when it is built, and nothing later."""

    def __init__(self, features: int, *, rngs: nnx.Rngs) -> None:
        self.kernel = nnx.Param(nnx.initializers.normal()(rngs.params(), (features,)))

    def __call__(self, x: jax.Array) -> Any:
        return x * self.kernel[...]


class Counting(nnx.Module):
    """A layer that writes state of its own, in a helper."""

    def __init__(self) -> None:
        self.count = nnx.Variable(0)

    def __call__(self, x: jax.Array) -> Any:
        self._advance()
        return x

    def _advance(self) -> None:
        self.count[...] += 1


def stir_rngs(node: Any, splits: int) -> Any:
    """A function on streams."""
    return nnx.split_rngs(node, splits=splits)


def jumble(key: jax.Array, *, seed: int = 0) -> jax.Array:
    """A function whose signature alone says it, and that is called like nothing known."""
    return key


NEW: list[tuple[str, str, Any]] = [
    ("jax.random", "zipf", lambda key, a: key),
    ("jax.nn.initializers", "sparse", lambda key, shape: key),
    ("flax.nnx", "flax.nnx.Jitter", Jitter),
    ("flax.nnx", "flax.nnx.Shaken", Shaken),
    ("flax.nnx", "flax.nnx.stir_rngs", stir_rngs),
    ("flax.nnx", "flax.nnx.jumble", jumble),
    ("flax.nnx.rnglib", "flax.nnx.stir_rngs", stir_rngs),
    ("flax.nnx.bridge", "flax.nnx.bridge.Jitter", Jitter),
    ("flax.nnx.Rngs", "zipf", lambda rngs: rngs),
    ("flax.nnx.RngStream", "zipf", lambda stream: stream),
    ("layers that write", "flax.nnx.Counting", Counting),
    ("numpy.random", "Legacy", lambda: 0.0),
]


@pytest.mark.parametrize(("where", "name", "value"), NEW, ids=[f"{w}-{n}" for w, n, _ in NEW])
def test_a_new_name_is_named(
    where: str, name: str, value: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    unclassified, owner = CHECKS[where]
    before = unclassified(owner)
    monkeypatch.setattr(owner, name.rpartition(".")[2], value, raising=False)
    assert unclassified(owner) - before == {name}


def test_only_use_counts_not_construction() -> None:
    assert drift.handles_random_state(Inherited)
    assert not drift.handles_random_state(Dense)
    assert drift.handles_random_state(nnx.Dropout)
    assert not drift.handles_random_state(nnx.Linear)


@pytest.mark.parametrize("name", sorted(drift.INERT))
def test_what_is_said_to_be_inert_exists_and_does_handle_random_state(name: str) -> None:
    owner = nnx.bridge if ".bridge." in name else rnglib
    last = name.rpartition(".")[2]
    value = getattr(owner, last, None) or getattr(nnx, last)
    assert library.canonical(name) == name
    if name != "flax.nnx.Sequential":  # its call takes no streams since flax 0.12.9
        assert drift.handles_random_state(value) or last == "SplitBackups"


def test_an_initializer_is_of_one_kind() -> None:
    kinds = keys.SILENT_INITIALIZERS, keys.SILENT_FACTORIES, streams.INITIALIZER_METHODS, keys.DRAWS
    assert sum(map(len, kinds)) == len(frozenset[str]().union(*kinds))


@pytest.mark.parametrize("name", sorted(keys.KEYED_FUNCTIONS))
def test_a_function_that_draws_takes_its_key_where_the_table_says(name: str) -> None:
    module, _, last = name.rpartition(".")
    found = inspect.signature(getattr(importlib.import_module(module), last)).parameters
    function = keys.KEYED_FUNCTIONS[name]
    if function.position is None:
        assert found[function.parameter].kind is inspect.Parameter.KEYWORD_ONLY
    places = [(function.parameter, function.position), function.rate, function.silencer]
    for parameter, position in filter(None, places):
        assert position is None or list(found)[position] == parameter


SEARCHED = ("flax.linen", "flax.nnx", "jax", "jax.lax", "jax.nn", "jax.numpy", "optax")
NO_KEYS: dict[str, str] = {
    "flax.linen.ones": "an initializer",
    "flax.linen.zeros": "an initializer",
    "jax.lax.sort_key_val": "a key to sort by",
    "jax.numpy.lexsort": "keys to sort by",
    "optax.add_noise": "a gradient transformation, which is built outside a forward pass",
    "optax.noisy_sgd": "an optimizer, which is built outside a forward pass",
}
"""Functions with a parameter that is called as keys are, and is none."""


@pytest.mark.parametrize("package", SEARCHED)
def test_every_function_with_a_parameter_for_a_key_is_classified(package: str) -> None:
    taking = drift.functions_taking(importlib.import_module(package))
    assert taking - keys.KEYED_FUNCTIONS.keys() - NO_KEYS.keys() == set()


def test_a_new_function_with_such_a_parameter_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    before = drift.functions_taking(jax.lax)
    monkeypatch.setattr(jax.lax, "scatter_at_random", lambda x, *, rng: x, raising=False)
    assert drift.functions_taking(jax.lax) - before == {"jax.lax.scatter_at_random"}
