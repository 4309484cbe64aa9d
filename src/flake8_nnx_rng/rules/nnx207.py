"""NNX207: reset_state takes one env's key only, or those of all envs only."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from flake8_nnx_rng.interpreter import Audit, Derived, Drew, MappedOver, Site
from flake8_nnx_rng.knowledge.functions import SHAPE_ATTRIBUTES
from flake8_nnx_rng.rules import patterns
from flake8_nnx_rng.rules.carry import of_others
from flake8_nnx_rng.rules.rule import Breach, Rule, example, way

_BOTH = "jnp.vectorize(lambda k: ...)(key) takes both"


def check(audit: Audit) -> Iterator[Breach]:
    """Carried keys were used in a way that fails for one key, or for many."""
    for event in audit.reset_of_all:
        if not isinstance(event, (Drew, Derived)) or _asks_for_axes(event.site):
            continue
        shared = of_others(event.source.taint)
        if shared:
            yield Breach(
                event.site,
                f"{way(event.site)} uses {shared[0].path} in one call, which fails in nnx-ppo's "
                f"rollout: it resets the keys of all envs, the loss that of one; {_BOTH}",
            )
    for event in audit.reset:
        if isinstance(event, MappedOver) and not _asks_for_axes(event.site):
            yield Breach(
                event.site,
                f"{way(event.site)} maps over {event.key.path}, which fails in nnx-ppo's loss: it "
                f"resets the key of one env, the rollout those of all; {_BOTH}",
            )


def _asks_for_axes(site: Site) -> bool:
    """Whether a branch that asks for the shape of something leads to a site."""
    return any(_reads_a_shape(test) for test, _ in site.conditions)


def _reads_a_shape(node: cst.CSTNode) -> bool:
    if isinstance(node, cst.Attribute) and node.attr.value in SHAPE_ATTRIBUTES:
        return True
    return any(map(_reads_a_shape, node.children))


RULE = Rule(
    code="NNX207",
    name="reset-of-one-shape",
    observable=("trace",),
    what="""
Finds a `reset_state` that splits, folds into or draws from carried keys in a way that fails for the
key of a single environment, or for those of many.
""",
    why="""
nnx-ppo's rollout calls `reset_state` with the keys of all environments, its loss calls it with that
of one, under `vmap(cond(...))`. `fold_in(key, 0)` raises in the rollout, which hands in an array of
keys; the same under `jax.vmap` raises in the loss, whose key has no axis left to map over.
""",
    instead="""
Pass the key through: it moves on with every step anyway. To start every episode with fresh noise,
`jnp.vectorize(lambda k: jax.random.fold_in(k, 0))(key)` takes one key as well as many.
""",
    fix_safety="Only the random numbers after a reset change.",
    invalid=(
        example("""
        import jax
        from nnx_ppo.networks.types import StatefulModule, StatefulModuleOutput


        class FreshOnReset(StatefulModule):
            def __init__(self, rngs):
                self.rngs = rngs

            def initialize_state(self, batch_size):
                return jax.random.split(self.rngs(), batch_size)

            def reset_state(self, prev_state):
                return jax.random.fold_in(prev_state, 0)  # breach

            def __call__(self, key, x, rollout_extras=None):
                following, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(key)
                x += jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(use, x)
                return StatefulModuleOutput(following, x, 0.0, {})
        """),
    ),
    valid=(patterns.FRESH_ON_RESET,),
    check=check,
)
