"""NNX405: a key is folded into and split."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_nnx_rng.interpreter import Audit, Returned, Reused, Use
from flake8_nnx_rng.rules.carry import returned_used
from flake8_nnx_rng.rules.rule import Breach, Rule, example, key_text, way


def check(audit: Audit) -> Iterator[Breach]:
    """A key was split after something had been folded into it, or the other way round."""
    for event in (*audit.events(), *audit.initial, *audit.reset):
        if isinstance(event, Reused) and {event.use, *event.before} >= {Use.FOLDED, Use.SPLIT}:
            yield Breach(
                event.site,
                f"{way(event.site)}: key {key_text(event)} is both split and folded into: "
                "fold_in(k, i) is split(k, n)[i], so the two families share keys; fold into one "
                "of the halves instead",
            )
        elif isinstance(event, Returned):
            for part in returned_used(event, event.keys(Use.FOLDED), event.keys(Use.SPLIT)):
                yield Breach(
                    event.site,
                    f"{way(event.site)} returns in {part} a key that something was folded into, "
                    "which the next step splits: fold_in(k, i) is split(k, n)[i], so the two "
                    "families share keys; return the unused half",
                )


RULE = Rule(
    code="NNX405",
    name="fold-and-split",
    observable=("hygiene",),
    what="""
Finds keys into which something is folded, as `nnx.Rngs(key)` does, and which are also split, in the
same step or in the next one.
""",
    why="""
`jax.random.fold_in(k, i)` is bit for bit `jax.random.split(k, n)[i]` (threefry and rbg), so what
looks like two independent families of keys shares its members. The replay is exact, and nnx-ppo's
own `ppo_step` does it, so it is off by default.
""",
    instead="Split once; fold into one of the new keys.",
    fix_safety="Only the random numbers change.",
    invalid=(
        example("""
        import jax
        from nnx_ppo.networks.types import StatefulModule, StatefulModuleOutput


        class Colliding(StatefulModule):
            def __init__(self, rngs):
                self.rngs = rngs

            def initialize_state(self, batch_size):
                return jax.random.split(self.rngs(), batch_size)

            def __call__(self, key, x, rollout_extras=None):
                def draw(k, row):
                    noise = jax.random.normal(jax.random.fold_in(k, 0), row.shape)
                    return jax.random.split(k)[0], row + noise  # breach

                following, x = jax.vmap(draw)(key, x)
                return StatefulModuleOutput(following, x, 0.0, {})
        """),
    ),
    valid=(
        example("""
        import jax
        from nnx_ppo.networks.types import StatefulModule, StatefulModuleOutput


        class Apart(StatefulModule):
            def __init__(self, rngs):
                self.rngs = rngs

            def initialize_state(self, batch_size):
                return jax.random.split(self.rngs(), batch_size)

            def __call__(self, key, x, rollout_extras=None):
                def draw(k, row):
                    following, use = jax.random.split(k)
                    noise = jax.random.normal(jax.random.fold_in(use, 0), row.shape)
                    return following, row + noise

                following, x = jax.vmap(draw)(key, x)
                return StatefulModuleOutput(following, x, 0.0, {})
        """),
    ),
    check=check,
    by_default=False,
)
