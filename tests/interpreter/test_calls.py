"""What a call means for each kind of callee."""

from __future__ import annotations

import pytest
from interpreting import events_in, value_of

BEFORE = """
from somewhere import unknown
class Data(NamedTuple):
    a: int
class Plain:
    def __init__(self, a): self.a = a
class Callable(nnx.Module):
    def __call__(self, y): return y
"""
INIT = """
self.bound = functools.partial(jax.random.normal, key)
self.keyed = functools.partial(jax.random.normal, key=key)
self.child = Callable()
self.linear = nnx.Linear(1, 1)
"""

CALLS: dict[str, tuple[str, str]] = {
    "a function": ("(lambda a: a)(1)", "1"),
    "a partial": ("functools.partial(lambda a, b: (a, b), 1)(2)", "(1, 2)"),
    "a partial with names": ("functools.partial(lambda a, b: (a, b), b=1)(2)", "(2, 1)"),
    "a partial of a partial": (
        "functools.partial(functools.partial(lambda *a: a, 1), 2)(3)",
        "(1, 2, 3)",
    ),
    "a partial of unknown arguments": (
        "functools.partial(lambda a, b: (a, b), *state)(b=1)",
        "(data{carry}@state[...], 1)",
    ),
    "an object": ("self.child(1)", "1"),
    "a record's class": ("Data(1)", "Data(a=1)"),
    "an object's class": ("Plain(1).a", "1"),
    "a layer": ("self.linear(x)", "data{input, learned by self.linear, self.linear}"),
    "a stream": ("self.rngs()", "key{drawn self.rngs(), sample self.rngs(), self.rngs}"),
    "a method of a collection": ("{'a': 1}.get('a')", "1"),
    "a number": ("(1)(x)", "data{input}"),
    "either of two": ("((lambda: 1) if x else (lambda: 2))()", "1 | 2"),
    "data": ("(x + 1)(state)", "data{carry, input}"),
    "something held": ("self.thing(x)", "data{asked self.thing, input, self.thing}"),
    "a library": ("jnp.sin(x)", "data{input}"),
    "a library with functions": ("unknown(lambda: self.key)", "data{self.key}"),
    "super": ("super()", "super of M@self after M"),
}


@pytest.mark.parametrize(("code", "expected"), CALLS.values(), ids=CALLS.keys())
def test_calling(code: str, expected: str) -> None:
    assert value_of(code, init=INIT, before=BEFORE) == expected


PART = "data{carry}@state[...]"
ARGUMENTS: dict[str, tuple[str, str]] = {
    "in order": ("f(1, 2)", "((1, 2), {})"),
    "by name": ("f(a=1)", "((), {'a': 1})"),
    "from a tuple": ("f(*(1, 2), 3)", "((1, 2, 3), {})"),
    "from a record": ("f(*Data(1))", "((1), {})"),
    "from data": ("f(1, *state)", f"([1 | {PART}...], {{**{PART}}})"),
    "from a tuple after data": ("f(*state, *(1,))", f"([1 | {PART}...], {{**1 | {PART}}})"),
    "from a dict": ("f(**{'a': 1})", "((), {'a': 1})"),
    "from an open dict": ("f(**{'a': 1, **state})", f"([{PART}...], {{'a': 1, **{PART}}})"),
    "from unknown names": ("f(**state)", f"([{PART}...], {{**{PART}}})"),
}


@pytest.mark.parametrize(("code", "expected"), ARGUMENTS.values(), ids=ARGUMENTS.keys())
def test_arguments_are_given(code: str, expected: str) -> None:
    assert value_of(f"f = lambda *a, **k: (a, k)\n{code}", before=BEFORE) == expected


def test_what_a_star_brings_keeps_its_kind() -> None:
    init = "layers = []\nfor i in range(3): layers.append(nnx.Dropout(0.5))\nself.layers = layers"
    assert len(events_in("f = lambda *a: a[0](x)\nf(*self.layers)", init=init)) == 1


def test_callee_and_arguments_are_evaluated_in_order() -> None:
    told = events_in(
        "f(self.rngs.f)(self.rngs.a(), b=self.rngs.b())", before="def f(r): return r()"
    )
    assert [sentence.partition(" ")[0] for sentence in told[:3]] == [
        "r()",
        "self.rngs.a()",
        "self.rngs.b()",
    ]


