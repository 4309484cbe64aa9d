"""Functions that take functions: transforms, control flow, partial application."""

from __future__ import annotations

import pytest
from interpreting import events_in, value_of

from flake8_nnx_rng.knowledge import functions

DRAW = "def f(self, *a): return self.rngs()"
DREW = ["self.rngs() draws from self.rngs"]

CALLED: dict[str, str] = {
    "a transformed function": "jax.jit(self.f)(x)",
    "a function transformed by name": "jax.vmap(fun=self.f)(x)",
    "a function transformed by its other name": "nnx.jit(f=self.f)(x)",
    "a function transformed twice": "jax.jit(jax.vmap(self.f, in_axes=0))(x)",
    "a decorated function": "@jax.jit\ndef g(v): return self.f()\ng(x)",
    "a function decorated with options": (
        "@nnx.jit(static_argnums=0)\ndef g(v): return self.f()\ng(x)"
    ),
    "a function decorated by a partial": (
        "@functools.partial(jax.jit, static_argnums=0)\ndef g(v): return self.f()\ng(x)"
    ),
    "a gradient": "jax.grad(self.f)(x)",
    "a gradient by name": "jax.value_and_grad(fun=self.f)(x)",
    "a gradient of a module": "nnx.grad(f=self.f)(x)",
    "a scan": "jax.lax.scan(self.f, state, x)",
    "a scan by name": "jax.lax.scan(f=self.f, init=state, xs=x)",
    "a scan without data": "jax.lax.scan(self.f, state, length=3)",
    "a scan as a transform": "nnx.scan(self.f)(state, x)",
    "a loop with a counter": "jax.lax.fori_loop(0, 3, self.f, state)",
    "a loop by its body": "jax.lax.while_loop(lambda s: s, self.f, state)",
    "a loop by its test": "nnx.while_loop(self.f, lambda s: s, state)",
    "a branch": "jax.lax.cond(x, self.f, lambda s: s, state)",
    "the other branch": "jax.lax.cond(x, lambda s: s, self.f, state)",
    "a branch by name": "jax.lax.cond(pred=x, true_fun=self.f, false_fun=lambda: 1)",
    "one of several branches": "jax.lax.switch(x, [lambda s: s, self.f], state)",
    "an unknown branch": "jax.lax.switch(x, [self.f for _ in state], state)",
    "a map": "jax.lax.map(self.f, x)",
    "a map by name": "jax.lax.map(f=self.f, xs=x)",
    "a map over a tree": "jax.tree.map(self.f, x)",
    "a reduction": "functools.reduce(self.f, x)",
    "a derivative": "jax.vjp(self.f, x)",
    "a callback": "jax.pure_callback(self.f, x, x)",
    "an array function with functions": "jnp.where(x, self.f, 1)",
}


@pytest.mark.parametrize("code", CALLED.values(), ids=CALLED.keys())
def test_a_draw_is_found_in(code: str) -> None:
    assert events_in(code, members=DRAW) == DREW


@pytest.mark.parametrize("name", sorted(functions.TRANSFORMS))
def test_every_transform_hands_on_its_function(name: str) -> None:
    package = f"import {name.rpartition('.')[0]}"
    code = f"{package}\n{name}(self.f)" if name.startswith("jax") else name.replace("flax.", "")
    code = code if "self.f" in code else f"{code}(self.f)"
    before = "import jax, numpy, jaxtyping, functools"
    assert value_of(code, members=DRAW, before=before) == "M@self.f"


@pytest.mark.parametrize("name", sorted(functions.GRADIENTS))
def test_every_gradient_yields_other_numbers(name: str) -> None:
    code = f"{name.replace('flax.', '')}(lambda v: (state, v))(x)"
    assert value_of(code) == "data{carry, input}"


