"""Streams, Variables and state of `flax.nnx`."""

from __future__ import annotations

import pytest
from interpreting import events_in, value_of

DROP = "self.drop = nnx.Dropout(0.5)"

VALUES: dict[str, tuple[str, str]] = {
    "a stream of a constant": ("nnx.Rngs(0)", "rngs{fixed nnx.Rngs(0)}"),
    "a stream of nothing": ("nnx.Rngs()", "rngs{fixed nnx.Rngs()}"),
    "a single stream": ("nnx.RngStream(state, tag='a')", "stream{carry}"),
    "a stream of named keys": ("nnx.Rngs(params=0, noise=state)", "rngs{carry}"),
    "a stream of streams is a copy": ("nnx.Rngs(self.rngs)", "rngs@self.rngs"),
    "a stream of one of its streams": ("nnx.Rngs(noise=self.stream)", "rngs@self.stream"),
    "a stream of what may be a stream": ("nnx.Rngs(self.rngs if x else 0)", "rngs@self.rngs"),
    "a stream of a stream of the pass": ("nnx.Rngs(nnx.Rngs(state))", "rngs{carry}"),
    "a variable is its content": ("nnx.Variable(state)", "data{carry}"),
    "a variable by name": ("nnx.Param(value=x)", "data{input}"),
    "a variable of nothing": ("nnx.Variable()", "data"),
    "a variable of what a star brings": ("nnx.Variable(*state)", "data{carry}"),
    "a key": ("nnx.RngKey(state, tag=x)", "key{carry, input}"),
    "random state": ("nnx.state(self, nnx.RngState)", "key{self}"),
    "random state among others": ("nnx.state(self, nnx.Param, nnx.RngKey)", "key{self}"),
    "state of a stream": ("nnx.state(self.rngs)", "key{self.rngs}"),
    "other state": ("nnx.state(self, nnx.Param)", "data{self}"),
    "all state": ("nnx.state(self)", "data{self}"),
    "state of nothing": ("nnx.state()", "data"),
    "a function with split streams": ("nnx.split_rngs(lambda: 1)", "function lambda"),
    "a decorator that splits streams": ("nnx.split_rngs(splits=3)", "data"),
    "split streams": ("nnx.split_rngs(self.rngs)", "data{self.rngs}"),
    "a split module": ("nnx.split(self)", "(partial(flax.nnx.merge, M@self), data{self})"),
    "a split stream, of several states": (
        "nnx.split(self.rngs, nnx.RngKey, ...)[1:]",
        "(data{self.rngs}, data{self.rngs})",
    ),
    "a split of nothing": ("nnx.split()[1]", "data"),
    "a merged module": ("d, s = nnx.split(self)\nnnx.merge(d, s)", "M@self"),
    "a merged module by name": (
        "nnx.merge(graphdef=nnx.split(self.rngs)[0], state=x)",
        "rngs@self.rngs",
    ),
    "what was split out of sight": ("nnx.merge(x, state)", "data{carry, input}"),
    "a merge of nothing": ("nnx.merge()", "data"),
    "an update": ("nnx.update(self, state)", "data"),
}


@pytest.mark.parametrize(("code", "expected"), VALUES.values(), ids=VALUES.keys())
def test_a_call_yields(code: str, expected: str) -> None:
    assert value_of(code) == expected


EVENTS: dict[str, tuple[str, list[str]]] = {
    "a stream of a constant": (
        "nnx.Rngs(0)",
        ["nnx.Rngs(0) constructs flax.nnx.Rngs of {fixed nnx.Rngs(0)}"],
    ),
    "a copy constructs nothing": ("nnx.Rngs(self.rngs)", []),
    "a copy draws like its original": (
        "nnx.Rngs(self.rngs).noise()",
        ["nnx.Rngs(self.rngs).noise() draws from self.rngs.noise"],
    ),
    "splitting moves a stream": (
        "nnx.split_rngs(self.rngs, splits=3)",
        ["nnx.split_rngs(self.rngs, splits=3) advances self.rngs"],
    ),
    "splitting moves the streams of a module": (
        "nnx.split_rngs(self, splits=3)",
        ["nnx.split_rngs(self, splits=3) advances self"],
    ),
    "reseeding moves the stream of a layer": (
        "nnx.reseed(self.drop, default=0)",
        ["nnx.reseed(self.drop, default=0) advances self.drop"],
    ),
    "forking moves either of two": (
        "nnx.fork_rngs(self.rngs if x else self.stream)",
        [
            "nnx.fork_rngs(self.rngs if x else self.stream) advances self.rngs",
            "nnx.fork_rngs(self.rngs if x else self.stream) advances self.stream",
        ],
    ),
    "splitting data moves nothing": ("nnx.split_rngs(x)", []),
    "a merged layer draws like its original": (
        "d, s = nnx.split(self.drop)\nnnx.merge(d, s)(x)",
        ["nnx.merge(d, s)(x) draws from self.drop.rngs in Dropout@self.drop"],
    ),
    "an update writes": (
        "nnx.update(self.rngs, state)",
        ["nnx.update(self.rngs, state) writes self.rngs: rngs@self.rngs -> data{carry}@state"],
    ),
    "an update writes either of two": (
        "nnx.update(self.key if x else self.stream, 1)",
        [
            "nnx.update(self.key if x else self.stream, 1) writes self.key: key@self.key -> 1",
            "nnx.update(self.key if x else self.stream, 1) writes self.stream: "
            "stream@self.stream -> 1",
        ],
    ),
    "an update of a module with random state": (
        "nnx.update(self, nnx.state(self, nnx.RngState))",
        ["nnx.update(self, nnx.state(self, nnx.RngState)) writes self: M@self -> key{self}"],
    ),
    "an update of data of no place": ("nnx.update(x + 1, 2)", []),
    "an update of nothing": ("nnx.update()", []),
}


@pytest.mark.parametrize(("code", "expected"), EVENTS.values(), ids=EVENTS.keys())
def test_what_happens(code: str, expected: list[str]) -> None:
    assert events_in(code, init=DROP) == expected