DRAWS: dict[str, tuple[str, str]] = {
    "a partial of a held key": ("self.bound((2,))", "self.bound"),
    "a partial of a named key": ("self.keyed(shape=(2,))", "self.keyed"),
    "a stream by its name": ("self.m.rngs()", "self.m.rngs"),
    "a named stream by its parent's name": ("self.m.rngs.noise()", "self.m.rngs.noise"),
    "a draw method by its stream's name": ("self.m.rngs.normal((2,))", "self.m.rngs"),
    "a stream whose name ends so": ("self.m.noise_rng()", "self.m.noise_rng"),
    "a name of the file": ("file_rng()", "file_rng"),
}


@pytest.mark.parametrize(("code", "path"), DRAWS.values(), ids=DRAWS.keys())
def test_a_draw_from(code: str, path: str) -> None:
    init = INIT + "self.m = model"
    told = events_in(code, init=init, before=BEFORE + "file_rng = unknown()")
    assert told == [f"{code} draws from {path}"]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        pytest.param("self.m.rngs.fork()", ["advances self.m.rngs"], id="a method that advances"),
        pytest.param("self.m.rng(x)", [], id="a function named so, with an argument"),
        pytest.param("self.m.rng_scale()", [], id="a name that only begins so"),
        pytest.param("rng()", [], id="data of no place"),
        pytest.param(
            "self.m.key.set_value(x)",
            ["writes self.m.key: data{self.m}@self.m.key -> data{input}@x"],
            id="a Variable's method",
        ),
    ],
)
def test_calling_by_a_conventional_name(code: str, expected: list[str]) -> None:
    body = f"rng = x + 1\n{code}"
    assert events_in(body, init="self.m = model") == [f"{code} {e}" for e in expected]


@pytest.mark.parametrize(
    ("code", "escapes"),
    [
        pytest.param("unknown(self.rngs)", "self.rngs", id="a stream"),
        pytest.param("unknown(key=self.key)", "self.key", id="a key"),
        pytest.param("unknown(*[self.key])", "self.key", id="a key from a tuple"),
        pytest.param("unknown(jax.random.split(self.key))", "key{self.key}", id="a derived key"),
    ],
)
def test_what_is_handed_to_code_that_cannot_be_seen_escapes(code: str, escapes: str) -> None:
    assert events_in(code, before=BEFORE) == [f"{code} hands {escapes} to somewhere.unknown"]


@pytest.mark.parametrize("code", ["unknown(rngs={'a': self.key})", "unknown([self.rngs])"])
def test_what_is_handed_over_in_a_collection_escapes(code: str) -> None:
    (told,) = events_in(code, before=BEFORE)
    assert told.startswith(f"{code} hands self.")


@pytest.mark.parametrize(
    "code", ["unknown(x)", "unknown(nnx.RngKey(1))"], ids=["data", "a key of nothing"]
)
def test_what_is_no_key_or_stream_does_not_escape(code: str) -> None:
    assert events_in(code, before=BEFORE) == []


def test_a_function_handed_to_code_that_cannot_be_seen_is_called_with_all_that_it_may_get() -> None:
    told = events_in("unknown(lambda k: jax.random.normal(k), self.key)", before=BEFORE)
    assert told[-1] == "jax.random.normal(k) draws from data{self.key}"


def test_an_unknown_function_of_no_place_is_called_so() -> None:
    told = events_in("(x + 1)(self.rngs)")
    assert told == ["(x + 1)(self.rngs) hands self.rngs to an unknown function"]


def test_a_function_of_the_host_is_called_by_code_that_cannot_be_seen() -> None:
    code = "unknown(np.random.normal, np.ndarray, x)"
    told = events_in(code, before=BEFORE)
    assert told == [f"{code} draws on the host: numpy.random.normal"]


def test_a_stream_below_a_held_stream_of_unknown_type_is_drawn_from() -> None:
    assert events_in("self.thing.rngs.params.normal((3,))") == [
        "self.thing.rngs.params.normal((3,)) draws from self.thing.rngs.params"
    ]
    assert events_in("self.thing.rngs.a.b.normal((3,))") == []


def test_a_part_that_a_method_takes_out_of_the_carry_is_the_carrys() -> None:
    assert value_of("state['a'].copy()") == "data{carry}@state['a']"
    assert value_of("state['a'].pop('k')") == "data{carry}@state['a']['k']"
