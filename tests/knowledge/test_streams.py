"""The tables of streams and variables against the installed Flax."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import flax.nnx as nnx
import pytest
from flax.nnx import rnglib

from flake8_nnx_rng.knowledge import library, streams

_METADATA = (
    "add_axis del_metadata from_metadata get_metadata has_metadata remove_axis "
    "required_metadata set_metadata sharding_names type var_type"
)
_STORAGE = "create_value hijax ref replace shape to_state"
INERT_OF_VARIABLES = frozenset(f"{_METADATA} {_STORAGE}".split())
"""Public names of a Variable that the interpreter does not follow."""

RENAMED = {"unbox_value"}
"""Names that only other releases have."""


def _public(owner: Any) -> set[str]:
    return {name for name in dir(owner) if not name.startswith("_")}


@pytest.mark.parametrize("name", sorted(streams.DRAW_METHODS | streams.INITIALIZER_METHODS))
def test_every_classified_draw_exists_on_streams_and_on_collections_of_them(name: str) -> None:
    assert callable(getattr(nnx.Rngs, name))
    assert callable(getattr(nnx.RngStream, name))


@pytest.mark.parametrize("name", sorted(streams.ADVANCE_METHODS | streams.MAPPING_METHODS))
def test_every_other_classified_method_exists_on_a_collection_of_streams(name: str) -> None:
    assert callable(getattr(nnx.Rngs, name))


def _count(rngs: nnx.Rngs) -> int:
    return int(rngs["default"].count[...])


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(streams.INITIALIZER_METHODS))
def test_an_initializer_draws_only_when_it_is_called(name: str) -> None:
    rngs = nnx.Rngs(0)
    arguments = (1.0, "fan_in", "normal") if name == "variance_scaling" else ()
    initializer = getattr(rngs, name)(*arguments)
    assert _count(rngs) == 0
    initializer((3, 3, 3) if name == "delta_orthogonal" else (3, 3))
    assert _count(rngs) == 1


@pytest.mark.parametrize(
    ("use", "advanced"),
    [
        pytest.param(lambda rngs: rngs(), 1, id="call"),
        pytest.param(lambda rngs: rngs.noise(), 1, id="named stream"),
        pytest.param(lambda rngs: rngs["noise"](), 1, id="subscript"),
        pytest.param(lambda rngs: rngs.normal((2,)), 1, id="draw"),
        pytest.param(lambda rngs: rngs.fork(), 1, id="fork"),
        pytest.param(lambda rngs: rngs.split(2), 1, id="split"),
        pytest.param(lambda rngs: rngs.broadcast(2), 1, id="broadcast"),
        pytest.param(lambda rngs: rngs.items(), 0, id="items"),
        pytest.param(lambda rngs: rngs.default, 0, id="attribute"),
    ],
)
def test_a_stream_advances_when_the_tables_say_so(
    use: Callable[[nnx.Rngs], Any], advanced: int
) -> None:
    rngs = nnx.Rngs(0)
    use(rngs)
    assert _count(rngs) == advanced


def _functions(owner: Any) -> dict[str, Any]:
    return {
        name: value
        for name in _public(owner)
        if inspect.isfunction(value := getattr(owner, name)) or inspect.isbuiltin(value)
    }


def test_every_classified_function_on_streams_exists() -> None:
    known = {f"flax.nnx.{name}" for name in {*_functions(nnx), *_functions(rnglib)}}
    wanted = {library.canonical(name) for name in streams.ADVANCE_FUNCTIONS}
    assert wanted - known == set()


@pytest.mark.parametrize("owner", [nnx.Variable, nnx.RngKey, nnx.RngCount])
def test_every_public_name_of_a_variable_is_classified(owner: type) -> None:
    classified = streams.VARIABLE_METHODS | streams.VALUE_ATTRIBUTES | INERT_OF_VARIABLES
    assert _public(owner) - classified == set()
    assert (streams.VARIABLE_METHODS | streams.VALUE_ATTRIBUTES) - _public(owner) <= RENAMED


@pytest.mark.parametrize(
    "names",
    [
        streams.STREAM_TYPES,
        streams.KEY_TYPES,
        streams.VARIABLE_TYPES,
        streams.STATE_FILTERS,
        streams.WRITE_FUNCTIONS,
        streams.STATE_FUNCTIONS,
    ],
    ids=["streams", "keys", "variables", "filters", "writes", "states"],
)
def test_every_name_in_a_table_is_public_in_flax(names: frozenset[str]) -> None:
    assert not [name for name in names if not hasattr(nnx, name.removeprefix("flax.nnx."))]


def test_the_types_of_keys_and_streams_are_as_the_tables_group_them() -> None:
    assert issubclass(nnx.RngKey, nnx.RngState)
    assert issubclass(nnx.RngState, nnx.Variable)
    stream = nnx.Rngs(0)["default"]
    assert {name for name, value in vars(stream).items() if isinstance(value, nnx.RngState)} == (
        streams.STREAM_STATE
    )


@pytest.mark.parametrize(
    ("path", "is_stream"),
    [
        ("self.rngs", True),
        ("self.rng", True),
        ("rngs", True),
        ("self.noise_rngs", True),
        ("self.rng_scale", False),
        ("self.string", False),
        ("self.rngs.scale", False),
        ("", False),
    ],
)
def test_a_name_hints_at_a_stream_by_its_last_word(path: str, is_stream: bool) -> None:
    assert streams.is_stream_name(path) is is_stream
