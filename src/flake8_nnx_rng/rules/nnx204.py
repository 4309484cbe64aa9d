"""NNX204: reset_state destroys carried keys."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_nnx_rng.interpreter import Audit, Returned
from flake8_nnx_rng.interpreter.taint import carried_in, is_threaded
from flake8_nnx_rng.interpreter.values import Value, taint_of
from flake8_nnx_rng.rules.carry import at, is_unchanged, key_parts, next_states
from flake8_nnx_rng.rules.origin import Origin, origin_of
from flake8_nnx_rng.rules.rule import Breach, Rule, example, way


def check(audit: Audit) -> Iterator[Breach]:
    """`reset_state` returned a constant where the carry has a key."""
    for event in audit.reset:
        if not isinstance(event, Returned):
            continue
        for part in key_parts(audit):
            faults = (_fault(audit, part, leaf) for leaf in at(event.value, part))
            fault = next((text for text in faults if text is not None), None)
            if fault is not None:
                yield Breach(
                    event.site,
                    f"{way(event.site)} replaces the key in {part} {fault}; pass the key through",
                )
                break


def _fault(audit: Audit, part: str, leaf: Value) -> str | None:
    """What is wrong with what a reset leaves where the carry has a key, or None."""
    taint = taint_of(leaf)
    if not is_threaded(taint):
        if origin_of(taint) is Origin.GIVEN_OUT:
            return None
        return "by a constant: every env draws the same noise after its reset"
    sources = [source.path for source in carried_in(taint)]
    if sources and part not in sources and all(_is_kept(audit, path) for path in sources):
        return f"by {sources[0]}, which no step changes: every episode has the same noise"
    return None


def _is_kept(audit: Audit, part: str) -> bool:
    """Whether every step returns a part of the carry as it was."""
    events = [event for event in audit.events() if isinstance(event, Returned)]
    states = [state for event in events for state in next_states(event)]
    return bool(states) and all(is_unchanged(state, part) for state in states)


RULE = Rule(
    code="NNX204",
    name="key-lost-on-reset",
    observable=("independence", "freshness", "trace"),
    what="""
Finds a `reset_state` that returns zeros (`jax.tree.map(jnp.zeros_like, prev_state)`), a key made
from a constant or a key of the module where the carry has a key per environment; or one that goes
back to a key which no step changes.
""",
    why="""
Whenever an episode ends the environment starts again with the same key as every other one that
ended, so they draw the same noise from there on. The replay resets in the same way and agrees: no
ratio is clipped and nothing else would catch it.
""",
    instead="""
Pass the key through: reset what is memory, keep what is randomness. To start every episode with
fresh noise, `jnp.vectorize(lambda k: jax.random.fold_in(k, 0))(key)` takes one key as well as many.
""",
    fix_safety="Only the random numbers after a reset change.",
    invalid=(
        example("""
        import jax
        import jax.numpy as jnp
        from nnx_ppo.networks.types import StatefulModule, StatefulModuleOutput


        class Zeroed(StatefulModule):
            def __init__(self, rngs):
                self.rngs = rngs

            def initialize_state(self, batch_size):
                key = jax.random.split(self.rngs(), batch_size)
                return {"key": key, "mean": jnp.zeros(batch_size)}

            def reset_state(self, prev_state):
                return jax.tree.map(jnp.zeros_like, prev_state)  # breach

            def __call__(self, state, x, rollout_extras=None):
                key, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(state["key"])
                x += jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(use, x)
                state = {"key": key, "mean": 0.9 * state["mean"] + 0.1 * x.mean(-1)}
                return StatefulModuleOutput(state, x, 0.0, {})
        """),
    ),
    valid=(
        example("""
        import jax
        import jax.numpy as jnp
        from nnx_ppo.networks.types import StatefulModule, StatefulModuleOutput


        class Kept(StatefulModule):
            def __init__(self, rngs):
                self.rngs = rngs

            def initialize_state(self, batch_size):
                key = jax.random.split(self.rngs(), batch_size)
                return {"key": key, "mean": jnp.zeros(batch_size)}

            def reset_state(self, prev_state):
                return {"key": prev_state["key"], "mean": jnp.zeros_like(prev_state["mean"])}

            def __call__(self, state, x, rollout_extras=None):
                key, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(state["key"])
                x += jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(use, x)
                state = {"key": key, "mean": 0.9 * state["mean"] + 0.1 * x.mean(-1)}
                return StatefulModuleOutput(state, x, 0.0, {})
        """),
    ),
    check=check,
)
