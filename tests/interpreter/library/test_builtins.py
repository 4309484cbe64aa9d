"""Python's own functions, as far as they hand values on."""

from __future__ import annotations

import pytest
from interpreting import events_in, value_of

BEFORE = "import collections, itertools, types\nclass Empty: pass"
VALUES: dict[str, tuple[str, str]] = {
    "zip of tuples": ("zip((1, 2), (3, 4))", "((1, 3), (2, 4))"),
    "zip of tuples of two lengths": ("zip((1, 2), (3,))", "((1, 3))"),
    "zip of data": ("zip(state, (1, 2))", "[(data{carry}@state[...], 1 | 2)...]"),
    "zip of nothing": ("zip()", "[()...]"),
    "enumerate a tuple": ("enumerate((self.key,))", "((0, key@self.key))"),
    "enumerate data": ("enumerate(state)", "[(data{env}, data{carry}@state[...])...]"),
    "enumerate by name": ("enumerate(iterable=(1,))", "((0, 1))"),
    "enumerate nothing": ("enumerate()", "[(data, data)...]"),
    "a list of a tuple": ("list((1, 2))", "(1, 2)"),
    "a tuple of data": ("tuple(state)", "[data{carry}@state[...]...]"),
    "an empty list": ("list()", "()"),
    "a list of Flax": ("nnx.List([self.key])", "(key@self.key)"),
    "a tuple reversed": ("reversed((1, 2))", "(2, 1)"),
    "data reversed": ("reversed(state)", "[data{carry}@state[...]...]"),
    "nothing reversed": ("reversed()", "()"),
    "a dict of names": ("dict(a=1)", "{'a': 1}"),
    "a dict of a dict": ("dict({'a': 1}, b=2)", "{'a': 1, 'b': 2}"),
    "a dict of pairs": ("dict([('a', 1), ('b', self.key)])", "{**1 | key@self.key}"),
    "a dict of data": ("dict(state)", "{**data{carry}@state[...][1]}"),
    "a dict of unknown names": ("dict(**state)", "{**data{carry}@state[...]}"),
    "a dict of Flax": ("nnx.Dict(a=self.key)", "{'a': key@self.key}"),
    "an ordered dict": ("collections.OrderedDict(a=1)", "{'a': 1}"),
    "the next of a tuple": ("next(iter((1, 2)))", "1 | 2"),
    "the next or a default": ("next(state, 1)", "1 | data{carry}@state[...]"),
    "the next of nothing": ("next()", "data"),
    "a range": ("range(x)", "[data{input}...]"),
    "how many rows data has": ("len(x)", "data{batch_size}"),
    "how many items a tuple has": ("len((1, 2))", "2"),
    "numbers up to how many rows data has": ("range(len(x))", "[data{env}...]"),
    "numbers up to another number": ("range(self.n)", "[data{self.n}...]"),
    "numbers from one to another": ("range(1, 3)", "(1, 2)"),
    "a range that raises": ("range('a')", "[data...]"),
    "a long range": ("range(17)", "[data...]"),
    "a sorted tuple": ("sorted((1, 2))", "(1, 2)"),
    "a sum": ("sum(x)", "data{input}"),
    "map": ("list(map(lambda v: (v, self.key), (1, 2)))", "[(1 | 2, key@self.key)...]"),
    "an attribute by its name": ("getattr(self, 'key')", "key@self.key"),
    "an attribute by an unknown name": (
        "getattr(self, x)",
        "data@self.thing | key@self.key | rngs@self.rngs | stream@self.stream",
    ),
    "an attribute or a default": ("getattr(self, 'a', None)", "None | data@self.a"),
    "a stream, which is always there": (
        "getattr(self.rngs, 'a', None)",
        "stream{self.rngs}@self.rngs.a",
    ),
    "a stream of an unknown name": ("getattr(self.rngs, x)", "stream{self.rngs}@self.rngs[...]"),
    "data of an unknown name": ("getattr(self.thing, x)", "data{self.thing}@self.thing.?"),
    "an attribute of an empty object": ("getattr(Empty(), x)", "data"),
    "an attribute of nothing": ("getattr()", "data"),
    "every attribute": (
        "vars(self)[x]",
        "data@self.thing | key@self.key | rngs@self.rngs | stream@self.stream",
    ),
    "every attribute of data": ("vars(x)", "data{input}@x.__dict__"),
    "every attribute of nothing": ("vars()", "data"),
    "an attribute of None, or the default": ("getattr(None, 'a', 1)", "1"),
    "an attribute of a name by a sum": (
        "getattr(self, x + '_a')",
        "data@self.thing | key@self.key | rngs@self.rngs | stream@self.stream",
    ),
    "an attribute of a name that begins with data": (
        "getattr(self, f'{x}_a')",
        "data@self.thing | key@self.key | rngs@self.rngs | stream@self.stream",
    ),
    "an attribute of an empty formatted name": ("getattr(Empty(), f'')", "data"),
    "a truth": ("bool(1)", "True"),
    "an unknown truth": ("bool(x)", "data{input}"),
    "the truth of nothing": ("bool()", "False"),
    "a type": ("type(self)", "class M"),
    "the type of data": ("type(x)", "data"),
    "a filter": ("filter(lambda v: v, (1, self.key))", "[1 | key@self.key...]"),
    "a filter without a test": ("filter(None, x)", "[data{input}@x[...]...]"),
    "a chain of tuples": ("list(itertools.chain((1,), (self.key,)))", "(1, key@self.key)"),
    "a chain with data": ("itertools.chain((1,), x)", "[1 | data{input}@x[...]...]"),
    "the first that is there": ("nnx.first_from(None, self.rngs, state)", "rngs@self.rngs"),
    "the first that may be there": (
        "nnx.first_from(self.thing, self.rngs, state)",
        "data@self.thing | rngs@self.rngs",
    ),
    "the first of nothing": ("nnx.first_from()", "data"),
    "the type of None": ("isinstance(None, dict)", "False"),
    "the type of something unknown": ("isinstance(x, dict)", "data"),
    "a namespace": ("types.SimpleNamespace(a=1)", "{'a': 1}"),
    "a set attribute": ("setattr(self, 'a', 1)\nself.a", "1"),
    "what setting yields": ("setattr(self, 'a', 1)", "None"),
}


