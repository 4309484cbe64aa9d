"""NNX401: a key is consumed twice."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_nnx_rng.interpreter import Audit, Drew, Returned, Reused, Use, Wrote
from flake8_nnx_rng.interpreter.regions import Region
from flake8_nnx_rng.interpreter.taint import held_paths
from flake8_nnx_rng.rules import patterns
from flake8_nnx_rng.rules.carry import next_states, returned_used
from flake8_nnx_rng.rules.origin import OWN
from flake8_nnx_rng.rules.rule import Breach, Rule, example, key_text, way

_CONSUMING = frozenset({Use.DRAWN, Use.SPLIT})


def check(audit: Audit) -> Iterator[Breach]:
    """A key was drawn from or split after it had been, or returned to be so in the next step."""
    for event in (*audit.events(), *audit.initial, *audit.reset):
        if isinstance(event, Reused) and event.use in _CONSUMING and event.before & _CONSUMING:
            before = "/".join(sorted(use.value for use in event.before & _CONSUMING))
            yield Breach(
                event.site,
                f"{way(event.site)}: key {key_text(event)} is {event.use.value} and was {before} "
                "before: the two results are correlated; split it once and use each half once",
            )
        elif isinstance(event, Returned):
            spent = event.keys(*_CONSUMING)
            for path in _kept(audit, spent) if next_states(event) else ():
                yield Breach(
                    event.site,
                    f"{way(event.site)} uses up class-level key {path} and keeps it: the next step "
                    "uses it again; carry one key per env in the state",
                )
            for part in returned_used(event, spent, spent):
                yield Breach(
                    event.site,
                    f"{way(event.site)} returns in {part} a key that was used already: the next "
                    "step's noise is correlated with this one's; return the unused half",
                )


def _kept(audit: Audit, spent: frozenset[Region]) -> list[str]:
    """The held keys that are used up, but for no draw and for no other key in their place.

    What is drawn from them is told by NNX102.
    """
    paths = {region.array for region in spent if region.array.startswith(OWN)}
    for event in audit.events():
        if isinstance(event, Wrote):
            paths.discard(event.path)
        elif isinstance(event, Drew):
            paths.difference_update(held_paths(event.source.taint))
    return sorted(paths)


RULE = Rule(
    code="NNX401",
    name="key-reuse",
    observable=("hygiene",),
    what="""
Finds keys that are consumed twice on one path: drawn from and then split, drawn from in two
places or in every round of a loop, or used and then returned as the next state.
""",
    why="""
Two draws from one key are the same bits, and a split of a key that was drawn from correlates all
that follows with that draw. JAX's own checker (`jax.debug_key_reuse`) raises KeyReuseError. It is
off by default here because nnx-ppo's own `VariationalBottleneck` does it; the replay is exact.
""",
    instead="Split first, then use each of the new keys once.",
    fix_safety="Only the random numbers change.",
    invalid=(
        example("""
        import jax
        from nnx_ppo.networks.types import StatefulModule, StatefulModuleOutput


        class DrawThenSplit(StatefulModule):
            def __init__(self, rngs):
                self.rngs = rngs

            def initialize_state(self, batch_size):
                return jax.random.split(self.rngs(), batch_size)

            def __call__(self, key, x, rollout_extras=None):
                x += jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(key, x)
                following = jax.vmap(lambda k: jax.random.split(k)[0])(key)  # breach
                return StatefulModuleOutput(following, x, 0.0, {})
        """),
    ),
    valid=(patterns.NOISE,),
    check=check,
    by_default=False,
)
