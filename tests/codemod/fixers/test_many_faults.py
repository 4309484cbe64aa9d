"""Samplers, containers and draws are mended for certain, or left alone for a reason."""

from __future__ import annotations

import textwrap

import pytest
from judging import read
from support import module

from ..rewriting import PATH, proposed, rewritten

SAMPLER = """
class M(ActionSampler):
    def __init__(self, rngs):
        self.rngs = rngs

    def __call__(self, state, mean, rollout_extras=None):
{body}
"""
OUTPUT = 'return StatefulModuleOutput(state, {"action": raw}, 0.0, {}, raw)'
SAMPLERS = {
    "a test without an else": (
        "if rollout_extras is None:\n    raw = mean + self.rngs.normal(mean.shape)\n" + OUTPUT
    ),
    "blocks in one line": (
        "if rollout_extras is None: raw = mean + self.rngs.normal(mean.shape)\n"
        "else: raw = rollout_extras\n" + OUTPUT
    ),
    "more that is drawn than taken back": (
        "if rollout_extras is None:\n"
        "    noise = self.rngs.normal(mean.shape)\n"
        "    raw = mean + noise\n"
        "else:\n"
        "    raw = rollout_extras\n" + OUTPUT
    ),
    "the replay first": (
        "if rollout_extras is not None:\n"
        "    raw = rollout_extras\n"
        "else:\n"
        "    raw = mean + self.rngs.normal(mean.shape)\n" + OUTPUT
    ),
    "an action without a name": (
        "return StatefulModuleOutput(\n"
        '    state, {"action": mean + self.rngs.normal(mean.shape)}, 0.0, {}\n'
        ")"
    ),
    "an action that is a parameter": (
        "noise = self.rngs.normal(mean.shape)\n"
        'return StatefulModuleOutput(state, {"action": jnp.tanh(mean), "noise": noise}, 0.0, {})'
    ),
    "no action": (
        "raw = mean + self.rngs.normal(mean.shape)\n"
        "return StatefulModuleOutput(state, raw, 0.0, {})"
    ),
    "extras that are deleted": (
        "del rollout_extras\n"
        "raw = mean + self.rngs.normal(mean.shape)\n"
        'return StatefulModuleOutput(state, {"action": raw}, 0.0, {})'
    ),
    "extras for something else": (
        "raw = mean + self.rngs.normal(mean.shape)\n"
        "self.log(rollout_extras)\n"
        'return StatefulModuleOutput(state, {"action": raw}, 0.0, {})'
    ),
    "an action that is assigned in a block": (
        "if mean.ndim == 2:\n"
        "    raw = mean + self.rngs.normal(mean.shape)\n"
        "else:\n"
        "    raw = mean\n"
        'return StatefulModuleOutput(state, {"action": raw}, 0.0, {})'
    ),
    "an action that is assigned twice": (
        "raw = self.rngs.normal(mean.shape)\n"
        "raw = raw + mean\n"
        'return StatefulModuleOutput(state, {"action": raw}, 0.0, {})'
    ),
}

