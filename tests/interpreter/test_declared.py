"""What a type annotation says about a value."""

from __future__ import annotations

import libcst as cst
import pytest
import support
from interpreting import shown, value_of

from flake8_nnx_rng.interpreter import declared
from flake8_nnx_rng.interpreter.taint import Carried
from flake8_nnx_rng.interpreter.values import Layer

FILE = support.parse(
    support.module(
        "import typing\nimport typing as t\nfrom flax.nnx import Rngs\nfrom flax import nnx as n\n"
        "Alias = nnx.Rngs\nclass Own: pass\n"
    )
)

ANNOTATIONS: dict[str, tuple[str, str]] = {
    "a stream": ("nnx.Rngs", "rngs@p"),
    "a single stream": ("nnx.RngStream", "stream@p"),
    "a key": ("nnx.RngKey", "key@p"),
    "random state": ("nnx.RngState", "key@p"),
    "a layer that draws": ("nnx.Dropout", "Dropout@p"),
    "an imported name": ("Rngs", "rngs@p"),
    "a renamed package": ("n.Rngs", "rngs@p"),
    "an alias": ("Alias", "rngs@p"),
    "a string": ("'nnx.Rngs'", "rngs@p"),
    "a string in an optional": ("Optional['nnx.Rngs']", "rngs@p"),
    "an optional": ("Optional[nnx.Rngs]", "rngs@p"),
    "a dotted optional": ("typing.Optional[nnx.Rngs]", "rngs@p"),
    "a union with None": ("nnx.Rngs | None", "rngs@p"),
    "a union the other way round": ("None | nnx.Rngs", "rngs@p"),
    "a union of many": ("t.Union[int, nnx.RngKey, None]", "key@p"),
    "something annotated": ("t.Annotated[nnx.Rngs, 'noise']", "rngs@p"),
    "something final": ("t.Final[nnx.Dropout]", "Dropout@p"),
}

SILENT = {
    "a layer that does not draw": "nnx.Linear",
    "an array": "jax.Array",
    "a builtin": "int",
    "a class of the file": "Own",
    "a list": "list[nnx.Rngs]",
    "a function": "t.Callable[[nnx.Rngs], None]",
    "a section, which is no type": "Optional[nnx.Rngs:nnx.Rngs]",
    "a subscript of a call": "f()[nnx.Rngs]",
    "a string that is no expression": "'a rate of 3 %'",
    "a call": "f()",
    "nothing": "None",
}


@pytest.mark.parametrize(("annotation", "expected"), ANNOTATIONS.values(), ids=ANNOTATIONS.keys())
def test_an_annotation_declares(annotation: str, expected: str) -> None:
    value = declared.value_of(cst.parse_expression(annotation), FILE.scope, "p")
    assert value is not None
    assert shown(value) == expected


@pytest.mark.parametrize("annotation", SILENT.values(), ids=SILENT.keys())
def test_an_annotation_says_nothing_of(annotation: str) -> None:
    assert declared.value_of(cst.parse_expression(annotation), FILE.scope, "p") is None


def test_what_a_declared_layer_was_built_with_is_unknown() -> None:
    value = declared.value_of(cst.parse_expression("nnx.MultiHeadAttention"), FILE.scope, "p")
    assert isinstance(value, Layer)
    assert not value.is_built


def test_a_given_taint_is_kept() -> None:
    taint = frozenset({Carried("state")})
    value = declared.value_of(cst.parse_expression("nnx.RngKey"), FILE.scope, "p", taint)
    assert value is not None
    assert shown(value) == "key{carry}@p"


PARAMETERS: dict[str, tuple[str, str]] = {
    "data, which keeps where it comes from": ("f(state)", "rngs{carry}@state"),
    "data that is held, which keeps its place": ("f(self.thing)", "rngs@self.thing"),
    "data of no place": ("f(x + 1)", "rngs{input}"),
    "nothing": ("f()", "rngs"),
    "what is known better": ("f(self.key)", "key@self.key"),
    "a literal": ("f(None)", "None"),
}


@pytest.mark.parametrize(("call", "expected"), PARAMETERS.values(), ids=PARAMETERS.keys())
def test_a_parameter_annotated_as_a_stream_and_given(call: str, expected: str) -> None:
    assert value_of(call, before="def f(r: nnx.Rngs): return r") == expected
