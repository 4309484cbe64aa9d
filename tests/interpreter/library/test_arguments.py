"""An argument means the same whether it is given by position or by any of its names."""

from __future__ import annotations

import pytest
from interpreting import events_in, value_of

SAME: dict[str, tuple[tuple[str, ...], str]] = {
    "a transform": (
        (
            "jax.jit(lambda v: (v, 1))(x)",
            "jax.jit(fun=lambda v: (v, 1))(x)",
            "nnx.jit(f=lambda v: (v, 1))(x)",
        ),
        "(data{input}@x, 1)",
    ),
    "a map over rows": (
        (
            "jax.vmap(jax.random.split, 0, 1)(state)[0]",
            "jax.vmap(jax.random.split, out_axes=1)(state)[0]",
            "jax.vmap(fun=jax.random.split, in_axes=0, out_axes=1)(state)[0]",
            "nnx.vmap(f=jax.random.split, out_axes=1)(state)[0]",
            "jax.vmap(out_axes=1)(jax.random.split)(state)[0]",
        ),
        "key{carry}",
    ),
    "a map over rows that puts keys last": (
        (
            "jax.vmap(jax.random.split)(state)[0]",
            "jax.vmap(jax.random.split, 0, 0)(state)[0]",
            "jax.vmap(jax.random.split, out_axes=0)(state)[0]",
            "jax.vmap(in_axes=0)(jax.random.split)(state)[0]",
        ),
        "key{another env's carry}",
    ),
    "a gradient": (
        (
            "jax.grad(lambda v: (state, v))(x)",
            "jax.grad(fun=lambda v: (state, v))(x)",
            "nnx.grad(f=lambda v: (state, v))(x)",
        ),
        "data{carry, input}",
    ),
    "a branch": (
        (
            "jax.lax.cond(x, lambda: 1, lambda: 2)",
            "jax.lax.cond(pred=x, true_fun=lambda: 1, false_fun=lambda: 2)",
        ),
        "1 | 2 | data{input}",
    ),
    "one of several branches": (
        (
            "jax.lax.switch(x, [lambda: 1, lambda: 2])",
            "jax.lax.switch(index=x, branches=[lambda: 1, lambda: 2])",
        ),
        "1 | 2 | data{input}",
    ),
    "a loop with a test": (
        (
            "jax.lax.while_loop(lambda s: s, lambda s: self.key, 1)",
            "jax.lax.while_loop(cond_fun=lambda s: s, body_fun=lambda s: self.key, init_val=1)",
        ),
        "1 | key@self.key",
    ),
    "a loop with a counter": (
        (
            "jax.lax.fori_loop(0, x, lambda i, s: (i, s)[0], 1)",
            "jax.lax.fori_loop(lower=0, upper=x, body_fun=lambda i, s: (i, s)[0], init_val=1)",
        ),
        "1 | data{input}",
    ),
    "a scan": (
        (
            "jax.lax.scan(lambda c, v: (c, v), state, x)[1]",
            "jax.lax.scan(f=lambda c, v: (c, v), init=state, xs=x)[1]",
        ),
        "[data{input}@x[...]...]",
    ),
    "a map over a tree": (
        (
            "jax.tree.map(lambda v: (v, 1), state)",
            "jax.tree.map(f=lambda v: (v, 1), tree=state)",
        ),
        "(data{carry}@state, 1)",
    ),
    "a map over rows by a loop": (
        ("jax.lax.map(lambda v: (v, 1), x)", "jax.lax.map(f=lambda v: (v, 1), xs=x)"),
        "(data{input}@x, 1)",
    ),
    "a split into a known number": (
        (
            "jax.random.split(self.key, 3)",
            "jax.random.split(key=self.key, num=3)",
            "jax.random.split(self.key, shape=3)",
            "jax.random.split(self.key, (3,))",
        ),
        "key{self.key}",
    ),
    "a split into one for each environment": (
        (
            "jax.random.split(self.key, x.shape[0])",
            "jax.random.split(self.key, num=x.shape[0])",
            "jax.random.split(key=self.key, shape=(3, x.shape[0]))",
        ),
        "key{batch_size, env, self.key}",
    ),
}


@pytest.mark.parametrize("name", SAME)
def test_all_forms_of_a_call_yield_the_same(name: str) -> None:
    forms, value = SAME[name]
    assert {form: value_of(form) for form in forms} == dict.fromkeys(forms, value)


def test_all_forms_of_an_update_write_the_same() -> None:
    forms = ("nnx.update(self.rngs, state)", "nnx.update(node=self.rngs, state=state)")
    for form in forms:
        assert events_in(form) == [
            f"{form} writes self.rngs: rngs@self.rngs -> data{{carry}}@state"
        ]


def test_a_stream_made_of_a_stream_or_a_number_copies_the_stream() -> None:
    assert value_of("nnx.Rngs(self.rngs if x else 0)") == "rngs@self.rngs"
    assert value_of("nnx.Rngs(default=self.stream)") == "rngs@self.stream"
    assert value_of("nnx.RngStream(self.rngs)") == "stream@self.rngs"
