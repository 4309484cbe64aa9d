"""The tables of layers that draw or write against the installed Flax."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import flax.linen as linen
import flax.nnx as nnx
import jax
import jax.numpy as jnp
import pytest

from flake8_nnx_rng.knowledge import layers, library

X = jnp.ones((2, 3))


def _modules() -> Iterator[tuple[str, type]]:
    for package in ("flax.nnx", "flax.nnx.bridge"):
        for name, value in vars(importlib.import_module(package)).items():
            if inspect.isclass(value) and issubclass(value, nnx.Module):
                yield f"{package}.{name}", value


def test_the_modelled_layers_are_those_of_the_other_tables_and_flax_has_them() -> None:
    assert layers.SELF_WILLED | layers.RECURRENT_CALLERS < layers.MODELLED
    assert layers.SELF_WILLED.isdisjoint(layers.RECURRENT_CALLERS)
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


CELLS = sorted(name.removeprefix("flax.nnx.") for name in layers.CELLS)


def test_the_cells_are_those_of_flax() -> None:
    assert {name for name in dir(nnx) if name.endswith("Cell")} == set(CELLS)


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


class _Counter(linen.Module):
    """Counts its calls, if it may."""

    @linen.compact
    def __call__(self, x: jax.Array) -> jax.Array:
        count = self.variable("batch_stats", "count", lambda: jnp.zeros(()))
        if self.is_mutable_collection("batch_stats"):
            count.value += 1
        return x


def _bridged(rngs: nnx.Rngs) -> Any:
    return nnx.bridge.lazy_init(nnx.bridge.ToNNX(_Counter(), rngs=rngs), X)


def _attend(rngs: nnx.Rngs) -> nnx.MultiHeadAttention:
    layer = nnx.MultiHeadAttention(1, 3, decode=False, rngs=rngs)
    layer.init_cache(X.shape)
    return layer


WRITERS: dict[str, tuple[Callable[[nnx.Rngs], nnx.Module], Any]] = {
    "flax.nnx.BatchNorm": (lambda rngs: nnx.BatchNorm(3, rngs=rngs), False),
    "flax.nnx.SpectralNorm": (
        lambda rngs: nnx.SpectralNorm(nnx.Linear(3, 3, rngs=rngs), rngs=rngs),
        None,
    ),
    "flax.nnx.WeightNorm": (
        lambda rngs: nnx.WeightNorm(nnx.Linear(3, 3, rngs=rngs), rngs=rngs),
        None,
    ),
    "flax.nnx.MultiHeadAttention": (_attend, True),
    "flax.nnx.bridge.ToNNX": (_bridged, ["batch_stats"]),
}
"""How each is built, and a value of its flag at which it writes."""


def _changes(layer: Any, **options: Any) -> bool:
    """Whether a call of a layer leaves its state another."""

    def state() -> list[Any]:
        return jax.tree.leaves(nnx.state(layer, nnx.Not(nnx.RngState)))

    before = jax.tree.map(jnp.copy, state())
    layer(X[:1] * jnp.arange(1.0, 4.0), **options)
    return any(bool((a != b).any()) for a, b in zip(before, state(), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("name", layers.WRITING_LAYERS)
def test_a_layer_writes_unless_the_call_says_what_keeps_it_silent(name: str) -> None:
    writing = layers.WRITING_LAYERS[name]
    make, loud = WRITERS[name]
    assert _changes(make(nnx.Rngs(0))) is writing.writes_unsaid
    if writing.flag is not None:
        assert _changes(make(nnx.Rngs(0)), **{writing.flag: loud})
        for silent in writing.silent_values:
            assert not _changes(make(nnx.Rngs(0)), **{writing.flag: silent})


@pytest.mark.slow
def test_train_undoes_what_a_constructor_said_of_statistics_but_not_of_decoding() -> None:
    hearing = {name for name, one in layers.WRITING_LAYERS.items() if one.hears_constructor}
    assert hearing == {"flax.nnx.MultiHeadAttention"}
    frozen: Any = nnx.BatchNorm(3, use_running_average=True, rngs=nnx.Rngs(0))
    attention: Any = _attend(nnx.Rngs(0))
    for layer in (frozen, attention):
        assert not _changes(layer)
        layer.train()
    assert _changes(frozen)
    assert not _changes(attention)


@pytest.mark.parametrize("name", layers.WRITING_LAYERS)
def test_the_flag_of_a_writing_layer_stands_where_the_table_says(name: str) -> None:
    writing = layers.WRITING_LAYERS[name]
    parameters = list(inspect.signature(_class(name).__call__).parameters.values())[1:]
    for position, parameter in enumerate(parameters):
        if parameter.name == writing.flag:
            is_keyword = parameter.kind is inspect.Parameter.KEYWORD_ONLY
            assert writing.flag_position == (None if is_keyword else position)
            return
    assert writing.flag is None


def test_layer_names_are_canonical() -> None:
    names = [*layers.SELF_WILLED, *layers.RECURRENT_CALLERS]
    assert [library.canonical(name) for name in names] == names