@pytest.mark.parametrize(("code", "expected"), VALUES.values(), ids=VALUES.keys())
def test_a_builtin_yields(code: str, expected: str) -> None:
    assert value_of(code, before=BEFORE) == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        pytest.param(
            "setattr(self, 'key', x)", "self.key: key@self.key -> data{input}@x", id="by name"
        ),
        pytest.param("setattr(self, x, self.key)", "self.?: data -> key@self.key", id="unknown"),
        pytest.param("object.__setattr__(self, 'a', 1)", "self.a: data -> 1", id="past the class"),
        pytest.param("setattr(self, 'a')", "self.a: data -> data", id="to nothing"),
    ],
)
def test_setting_an_attribute_writes(code: str, expected: str) -> None:
    assert events_in(code) == [f"{code} writes {expected}"]


def test_setting_an_attribute_of_nothing_writes_nothing() -> None:
    assert events_in("setattr()") == []


LOOPS = {
    "getattr": "for s in (getattr(self.rngs, 'a'), getattr(self.rngs, 'b', None)): s()",
    "zip": "for s, i in zip((self.rngs.a, self.rngs.b), (1, 2)): s()",
    "enumerate": "for i, s in enumerate((self.rngs.a, self.rngs.b)): s()",
    "items": "for n, s in {'a': self.rngs.a, 'b': self.rngs.b}.items(): s()",
    "values": "for s in {'a': self.rngs.a, 'b': self.rngs.b}.values(): s()",
    "map": "list(map(lambda s: s(), (self.rngs.a, self.rngs.b)))",
}


@pytest.mark.parametrize("code", LOOPS.values(), ids=LOOPS.keys())
def test_streams_are_drawn_from_in_a_loop_over(code: str) -> None:
    assert events_in(code) == ["s() draws from self.rngs.a", "s() draws from self.rngs.b"]


def test_a_known_attribute_is_set_in_every_round() -> None:
    told = events_in("for n in ('a', 'b'): setattr(self, n, 1)")
    assert told == [f"setattr(self, n, 1) writes self.{name}: data -> 1" for name in "ab"]


@pytest.mark.parametrize("code", ["dict(rollout_extras)", "dict(rollout_extras or {})"])
def test_a_copy_of_the_extras_is_fed_back_as_they_are(code: str) -> None:
    body = f"e = {code}\nif 'a' not in e: self.rngs()"
    assert events_in(body, replay=True) == []


@pytest.mark.parametrize("kind", ["dict", "jax.Array", "(dict, list)"])
def test_the_type_of_the_extras_is_as_the_code_expects(kind: str) -> None:
    body = f"if not isinstance(rollout_extras, {kind}): self.rngs()"
    assert events_in(body) != []
    assert events_in(body, replay=True) == []


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param("types.NoneType", id="by its name"),
        pytest.param("type(None)", id="by None"),
    ],
)
def test_the_extras_are_none_in_the_rollout_alone(kind: str) -> None:
    body = f"if isinstance(rollout_extras, {kind}): self.rngs()"
    assert events_in(body, before=BEFORE) != []
    assert events_in(body, before=BEFORE, replay=True) == []


def test_a_filters_function_is_called() -> None:
    draw = "def f(self, v): return self.rngs()"
    told = events_in("filter(self.f, [x])", members=draw)
    assert told == ["self.rngs() draws from self.rngs"]
    assert events_in("filter(None, [self.f])", members=draw) == []


def test_what_may_be_a_type_or_not_decides_nothing() -> None:
    assert value_of("isinstance(None, self.thing)") == "data"
    assert value_of("isinstance(None, (int, float))") == "False"
    assert value_of("isinstance(None, type(None))") == "True"
