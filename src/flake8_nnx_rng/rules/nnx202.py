"""NNX202: the carry holds one key for all envs."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_nnx_rng.interpreter import Audit, Returned
from flake8_nnx_rng.interpreter.carry import ROOT
from flake8_nnx_rng.interpreter.taint import Call
from flake8_nnx_rng.interpreter.values import Key
from flake8_nnx_rng.rules import patterns
from flake8_nnx_rng.rules.carry import leaves
from flake8_nnx_rng.rules.rule import Breach, Rule, example, way


def check(audit: Audit) -> Iterator[Breach]:
    """`initialize_state` returned a key that is the same for every env."""
    for event in audit.initial:
        if not isinstance(event, Returned):
            continue
        for part, leaf in leaves(event.value):
            if isinstance(leaf, Key) and Call.ENV not in leaf.taint:
                place = "" if part == ROOT else f" as {part}"
                yield Breach(
                    event.site,
                    f"{way(event.site)} returns one key for all envs{place}: they draw the same "
                    "noise, or the replay cannot index it; return "
                    "jax.random.split(key, batch_size)",
                )


RULE = Rule(
    code="NNX202",
    name="shared-key",
    observable=("independence", "trace"),
    what="""
Finds an `initialize_state` that returns a single key, or one key repeated, instead of one key for
each environment.
""",
    why="""
PPO slices the carry along its first axis, env by env, into minibatches. A scalar key cannot be
sliced: nnx-ppo raises IndexError. One key repeated can, but then all environments draw the same
noise, and a batch holds the information of one.
""",
    instead="Return `jax.random.split(key, batch_size)`.",
    fix_safety="Only the random numbers change; the carry has one key for each environment.",
    invalid=(
        example("""
        import jax
        from nnx_ppo.networks.types import StatefulModule, StatefulModuleOutput


        class Shared(StatefulModule):
            def __init__(self, rngs):
                self.rngs = rngs

            def initialize_state(self, batch_size):
                key = self.rngs()
                return jax.numpy.broadcast_to(key, (batch_size,))  # breach

            def __call__(self, key, x, rollout_extras=None):
                following, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(key)
                x += jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(use, x)
                return StatefulModuleOutput(following, x, 0.0, {})
        """),
    ),
    valid=(patterns.NOISE,),
    check=check,
)