CONTAINER = """
class M(StatefulModule):
    def __init__(self, one: StatefulModule, other: StatefulModule):
        self.one, self.other = one, other
        self.children = [one, other]

    def initialize_state(self, batch_size):
        return self.one.initialize_state(batch_size), self.other.initialize_state(batch_size)

    def __call__(self, state, x, rollout_extras=None):
{body}
"""
CONTAINERS = {
    "a child whose result has no name": (
        "return StatefulModuleOutput(state, self.one(state[0], x).output, 0.0, {})"
    ),
    "a child that is called by a helper": (
        "def run(child, part):\n"
        "    return child(part, x).output\n"
        "return StatefulModuleOutput(state, run(self.one, state[0]), 0.0, {})"
    ),
    "a state that comes from a list": (
        "parts = [state[0]]\n"
        "a = self.one(*parts, x)\n"
        "return StatefulModuleOutput(state, a.output, 0.0, {})"
    ),
    "a loop without a count": (
        "states, extras = [], []\n"
        "for child, part in zip(self.children, state):\n"
        "    out = child(part, x)\n"
        "    states.append(out.next_state)\n"
        "    extras.append(out.rollout_extras)\n"
        "    x = out.output\n"
        "return StatefulModuleOutput(tuple(states), x, 0.0, {}, tuple(extras))"
    ),
    "a loop with a count": (
        "states, extras = [], []\n"
        "for i, (child, part) in enumerate(zip(self.children, state)):\n"
        "    out = child(part, x)\n"
        "    states.append(out.next_state)\n"
        "    extras.append(out.rollout_extras)\n"
        "    x = out.output\n"
        "return StatefulModuleOutput(tuple(states), x, 0.0, {}, tuple(extras))"
    ),
    "extras that are collected and not returned": (
        "given = (None, None) if rollout_extras is None else rollout_extras\n"
        "states, extras = [], []\n"
        "for i, part in enumerate(state):\n"
        "    out = self.children[i](part, x, given[i])\n"
        "    states.append(out.next_state)\n"
        "    extras.append(out.rollout_extras)\n"
        "    x = out.output\n"
        "return StatefulModuleOutput(tuple(states), x, 0.0, {})"
    ),
    "a part of the state under a name": (
        "first, second = state\n"
        "a = self.one(first, x)\n"
        "b = self.other(second, a.output)\n"
        "return StatefulModuleOutput((a.next_state, b.next_state), b.output, 0.0, {})"
    ),
    "the whole state": (
        "a = self.one(state, x)\nreturn StatefulModuleOutput(a.next_state, a.output, 0.0, {})"
    ),
    "a state by keyword": (
        "a = self.one(state=state[0], x=x)\n"
        "b = self.other(state[1], a.output)\n"
        "return StatefulModuleOutput((a.next_state, b.next_state), b.output, 0.0, {})"
    ),
}

CARRYING = """
class M(StatefulModule):
    def __init__(self, rngs):
        self.rngs = rngs

    def initialize_state(self, batch_size):
        return jax.random.split(self.rngs(), batch_size)

    def __call__(self, state, x, rollout_extras=None):
        state, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(state)
{body}
        return StatefulModuleOutput(state, y, 0.0, {{}})
"""
DRAWS = {
    "one draw for all, on the weights": "y = x @ jax.random.normal(use[0], (3, 3))",
    "one draw for all, for a sum": "y = x + jax.random.normal(use[0], (3,))",
    "one draw for all, by name": "e = jax.random.normal(use[0], (3,))\ny = x * e",
    "one draw for all, by name, for a function": (
        "e = jax.random.normal(use[0], (3,))\ny = x * jnp.tanh(e)"
    ),
    "one draw for all, into a tuple": "a, b = jax.random.normal(use[0], (2, 3))\ny = x * a + b",
    "one key that a mapped function reads": (
        "y = jax.vmap(lambda row: row + jax.random.normal(use[0], row.shape))(x)"
    ),
    "keys that a mapped function reads in two ways": (
        "y = jax.vmap(\n"
        "    lambda row: row + jax.random.normal(use[0], (3,)) * jax.random.uniform(state[1])\n"
        ")(x)"
    ),
    "keys in the reverse order": (
        "y = jax.vmap(lambda k, row: row + jax.random.normal(k, row.shape))(use[::-1], x)"
    ),
    "an env's key by its place": (
        "i = jnp.argmax(x[:, 0])\ny = x + jax.random.normal(use[i], x.shape)"
    ),
}

FRAMES = {"sampler": (SAMPLER, SAMPLERS), "container": (CONTAINER, CONTAINERS)} | {
    "draw": (CARRYING.replace("{{}}", "{}"), DRAWS)
}
CODE = {
    f"{kind}, {name}": frame.replace("{body}", textwrap.indent(body, 8 * " "))
    for kind, (frame, bodies) in FRAMES.items()
    for name, body in bodies.items()
}


@pytest.mark.parametrize("code", CODE.values(), ids=CODE)
def test_what_is_rewritten_is_clean_and_what_is_not_has_a_reason(code: str) -> None:
    (proposal,) = proposed(code)
    if proposal.edits:
        after = rewritten(module(code), proposal)
        assert read(after, path=PATH) == []
    else:
        assert proposal.reason
