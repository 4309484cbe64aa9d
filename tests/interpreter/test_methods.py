"""Methods of streams, Variables, collections and layers."""

from __future__ import annotations

import pytest
from interpreting import events_in, value_of

from flake8_nnx_rng.interpreter.methods import assumed_stream
from flake8_nnx_rng.interpreter.values import Opaque, Stream
from flake8_nnx_rng.knowledge import streams

VALUES: dict[str, tuple[str, str]] = {
    "a draw depends on its arguments": (
        "self.rngs.normal(x)",
        "data{input, sample self.rngs.normal(x), self.rngs}",
    ),
    "a draw from a stream of the carry": (
        "nnx.Rngs(state).normal()",
        "data{carry, redrawn nnx.Rngs(state).normal()}",
    ),
    "a fork is a stream": (
        "self.rngs.fork()",
        "rngs{drawn self.rngs.fork(), sample self.rngs.fork(), self.rngs}",
    ),
    "a fork of a single stream is one": (
        "self.stream.fork()",
        "stream{drawn self.stream.fork(), sample self.stream.fork(), self.stream}",
    ),
    "a fork of a stream of the carry": ("nnx.Rngs(state).fork()", "rngs{carry}"),
    "the streams of a stream": (
        "self.rngs.items()",
        "[(data, stream{self.rngs}@self.rngs[...])...]",
    ),
    "a stream's own value": ("self.stream.get_value()", "stream@self.stream"),
    "something else of a stream": (
        "self.stream.tag(x)",
        "data{asked self.stream.tag, input, self.stream}",
    ),
    "a key's value": ("self.key.get_value()", "key@self.key"),
    "a key's copy": ("self.key.copy()", "key@self.key"),
    "a write yields nothing of interest": ("self.key.set_value(x)", "data"),
    "something else of a key": ("self.key.sum(x)", "data{input, self.key}"),
    "a collection's own": ("(1, 2).count(x)", "data{input}"),
    "a collection's own with a function": ("(1,).sort(key=lambda v: self.key)", "data{self.key}"),
    "an entry": ("{'a': 1}.get('a')", "1"),
    "an entry of either of two": ("({'a': 1} if x else (2,)).pop('a')", "1 | 2"),
    "a record's change": ("P(1)._replace(a=2)", "P(a=2)"),
    "a record's change by its other name": ("P(1).replace(a=2)", "P(a=2)"),
    "a record's own": ("P(state).foo(x)", "data{carry, input}"),
    "a literal's own": ("'a'.join(x)", "data{input}"),
}


@pytest.mark.parametrize(("code", "expected"), VALUES.values(), ids=VALUES.keys())
def test_a_method_yields(code: str, expected: str) -> None:
    assert value_of(code, before="class P(NamedTuple):\n    a: int") == expected


EVENTS: dict[str, tuple[str, list[str]]] = {
    "an initializer draws when it is called": (
        "self.rngs.he_normal()(self.key)",
        ["self.rngs.he_normal()(self.key) draws from self.rngs"],
    ),
    "an initializer that is not called": ("self.rngs.he_normal()", []),
    "a key's value is written": (
        "self.key.set_value(x)",
        ["self.key.set_value(x) writes self.key: key@self.key -> data{input}@x"],
    ),
    "a key's value is written by name": (
        "self.key.set_value(value=x)",
        ["self.key.set_value(value=x) writes self.key: key@self.key -> data{input}@x"],
    ),
    "a key is copied from another": (
        "self.key.copy_from(other=x)",
        ["self.key.copy_from(other=x) writes self.key: key@self.key -> data{input}"],
    ),
    "a stream is written": (
        "self.rngs.noise.set_value(1)",
        [
            "self.rngs.noise.set_value(1) writes self.rngs.noise: "
            "stream{self.rngs}@self.rngs.noise -> 1"
        ],
    ),
    "something unknown is written": (
        "self.thing.set_value(1)",
        ["self.thing.set_value(1) writes self.thing: data@self.thing -> 1"],
    ),
    "a derived key is written": ("jax.random.split(self.key).set_value(x)", []),
    "a key's value is read": ("self.key.get_value()", []),
    "a method is kept in a variable": (
        "f = (self.rngs if x else self.stream).normal\nf()",
        ["f() draws from self.rngs", "f() draws from self.stream"],
    ),
    "a loop over the streams of a stream": (
        "for name, s in self.rngs.items(): s()",
        ["s() draws from self.rngs[...]"],
    ),
    "a loop over the streams of a stream of the carry": (
        "r = nnx.Rngs(state)\nfor name, s in r.items(): s()",
        ["nnx.Rngs(state) constructs flax.nnx.Rngs of {carry}", "s() draws from stream{carry}"],
    ),
    "a loop that forks a fork": (
        "r = nnx.Rngs(state)\nfor i in x: r = r.fork()\nr()",
        [
            "nnx.Rngs(state) constructs flax.nnx.Rngs of {carry}",
            "r.fork() advances rngs{carry}",
            "r() draws from rngs{carry}",
        ],
    ),
}


@pytest.mark.parametrize(("code", "expected"), EVENTS.values(), ids=EVENTS.keys())
def test_what_happens_when(code: str, expected: list[str]) -> None:
    assert events_in(code) == expected


@pytest.mark.parametrize("name", sorted(streams.DRAW_METHODS))
def test_every_draw_method_draws(name: str) -> None:
    code = f"self.rngs.{name}((2,))"
    assert events_in(code) == [f"{code} draws from self.rngs"]


@pytest.mark.parametrize("name", sorted(streams.ADVANCE_METHODS))
def test_every_method_that_makes_streams_advances(name: str) -> None:
    code = f"self.stream.{name}(2)"
    assert events_in(code) == [f"{code} advances self.stream"]


ASSUMED: dict[str, tuple[str, tuple[Stream, str] | None]] = {
    "a name of streams": ("self.rngs", (Stream(path="self.rngs"), "")),
    "a draw method of one": ("self.rng.normal", (Stream(path="self.rng"), "normal")),
    "a stream of one": ("self.rngs.noise", (Stream(path="self.rngs.noise", single=True), "")),
    "any other name": ("self.key.normal", None),
    "a name that begins so": ("self.rng_scale", None),
}


@pytest.mark.parametrize(("path", "expected"), ASSUMED.values(), ids=ASSUMED.keys())
def test_a_stream_is_assumed_by(path: str, expected: tuple[Stream, str] | None) -> None:
    base, _, name = path.rpartition(".")
    assert assumed_stream(Opaque(path=path), base, name) == expected
