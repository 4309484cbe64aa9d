"""NNX201: a carried key comes back unchanged."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_nnx_rng.interpreter import Audit, Returned
from flake8_nnx_rng.interpreter.values import Const, Key, Value
from flake8_nnx_rng.rules.carry import at, is_unchanged, next_states
from flake8_nnx_rng.rules.origin import Origin, origin_of
from flake8_nnx_rng.rules.rule import Breach, Rule, example, way


def check(audit: Audit) -> Iterator[Breach]:
    """A draw was made from parts of the carry none of which is another in the next state."""
    for event in audit.events():
        if not isinstance(event, Returned):
            continue
        for parts in sorted(event.drawn_with):
            how = _stuck(event, parts)
            if how is not None:
                yield Breach(
                    event.site,
                    f"{way(event.site)} draws from {' and '.join(parts)} and returns {how}: every "
                    "step sees the same noise; split it per env and return the other half",
                )


def stuck_parts(audit: Audit) -> frozenset[str]:
    """The parts of the carry that are drawn from and the same in every step."""
    return frozenset(
        part
        for event in audit.events()
        if isinstance(event, Returned)
        for parts in event.drawn_with
        if _stuck(event, parts) is not None
        for part in parts
    )


def _stuck(event: Returned, parts: tuple[str, ...]) -> str | None:
    """How the next step gets the key that this one had, or None if it gets another."""
    states = next_states(event)
    if not states:
        return None
    if all(is_unchanged(state, part) for state in states for part in parts):
        return "it unchanged"
    if all(
        is_unchanged(state, part) or _is_constant(state, part) for state in states for part in parts
    ):
        return "the same key in every step"
    return None


def _is_constant(state: Value, part: str) -> bool:
    """Whether a state has the same key or number at a part of the carry in every step."""
    kept = list(at(state, part))
    return bool(kept) and all(
        isinstance(leaf, Const) or (isinstance(leaf, Key) and origin_of(leaf.taint) in _CONSTANT)
        for leaf in kept
    )


_CONSTANT = (Origin.FIXED, Origin.HELD)


RULE = Rule(
    code="NNX201",
    name="stuck-key",
    observable=("freshness",),
    what="""
Finds forward passes that draw from a carried key and return it as it was, or return a constant in
its place. A key that comes back unchanged is fine where a carried counter that does change is
folded into it.
""",
    why="""
Rollout and replay agree, so no ratio is clipped and no other check sees it: but every step of every
rollout adds the same noise to an environment, which explores nothing and regularises nothing.
""",
    instead="""
Split the key per environment, draw from one half and return the other as the next state.
""",
    fix_safety="Only the random numbers change.",
    invalid=(
        example("""
        import jax
        from nnx_ppo.networks.types import StatefulModule, StatefulModuleOutput


        class Stuck(StatefulModule):
            def __init__(self, rngs):
                self.rngs = rngs

            def initialize_state(self, batch_size):
                return jax.random.split(self.rngs(), batch_size)

            def __call__(self, key, x, rollout_extras=None):
                noise = jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(key, x)
                return StatefulModuleOutput(key, x + noise, 0.0, {})  # breach
        """),
    ),
    valid=(
        example("""
        import jax
        import jax.numpy as jnp
        from nnx_ppo.networks.types import StatefulModule, StatefulModuleOutput


        class Counted(StatefulModule):
            def __init__(self, rngs):
                self.rngs = rngs

            def initialize_state(self, batch_size):
                key = jax.random.split(self.rngs(), batch_size)
                return {"key": key, "step": jnp.zeros(batch_size, int)}

            def __call__(self, state, x, rollout_extras=None):
                use = jax.vmap(jax.random.fold_in)(state["key"], state["step"])
                noise = jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(use, x)
                state = {"key": state["key"], "step": state["step"] + 1}
                return StatefulModuleOutput(state, x + noise, 0.0, {})
        """),
    ),
    check=check,
)
