"""`jax.random`: making, deriving and drawing from keys."""

from __future__ import annotations

import pytest
from interpreting import events_in, shown, value_of

from flake8_nnx_rng.interpreter.library.keys import key_argument
from flake8_nnx_rng.interpreter.values import Arguments, Const, Value

ONE, TWO, THREE = Const(1), Const(2), Const(3)

VALUES: dict[str, tuple[str, str]] = {
    "a draw from a held key is a sample": (
        "jax.random.normal(self.key)",
        "data{sample jax.random.normal(self.key), self.key}",
    ),
    "a draw from the carry is replayed": (
        "jax.random.normal(state)",
        "data{carry, redrawn jax.random.normal(state)}",
    ),
    "a draw depends on all its arguments": (
        "jax.random.normal(state, x)",
        "data{carry, input, redrawn jax.random.normal(state, x)}",
    ),
    "an unknown function draws": (
        "jax.random.later(self.key)",
        "data{sample jax.random.later(self.key), self.key}",
    ),
    "a split key": ("jax.random.split(self.key)", "key{self.key}"),
    "a key with something carried folded in": (
        "jax.random.fold_in(self.key, state)",
        "key{carry, self.key}",
    ),
    "a cloned key": ("jax.random.clone(state)", "key{carry}"),
    "a key of a constant": ("jax.random.key(0)", "key{fixed jax.random.key(0)}"),
    "an old key of a constant": ("jax.random.PRNGKey(0)", "key{fixed jax.random.PRNGKey(0)}"),
    "a key of something carried": ("jax.random.key(state)", "key{carry}"),
    "a key of something held is a constant": (
        "jax.random.key(self.thing)",
        "key{fixed jax.random.key(self.thing), self.thing}",
    ),
    "a key's kind": ("jax.random.key_impl(state)", "data"),
    "either of two keys": (
        "jax.random.normal(self.key if x else state)",
        "data{carry, redrawn jax.random.normal(self.key if x else state)} | "
        "data{sample jax.random.normal(self.key if x else state), self.key}",
    ),
}


@pytest.mark.parametrize(("code", "expected"), VALUES.values(), ids=VALUES.keys())
def test_a_call_yields(code: str, expected: str) -> None:
    assert value_of(code) == expected


DRAWS: dict[str, tuple[str, str]] = {
    "a held key": ("jax.random.normal(self.key)", "self.key"),
    "a key by name": ("jax.random.normal(shape=(), key=self.key)", "self.key"),
    "the carry": ("jax.random.normal(state)", "state"),
    "a part of the carry": ("jax.random.normal(state['key'])", "state['key']"),
    "a derived key": ("jax.random.normal(jax.random.split(self.key)[0])", "key{self.key}"),
    "a stream, which gives one out": ("jax.random.normal(self.rngs)", "self.rngs"),
    "an unknown argument": ("jax.random.normal(*state)", "state[...]"),
    "nothing": ("jax.random.normal()", "data"),
    "something that is no key": ("jax.random.normal((self.key, state))", "data{carry, self.key}"),
    "what a star brings": ("jax.random.normal(*(self.key, x))", "self.key"),
}


@pytest.mark.parametrize(("code", "source"), DRAWS.values(), ids=DRAWS.keys())
def test_a_draw_is_from(code: str, source: str) -> None:
    assert events_in(code) == [f"{code} draws from {source}"]


@pytest.mark.parametrize("code", ["jax.random.split(self.key)", "jax.random.key_data(self.key)"])
def test_deriving_a_key_draws_nothing(code: str) -> None:
    assert events_in(code) == []


def test_a_draw_from_either_of_two_keys_is_two_draws() -> None:
    code = "jax.random.normal(self.key if x else state)"
    assert events_in(code) == [f"{code} draws from self.key", f"{code} draws from state"]


CONSTRUCTED: dict[str, tuple[str, str]] = {
    "a constant": ("jax.random.key(0)", "fixed jax.random.key(0)"),
    "nothing": ("jax.random.key()", "fixed jax.random.key()"),
    "the carry": ("jax.random.key(state)", "carry"),
    "the input as a further argument": ("jax.random.key(0, impl=x)", "input"),
}


@pytest.mark.parametrize(("code", "sources"), CONSTRUCTED.values(), ids=CONSTRUCTED.keys())
def test_a_key_is_made_of(code: str, sources: str) -> None:
    assert events_in(code) == [f"{code} constructs jax.random.key of {{{sources}}}"]


