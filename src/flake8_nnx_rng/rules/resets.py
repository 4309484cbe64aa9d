"""Whether `reset_state` takes both what the rollout and what the loss hand it.

nnx-ppo's rollout resets the states of all envs at once, its loss that of one under `vmap(cond)`.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from flake8_nnx_rng.interpreter import Audit, Derived, Drew, MappedOver, Site
from flake8_nnx_rng.interpreter.taint import Spread, carried_in
from flake8_nnx_rng.knowledge.functions import SHAPE_ATTRIBUTES
from flake8_nnx_rng.rules.rule import Breach, way

BOTH = "jnp.vectorize(lambda k: ...)(key) takes both"


def in_resets(audit: Audit) -> Iterator[Breach]:
    """Carried keys were used in a way that fails for one key, or for many."""
    for event in audit.reset_of_all:
        if not isinstance(event, (Drew, Derived)) or asks_for_axes(event.site):
            continue
        shared = [s for s in carried_in(event.source.taint) if s.spread is not Spread.OWN]
        if shared:
            yield Breach(
                event.site,
                f"{way(event.site)} uses {shared[0].path} in one call, which fails in nnx-ppo's "
                f"rollout: it resets the keys of all envs, the loss that of one; {BOTH}",
            )
    for event in audit.reset:
        if isinstance(event, MappedOver) and not asks_for_axes(event.site):
            yield Breach(
                event.site,
                f"{way(event.site)} maps over {event.key.path}, which fails in nnx-ppo's loss: it "
                f"resets the key of one env, the rollout those of all; {BOTH}",
            )


def asks_for_axes(site: Site) -> bool:
    """Whether a branch that asks for the shape of something leads to a site."""
    return any(_reads_a_shape(test) for test, _ in site.conditions)


def _reads_a_shape(node: cst.CSTNode) -> bool:
    if isinstance(node, cst.Attribute) and node.attr.value in SHAPE_ATTRIBUTES:
        return True
    return any(map(_reads_a_shape, node.children))
