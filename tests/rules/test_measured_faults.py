"""Faults that were measured on nnx-ppo: the linter finds them, and they do break the replay."""

from __future__ import annotations

from typing import Any

import pytest
from support import marked, module, reported

CONSTRUCTOR = """
            def __init__(self, rngs: nnx.Rngs):
                self.rngs = rngs
                self.key = nnx.Variable(jax.random.key(1))
                self.dropout = nnx.Dropout(0.5, rngs=rngs)
                self.norm = nnx.BatchNorm(3, rngs=rngs)
                self.count = nnx.Variable(jnp.zeros(()))
                self.np_rng = np.random.default_rng(0)
"""

FAULTS = {
    "a class-level stream": """
                x = x + jax.random.normal(self.rngs.noise(), x.shape)  # NNX101
    """,
    "a fork of a class-level stream": """
                child = self.rngs.fork()  # NNX101
                x = x + child.normal(x.shape)
    """,
    "a dropout child": """
                x = self.dropout(x)  # NNX104
    """,
    "a key in a Variable, advanced": """
                following, use = jax.random.split(self.key[...])
                self.key[...] = following  # NNX103
                x = x + jax.random.normal(use, x.shape)  # NNX102
    """,
    "a key in a Variable, never advanced": """
                x = x + jax.random.normal(self.key[...], x.shape)  # NNX102
    """,
    "a stream made of a constant in the call": """
                x = x + nnx.Rngs(0).normal(x.shape)  # NNX106
    """,
    "NumPy's global generator": """
                x = x + np.random.normal(size=x.shape)  # NNX107
    """,
    "batch normalisation in train mode": """
                x = self.norm(x)  # NNX108
    """,
    "a counter of the module's own": """
                self.count[...] += 1  # NNX108
                x = x + self.count[...]
    """,
    "a NumPy generator of the module's own": """
                x = x + self.np_rng.normal(size=x.shape)  # NNX107
    """,
}

SOUND = {
    "a key for each environment in the carry": """
                state, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(state)
                x = x + jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(use, x)
    """,
    "batch normalisation by stored statistics": """
                x = self.norm(x, use_running_average=True)
    """,
    "a counter that only a log would show": """
                self.count[...] += 1
    """,
    "dropout with a carried key": """
                state, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(state)
                x = jax.vmap(lambda k, row: self.dropout(row, rngs=k))(use, x)
    """,
}

BATCH, STEPS = 6, 4


def module_with(body: str) -> str:
    return f"""
        class Module(StatefulModule):{CONSTRUCTOR}
            def initialize_state(self, batch_size):
                return jax.random.split(self.rngs(), batch_size)

            def __call__(self, state, x, rollout_extras=None):{body}
                return StatefulModuleOutput(state, x, 0.0, {{}})
    """


def largest_difference(code: str) -> float:
    """Between a rollout and its replay on a permuted minibatch, as PPO's loss does it."""
    jax = pytest.importorskip("jax")
    nnx = pytest.importorskip("flax.nnx")
    pytest.importorskip("nnx_ppo")
    namespace: dict[str, Any] = {"__name__": "snippet"}
    exec(compile(module(code), "snippet", "exec"), namespace)
    instance = namespace["Module"](nnx.Rngs(0))
    xs = jax.random.normal(jax.random.key(7), (STEPS, BATCH, 3))
    minibatch = jax.numpy.array([4, 0, 3])

    start = instance.initialize_state(BATCH)
    state, rollout = start, []
    for x in xs:
        output = instance(state, x)
        state = output.next_state
        rollout.append(output.output[minibatch])

    state, difference = start[minibatch], 0.0
    for x, before in zip(xs, rollout, strict=True):
        output = instance(state, x[minibatch])
        state = output.next_state
        difference = max(difference, float(jax.numpy.max(jax.numpy.abs(output.output - before))))
    return difference


@pytest.mark.parametrize("body", FAULTS.values(), ids=FAULTS)
def test_a_measured_fault_is_found_at_its_line(body: str) -> None:
    code = module_with(body)
    assert marked(code)
    assert reported(code) == marked(code)


@pytest.mark.parametrize("body", SOUND.values(), ids=SOUND)
def test_its_sound_counterpart_is_silent(body: str) -> None:
    assert reported(module_with(body)) == []


@pytest.mark.slow
@pytest.mark.parametrize("body", FAULTS.values(), ids=FAULTS)
def test_a_measured_fault_does_break_the_replay(body: str) -> None:
    assert largest_difference(module_with(body)) > 0.1


@pytest.mark.slow
@pytest.mark.parametrize("body", SOUND.values(), ids=SOUND)
def test_its_sound_counterpart_does_replay(body: str) -> None:
    assert largest_difference(module_with(body)) < 1e-6
