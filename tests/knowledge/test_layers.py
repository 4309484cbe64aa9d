"""The table of drawing layers against the installed Flax."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import flax.linen as linen
import flax.nnx as nnx
import jax.numpy as jnp
import pytest

from flake8_nnx_rng.knowledge import layers, library

SILENT = {
    "flax.nnx.GRUCell": "its stream is kept for initialize_carry, which RNN calls",
    "flax.nnx.LSTMCell": "its stream is kept for initialize_carry, which RNN calls",
    "flax.nnx.OptimizedLSTMCell": "its stream is kept for initialize_carry, which RNN calls",
    "flax.nnx.SimpleCell": "its stream is kept for initialize_carry, which RNN calls",
    "flax.nnx.Sequential": "hands rngs on to its layers and has none itself",
    "flax.nnx.bridge.Module": "a base class for linen's style, no layer",
}
"""Modules that mention streams and draw nothing when they are called."""

HINTS = ("self.rngs", "keep_rngs", "make_rng")
X = jnp.ones((2, 3))


def _modules() -> Iterator[tuple[str, type]]:
    for package in ("flax.nnx", "flax.nnx.bridge"):
        for name, value in vars(importlib.import_module(package)).items():
            if inspect.isclass(value) and issubclass(value, nnx.Module):
                yield f"{package}.{name}", value


def _mentions_drawing(layer: type) -> bool:
    source = inspect.getsource(layer)
    parameters = inspect.signature(layer.__call__).parameters
    return "rngs" in parameters or any(hint in source for hint in HINTS)


def test_every_flax_layer_that_mentions_drawing_is_classified() -> None:
    drawing = {name for name, layer in _modules() if _mentions_drawing(layer)}
    classified = layers.DRAWING_LAYERS.keys() | layers.RECURRENT_CALLERS | SILENT.keys()
    assert drawing - classified == set()


def test_every_classified_layer_exists_and_is_listed_once() -> None:
    names = [*layers.DRAWING_LAYERS, *layers.RECURRENT_CALLERS, *SILENT]
    assert set(names) <= {name for name, _ in _modules()}
    assert len(names) == len(set(names))


def test_the_modelled_layers_are_those_of_the_other_tables_and_flax_has_them() -> None:
    assert layers.DRAWING_LAYERS.keys() | layers.RECURRENT_CALLERS < layers.MODELLED
    assert dict(_modules()).keys() >= layers.MODELLED
    assert {library.canonical(name) for name in layers.MODELLED} == layers.MODELLED


def test_the_modelled_methods_are_those_of_layers() -> None:
    names = {name for _, layer in _modules() for name in dir(layer)}
    assert names >= layers.METHODS


def _class(name: str) -> type:
    return dict(_modules())[name]


def _parameters(layer: type) -> list[inspect.Parameter]:
    """The constructor's parameters behind self."""
    constructor = inspect.getattr_static(layer, "__init__")
    return list(inspect.signature(constructor).parameters.values())[1:]


RATED = [name for name, layer in layers.DRAWING_LAYERS.items() if layer.rate is not None]


@pytest.mark.parametrize("name", RATED)
def test_the_rate_stands_where_the_table_says(name: str) -> None:
    layer = layers.DRAWING_LAYERS[name]
    assert layer.rate is not None
    parameters = _parameters(_class(name))
    (position,) = (i for i, p in enumerate(parameters) if p.name == layer.rate)
    rate = parameters[position]
    if layer.rate_position is None:
        assert rate.kind is inspect.Parameter.KEYWORD_ONLY
    else:
        assert position == layer.rate_position
        assert rate.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
    silent_by_default = rate.default in layer.silent_rates
    assert silent_by_default is not layer.default_draws


def _attention(rate: float, rngs: nnx.Rngs) -> nnx.MultiHeadAttention:
    return nnx.MultiHeadAttention(
        1, 3, dropout_rate=rate, deterministic=False, decode=False, rngs=rngs
    )


MAKERS: dict[str, Callable[[float, nnx.Rngs], nnx.Module]] = {
    "flax.nnx.Dropout": lambda rate, rngs: nnx.Dropout(rate, rngs=rngs),
    "flax.nnx.MultiHeadAttention": _attention,
}


