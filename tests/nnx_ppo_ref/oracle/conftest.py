"""Modules over either library: the real nnx-ppo and the reference."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

FEATURES = 3

Make = Callable[..., Any]


@pytest.fixture(params=["nnx_ppo.networks.types", "nnx_ppo_ref.networks.types"])
def library(request: pytest.FixtureRequest) -> Any:
    """The contract's module of one library."""
    return pytest.importorskip(request.param)


@pytest.fixture
def layer(library: Any) -> Make:
    """Makes a module whose step is `step(module, state, x) -> state, output`.

    It has a stream, keys, layers that draw and things to write to; other methods can be given.
    """

    def make(step: Callable[..., Any], **methods: Callable[..., Any]) -> Any:
        def build(self: Any) -> None:
            rngs = nnx.Rngs(0)
            self.rngs = rngs
            self.key = nnx.Variable(jax.random.key(1))
            self.raw = nnx.Variable(jax.random.PRNGKey(3))
            self.plain = jax.random.key(4)
            self.count = nnx.Variable(jnp.array(0.0))
            self.linear = nnx.Linear(FEATURES, FEATURES, rngs=rngs)
            self.norm = nnx.BatchNorm(FEATURES, rngs=rngs)
            self.dropout = nnx.Dropout(0.5, rngs=nnx.Rngs(9))
            self.np_rng = np.random.default_rng(0)
            self.calls = 0
            self.held = {}
            self.draw = lambda: rngs()

        def call(self: Any, state: Any, x: Any, rollout_extras: Any = None) -> Any:
            state, output = step(self, state, x)
            return library.StatefulModuleOutput(state, output, jnp.array(0.0), {})

        body = {
            "__init__": build,
            "__call__": call,
            "initialize_state": lambda self, batch: jax.random.split(self.rngs(), batch),
        }
        return type("Layer", (library.StatefulModule,), {**body, **methods})()

    return make


@pytest.fixture
def sampler(library: Any) -> Make:
    """Makes an action sampler; the options break one part of its contract each."""

    def make(
        rngs: nnx.Rngs | None = None,
        *,
        emit: bool = True,
        use: bool = True,
        carried: bool = False,
        always: bool = True,
        entropy: bool = False,
    ) -> Any:
        class Sampler(library.StatefulModule):  # type: ignore[misc]
            def __init__(self) -> None:
                self.rngs = nnx.Rngs(3) if rngs is None else rngs

            def initialize_state(self, batch: int) -> Any:
                return jax.random.split(self.rngs(), batch) if carried else ()

            def __call__(self, state: Any, x: Any, rollout_extras: Any = None) -> Any:
                mean, std = jnp.split(x, 2, axis=-1)
                std = nnx.softplus(std) + 0.01
                raw = rollout_extras
                if carried:
                    state, used = jax.vmap(lambda k: tuple(jax.random.split(k)))(state)
                    noise = jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(used, mean)
                elif always or rollout_extras is None:
                    noise = self.rngs.normal(mean.shape)
                if rollout_extras is None or not use:
                    raw = mean + std * noise
                score = -0.5 * jnp.sum(((raw - mean) / std) ** 2 + jnp.log(std), axis=-1)
                loss = jnp.zeros(x.shape[:1])
                if entropy:
                    loss = jnp.mean(mean + std * self.rngs.normal(mean.shape), axis=-1)
                output = {"action": jnp.tanh(raw), "log_likelihood": score}
                extras = raw if emit else None
                return library.StatefulModuleOutput(state, output, loss, {}, extras)

        return Sampler()

    return make


@pytest.fixture
def chain(library: Any) -> Make:
    """Makes a container that runs modules in a row; the options lose what it must thread."""

    def make(*modules: Any, give: bool = True, hand_on: bool = True) -> Any:
        class Chain(library.StatefulModule):  # type: ignore[misc]
            def __init__(self) -> None:
                self.layers = nnx.List(modules)

            def initialize_state(self, batch: int) -> Any:
                return [layer.initialize_state(batch) for layer in self.layers]

            def reset_state(self, prev_state: Any) -> Any:
                pairs = zip(self.layers, prev_state, strict=True)
                return [layer.reset_state(state) for layer, state in pairs]

            def __call__(self, state: Any, x: Any, rollout_extras: Any = None) -> Any:
                carry, emitted, loss = [], [], jnp.array(0.0)
                for number, layer in enumerate(self.layers):
                    given = None if rollout_extras is None else rollout_extras[number]
                    out = layer(state[number], x, given if give else None)
                    x, loss = out.output, loss + out.regularization_loss
                    carry.append(out.next_state)
                    emitted.append(out.rollout_extras)
                extras = emitted if hand_on else None
                return library.StatefulModuleOutput(carry, x, loss, {}, extras)

        return Chain()

    return make