def test_a_key_made_of_a_sample_is_no_constant() -> None:
    told = events_in("jax.random.key(self.rngs.randint())")
    sources = "{sample self.rngs.randint(), self.rngs}"
    assert told == [
        "self.rngs.randint() draws from self.rngs",
        f"jax.random.key(self.rngs.randint()) constructs jax.random.key of {sources}",
    ]


def test_a_key_made_of_a_key_that_was_given_out_is_no_constant() -> None:
    told = events_in("nnx.Rngs(self.rngs())")
    sources = "{drawn self.rngs(), sample self.rngs(), self.rngs}"
    assert told[-1] == f"nnx.Rngs(self.rngs()) constructs flax.nnx.Rngs of {sources}"


def test_a_clock_draws_on_the_host_when_it_becomes_a_seed() -> None:
    code = "t = time.time()\njax.random.key(t)"
    assert events_in(code.splitlines()[0], before="import time") == []
    assert events_in(code, before="import time") == [
        "time.time() draws on the host: time.time",
        "jax.random.key(t) constructs jax.random.key of {host time.time}",
    ]


ASKED: dict[str, tuple[str, str]] = {
    "for a key": ("jax.random.normal(self.thing())", "self.thing()"),
    "for a key that is split": ("jax.random.split(self.thing(1))", "self.thing(1)"),
    "for a key that is kept in a variable": (
        "k = self.thing()\njax.random.normal(k)",
        "self.thing()",
    ),
}


@pytest.mark.parametrize(("code", "asking"), ASKED.values(), ids=ASKED.keys())
def test_something_unknown_is_a_stream_once_it_is_asked(code: str, asking: str) -> None:
    assert events_in(code)[0] == f"{asking} draws from self.thing"


def test_something_unknown_that_is_not_asked_for_keys_is_no_stream() -> None:
    assert events_in("y = self.thing(x)\njnp.sin(y)") == []


def test_something_unknown_that_is_given_the_carry_may_derive_its_keys_from_it() -> None:
    code = "jax.random.normal(self.thing(state))"
    assert events_in(code) == [f"{code} draws from data{{asked self.thing, carry, self.thing}}"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        pytest.param(Arguments((ONE,), (("shape", TWO),)), "1", id="the first"),
        pytest.param(Arguments((ONE,), (("key", TWO),)), "2", id="by name"),
        pytest.param(Arguments((), (("seed", TWO),)), "2", id="by its other name"),
        pytest.param(Arguments(rest=THREE), "3", id="what a star brings"),
        pytest.param(Arguments(), "data", id="nothing"),
    ],
)
def test_the_key_among_the_arguments_is(arguments: Arguments, expected: str) -> None:
    value: Value = key_argument(arguments)
    assert shown(value) == expected


ATTEND = "nnx.dot_product_attention(x, x, x"
KEYED: dict[str, tuple[str, list[str]]] = {
    "by keyword": (f"{ATTEND}, dropout_rng=self.key[...], dropout_rate=0.1)", ["self.key"]),
    "by position": (f"{ATTEND}, None, None, True, self.key, 0.1)", ["self.key"]),
    "at an unknown rate": (
        f"{ATTEND}, dropout_rng=self.key, dropout_rate=self.thing)",
        ["self.key"],
    ),
    "at no rate": (f"{ATTEND}, dropout_rng=self.key)", []),
    "at rate zero": (f"{ATTEND}, dropout_rng=self.key, dropout_rate=0.0)", []),
    "without a key": (f"{ATTEND}, dropout_rng=None, dropout_rate=0.1)", []),
    "with nothing said": (f"{ATTEND})", []),
    "told to be silent": (
        f"{ATTEND}, dropout_rng=self.key, dropout_rate=0.1, deterministic=True)",
        [],
    ),
    "of either key": (
        f"{ATTEND}, dropout_rng=self.key if x else None, dropout_rate=0.1)",
        ["self.key"],
    ),
    "of bits": ("jax.lax.rng_bit_generator(self.key[...], (3,))", ["self.key"]),
}


@pytest.mark.parametrize(("code", "sources"), KEYED.values(), ids=KEYED.keys())
def test_a_function_elsewhere_draws_from_the_key_that_it_is_given(
    code: str, sources: list[str]
) -> None:
    assert events_in(code) == [f"{code} draws from {source}" for source in sources]


def test_the_generator_of_the_device_counts_as_the_host_s() -> None:
    code = "jax.lax.rng_uniform(0.0, 1.0, (3,))"
    assert events_in(code) == [f"{code} draws on the host: jax.lax.rng_uniform"]