def _advances(layer: Any, *arguments: Any, **options: Any) -> bool:
    """Whether a call advances any stream of a layer."""
    before = _counts(layer)
    layer(*arguments, **options)
    return _counts(layer) != before


def _counts(layer: nnx.Module) -> list[int]:
    return [
        int(value[...]) for _, value in nnx.iter_graph(layer) if isinstance(value, nnx.RngCount)
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "rate"),
    [(name, rate) for name in RATED for rate in (*layers.DRAWING_LAYERS[name].silent_rates, 0.25)],
)
def test_a_layer_draws_unless_its_rate_is_silent(name: str, rate: float) -> None:
    layer = MAKERS[name](rate, nnx.Rngs(0))
    silent = rate in layers.DRAWING_LAYERS[name].silent_rates
    assert _advances(layer, X) is not silent


@pytest.mark.slow
@pytest.mark.parametrize("name", RATED)
def test_a_layer_is_silent_when_the_call_says_deterministic(name: str) -> None:
    layer = MAKERS[name](0.25, nnx.Rngs(0))
    assert not _advances(layer, X, **{layers.SILENT_FLAG: True})


@pytest.mark.slow
@pytest.mark.parametrize("name", RATED)
def test_a_layer_leaves_its_stream_alone_when_the_call_passes_another(name: str) -> None:
    layer = MAKERS[name](0.25, nnx.Rngs(0))
    assert not _advances(layer, X, **{layers.KEY_ARGUMENT: nnx.Rngs(1)})


@pytest.mark.slow
def test_a_bridged_layer_draws_from_its_stream() -> None:
    module = linen.Dropout(0.5, deterministic=False)
    layer = nnx.bridge.lazy_init(nnx.bridge.ToNNX(module, rngs=nnx.Rngs(0)), X)
    assert _advances(layer, X)
    assert hasattr(layer, layers.DRAWING_LAYERS["flax.nnx.bridge.ToNNX"].stream)


@pytest.mark.parametrize("name", sorted(layers.RETURNING_SELF))
def test_what_returns_the_layer_itself_is_a_modelled_method(name: str) -> None:
    assert name in layers.METHODS
    layer = nnx.bridge.ToNNX(linen.Dense(2), rngs=nnx.Rngs(0))
    assert getattr(layer, name)(X) is layer


@pytest.mark.parametrize("name", RATED)
def test_a_layer_keeps_its_stream_where_the_table_says(name: str) -> None:
    layer = MAKERS[name](0.25, nnx.Rngs(0))
    stream = getattr(layer, layers.DRAWING_LAYERS[name].stream)
    assert isinstance(stream, (nnx.Rngs, nnx.RngStream))


CELLS = ("GRUCell", "LSTMCell", "OptimizedLSTMCell", "SimpleCell")


def _varies(cell: str, carry: Any = None, **options: Any) -> bool:
    """Whether two calls of a recurrent layer on the same input differ."""
    layer = nnx.RNN(getattr(nnx, cell)(3, 3, rngs=nnx.Rngs(0), **options), rngs=nnx.Rngs(1))
    first, second = (layer(X[None], **{layers.CARRY_ARGUMENT: carry}) for _ in range(2))
    return bool((first != second).any())


@pytest.mark.slow
@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.filterwarnings("ignore:carry_init is provided")
def test_a_recurrent_layer_varies_only_by_a_random_initial_carry(cell: str) -> None:
    random = {layers.CARRY_INITIALIZER: nnx.initializers.normal()}
    given = getattr(getattr(nnx, cell)(3, 3, rngs=nnx.Rngs(0)), layers.CARRY_METHOD)
    assert not _varies(cell)
    assert _varies(cell, **random)
    assert not _varies(cell, given((1, 3), rngs=nnx.Rngs(2)), **random)


@pytest.mark.parametrize("name", sorted(layers.RECURRENT_CALLERS))
def test_a_recurrent_layer_takes_an_initial_carry(name: str) -> None:
    parameters = inspect.signature(_class(name).__call__).parameters
    assert {layers.CARRY_ARGUMENT, layers.KEY_ARGUMENT} <= parameters.keys()


def test_layer_names_are_canonical() -> None:
    names = [*layers.DRAWING_LAYERS, *layers.RECURRENT_CALLERS]
    assert [library.canonical(name) for name in names] == names