VALUES: dict[str, tuple[str, str]] = {
    "a transform of nothing is a decorator": ("jax.jit(static_argnums=0)", "partial(jax.jit)"),
    "a transform keeps what its function returns": (
        "jax.vmap(lambda k: (k, 1))(state)",
        "(data{carry}@state, 1)",
    ),
    "a gradient of nothing": ("jax.grad()(x + 1)", "data{input}"),
    "a partial of nothing": ("functools.partial()(x)", "data{input}"),
    "a scan": (
        "jax.lax.scan(lambda c, v: (c, (c, v)), state, x)",
        "(data{carry}@state, [(data{carry}@state, data{input}@x[...])...])",
    ),
    "a scan over a tuple": (
        "jax.lax.scan(lambda c, v: (c, v), state, (1, 2))[1]",
        "[(data, data)...]",
    ),
    "a scan that splits its key": (
        "jax.lax.scan(lambda k, _: jax.random.split(k), self.key, x)[0]",
        "key@self.key | key{self.key}",
    ),
    "a scan whose carry grows without end": (
        "jax.lax.scan(lambda c, v: ((c, v), 1), state, x)",
        "(data{carry, input}, [1...])",
    ),
    "a scan of nothing": ("jax.lax.scan()", "data"),
    "a scan of something unknown": (
        "jax.lax.scan(init=state)",
        "(data{carry} | data{carry}@state, [data{carry}...])",
    ),
    "a loop": (
        "jax.lax.fori_loop(0, 9, lambda i, k: jax.random.fold_in(k, i), self.key)",
        "key@self.key | key{self.key}",
    ),
    "a loop by name": ("jax.lax.fori_loop(0, 9, body_fun=lambda i, k: k, init_val=1)", "1"),
    "a loop that grows without end": (
        "jax.lax.fori_loop(0, 9, lambda i, s: (s, state), 1)",
        "data{carry}",
    ),
    "a loop of nothing": ("jax.lax.fori_loop()", "data"),
    "a loop with a test": (
        "jax.lax.while_loop(lambda s: s, lambda s: self.key, 1)",
        "1 | key@self.key",
    ),
    "a loop with a test of nothing": ("jax.lax.while_loop()", "data"),
    "a branch depends on its test": (
        "jax.lax.cond(x, lambda s: self.key, lambda s: s, 1)",
        "1 | data{input} | key@self.key",
    ),
    "a branch on a literal": (
        "jax.lax.cond(True, lambda s: self.key, lambda s: s, 1)",
        "1 | key@self.key",
    ),
    "a branch with a named operand": (
        "jax.lax.cond(True, lambda s: s, lambda s: s, operand=1)",
        "1",
    ),
    "a branch with operands of a star": (
        "jax.lax.cond(True, lambda s: s, lambda s: s, *state)",
        "data{carry}@state[...]",
    ),
    "a branch of nothing": ("jax.lax.cond()", "data"),
    "one of several branches": (
        "jax.lax.switch(x, [lambda s: 1, lambda s: s], 2)",
        "1 | 2 | data{input}",
    ),
    "one branch of nothing": ("jax.lax.switch()", "data"),
    "a map": ("jax.lax.map(lambda v: (v, 1), x)", "(data{input}@x, 1)"),
    "a map by name": ("jax.lax.map(f=lambda v: v, xs=(1, 2), batch_size=3)", "(1, 2)"),
    "a map of nothing": ("jax.lax.map()", "data"),
    "a map over a tree keeps it": (
        "jax.tree.map(lambda v: self.key, {'a': state})",
        "{'a': key@self.key}",
    ),
    "a map over two trees": (
        "jax.tree.map(lambda v, w: (v, w), (1, 2), state)",
        "((1, data{carry}@state[0]), (2, data{carry}@state[1]))",
    ),
    "a map that makes functions": (
        "jax.tree.map(lambda v: (lambda: self.key), x)",
        "function lambda",
    ),
    "a map over a tree of nothing": ("jax.tree.map()", "data"),
    "a reduction of known items": (
        "functools.reduce(lambda a, b: (a, b), (1, 2, 3))",
        "((1, 2), 3)",
    ),
    "a reduction with a start": (
        "functools.reduce(lambda a, b: (a, b), (1,), self.key)",
        "(key@self.key, 1)",
    ),
    "a reduction over functions": (
        "functools.reduce(lambda a, f: f(a), [lambda v: (v, 1)], x)",
        "(data{input}@x, 1)",
    ),
    "a reduction of data": (
        "functools.reduce(lambda a, b: a, state)",
        "data{carry}@state[...]",
    ),
    "a reduction of data with a start": (
        "functools.reduce(lambda a, b: b, state, 1)",
        "1 | data{carry}@state[...]",
    ),
    "a reduction of nothing": ("functools.reduce()", "data"),
    "a value with its derivative": ("jax.linearize(lambda a: (a, 1), x)[0]", "(data{input}@x, 1)"),
    "a value of several": ("jax.jvp(lambda a, b: b, (x, state), (1, 2))[0]", "data{carry}@state"),
    "a derivative": ("jax.vjp(lambda a: a, x)[1](state)", "data{carry, input}"),
    "a derivative of nothing": ("jax.vjp()[0]", "data"),
    "a callback of nothing": ("jax.pure_callback()", "data"),
}


@pytest.mark.parametrize(("code", "expected"), VALUES.values(), ids=VALUES.keys())
def test_a_call_yields(code: str, expected: str) -> None:
    assert value_of(code) == expected


def test_a_callback_is_given_what_follows_the_shape_of_its_result() -> None:
    assert value_of("jax.pure_callback(lambda v: v, x, state)") == "data{carry}@state"


def test_a_function_for_each_platform_is_called() -> None:
    code = "jax.lax.platform_dependent(x, cpu=self.f, default=self.f)"
    assert events_in(code, members=DRAW) == DREW


def test_both_branches_start_from_the_same_state() -> None:
    members = "def a(self): self.n = (self.n, 1)\ndef b(self): self.n = (self.n, 2)"
    code = "self.n = 0\njax.lax.cond(x, self.a, self.b)\nself.n"
    assert value_of(code, members=members) == "(0, 1 | 2)"


def test_a_partial_kept_in_an_attribute_draws_from_its_held_key() -> None:
    told = events_in("self.f((2,))", init="self.f = functools.partial(jax.random.normal, key)")
    assert told == ["self.f((2,)) draws from self.f"]


def test_a_vmap_over_keys_of_the_carry_draws_from_the_carry() -> None:
    told = events_in("jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(state, x)")
    assert told == ["jax.random.normal(k, row.shape) draws from state"]


def test_a_map_over_a_tree_of_unknown_length_or_kind_calls_its_function_on_every_leaf() -> None:
    pairs = "jax.tree.map(lambda v, w: (v, w), [state for _ in x], [x for _ in x])"
    assert value_of(pairs) == "[(data{carry}@state, data{input}@x)...]"
    either = "jax.tree.map(lambda v: (v, 1), {'a': state} if x else [x])"
    assert value_of(either) == "((data{input}@x, 1)) | {'a': (data{carry}@state, 1)}"
