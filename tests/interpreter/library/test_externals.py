"""Calls of library functions, by canonical name."""

from __future__ import annotations

import pytest
from interpreting import events_in, value_of

from flake8_nnx_rng.knowledge import functions

VALUES: dict[str, tuple[str, str]] = {
    "an array of a key is the key": ("jnp.asarray(self.key)", "key@self.key"),
    "a copy of a stream is the stream": ("nnx.clone(self.rngs)", "rngs@self.rngs"),
    "a choice is either of its arguments": (
        "jnp.where(x, self.key, state)",
        "data{carry, input}@state | key@self.key",
    ),
    "a choice of nothing": ("jnp.where()", "data"),
    "a stack depends on its items": ("jnp.stack([self.key])", "key{self.key}"),
    "a key and a clean shape": ("jnp.reshape(self.key, (2, 2))", "key@self.key"),
    "nothing passed through": ("jnp.asarray()", "data"),
    "a shape": ("jnp.zeros_like(x)", "data"),
    "a random function": ("jax.random.split(state)", "key{carry}"),
    "a clock": ("time.time()", "data{host time.time}"),
    "an initializer": ("jax.nn.initializers.normal(0.1)", "jax.random.<initializer>"),
    "an initializer by another name": ("nnx.initializers.normal()", "jax.random.<initializer>"),
    "an initializer that draws nothing": ("nnx.initializers.zeros_init()(self.key)", "data"),
    "a method of a stream by its class": (
        "nnx.Rngs.normal(nnx.Rngs(state))",
        "data{carry, redrawn nnx.Rngs.normal(nnx.Rngs(state))}",
    ),
    "a mixture of keys": ("jnp.concatenate(self.key, state)", "key{carry, self.key}"),
    "a mixture of data": ("jnp.asarray(x, state)", "data{carry, input}"),
    "a layer": ("nnx.Linear(1, 1)", "Linear"),
    "a layer of nnx-ppo": ("Dense(1, 1)", "Dense"),
    "an output of nnx-ppo is no layer": ("StatefulModuleOutput(1).next_state", "1"),
    "any other function": ("jnp.sin(x)", "data{input}"),
    "a function with functions": (
        "jnp.apply_along_axis(lambda v: self.key, 0, x)",
        "data{input, self.key}",
    ),
}
BEFORE = "import time\nfrom nnx_ppo.networks.feedforward import Dense"


@pytest.mark.parametrize(("code", "expected"), VALUES.values(), ids=VALUES.keys())
def test_a_call_yields(code: str, expected: str) -> None:
    assert value_of(code, before=BEFORE) == expected


def test_numbers_that_a_sample_chooses_depend_on_it() -> None:
    found = value_of("jnp.where(jax.random.bernoulli(self.rngs()), x, 0)")
    assert "sample" in found


@pytest.mark.parametrize("name", sorted(functions.PASS_THROUGH))
def test_every_function_that_hands_its_argument_on_does_so(name: str) -> None:
    package, _, rest = name.partition(".")
    arguments = "x, self.rngs, self.rngs" if name in functions.SELECTIONS else "self.rngs"
    code = f"import {package} as package\npackage.{rest}({arguments})"
    assert value_of(code) == "rngs@self.rngs"


@pytest.mark.parametrize("name", sorted(functions.SHAPE_ONLY))
def test_every_function_of_shapes_forgets_its_argument(name: str) -> None:
    package, _, rest = name.partition(".")
    code = (
        f"{rest}(state)"
        if package == "builtins"
        else f"import jax as package\npackage.{rest}(state)"
    )
    assert value_of(code) == "data"


EVENTS: dict[str, tuple[str, list[str]]] = {
    "an initializer that draws nothing takes a key": (
        "jax.nn.initializers.constant(1.0)(self.key, (2,))",
        [],
    ),
    "an initializer draws from the key that it is given": (
        "jax.nn.initializers.normal()(self.key, (2,))",
        ["jax.nn.initializers.normal()(self.key, (2,)) draws from self.key"],
    ),
    "a clone draws like its original": (
        "nnx.clone(self.rngs).noise()",
        ["nnx.clone(self.rngs).noise() draws from self.rngs.noise"],
    ),
    "a function that is handed on is called": (
        "jnp.asarray(lambda: self.rngs())",
        ["self.rngs() draws from self.rngs"],
    ),
    "a key handed to a function that draws nothing stays": ("jnp.sin(self.key)", []),
    "a function of the host that is handed on is called": (
        "jax.tree.map(np.random.permutation, x)",
        ["jax.tree.map(np.random.permutation, x) draws on the host: numpy.random.permutation"],
    ),
    "a stream handed to a layer of nnx-ppo": ("Dense(1, self.rngs)", []),
}


@pytest.mark.parametrize(("code", "expected"), EVENTS.values(), ids=EVENTS.keys())
def test_what_happens(code: str, expected: list[str]) -> None:
    assert events_in(code, before=BEFORE) == expected


@pytest.mark.parametrize("shape", ["jnp.shape(x)", "jnp.shape(a=x)", "x.shape"])
def test_the_first_axis_of_the_input_counts_the_environments(shape: str) -> None:
    assert value_of(f"{shape}[0]") == "data{batch_size}"
    assert value_of(f"{shape}[1]") == "data"
