"""NNX402: reset_state draws from class-level RNG."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_nnx_rng.interpreter import Advanced, Audit, Drew
from flake8_nnx_rng.interpreter.values import Stream
from flake8_nnx_rng.rules import patterns
from flake8_nnx_rng.rules.origin import held_place
from flake8_nnx_rng.rules.rule import Breach, Rule, example, way


def check(audit: Audit) -> Iterator[Breach]:
    """A held stream gave out something in `reset_state`."""
    for event in audit.reset:
        if not isinstance(event, (Drew, Advanced)) or not isinstance(event.source, Stream):
            continue
        path = held_place(event.source)
        if path is not None:
            yield Breach(
                event.site,
                f"{way(event.site)} draws from class-level {path}: nnx-ppo's loss calls it under "
                "vmap and cond and raises TraceContextError; derive the key from the carried one: "
                "jnp.vectorize(lambda k: jax.random.fold_in(k, 0))(key)",
            )


RULE = Rule(
    code="NNX402",
    name="class-level-draw-on-reset",
    observable=("trace",),
    what="""
Finds draws from a stream of the module in `reset_state`.
""",
    why="""
The guide allows it, but nnx-ppo 0.3.0 calls `reset_state` in the loss under `vmap(cond(...))`,
where a stream of the module cannot advance: it raises `TraceContextError: Cannot mutate RngCount`.
The reference of this project runs it.
""",
    instead="""
Derive the fresh key from the carried one: `jnp.vectorize(lambda k: jax.random.fold_in(k, 0))(key)`
takes the keys of all environments, which the rollout hands in, as well as that of one, which the
loss does.
""",
    fix_safety="Only the random numbers after a reset change.",
    invalid=(
        example("""
        import jax
        from nnx_ppo.networks.types import StatefulModule, StatefulModuleOutput


        class Reseeding(StatefulModule):
            def __init__(self, rngs):
                self.rngs = rngs

            def initialize_state(self, batch_size):
                return jax.random.split(self.rngs(), batch_size)

            def reset_state(self, prev_state):
                return jax.random.split(self.rngs(), prev_state.shape)  # breach

            def __call__(self, key, x, rollout_extras=None):
                following, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(key)
                x += jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(use, x)
                return StatefulModuleOutput(following, x, 0.0, {})
        """),
    ),
    valid=(patterns.FRESH_ON_RESET,),
    check=check,
    by_default=False,
)
