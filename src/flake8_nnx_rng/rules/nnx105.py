"""NNX105: a class-level stream or key is handed to code that is not followed."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_nnx_rng.interpreter import Audit, Escaped
from flake8_nnx_rng.rules.origin import held_place
from flake8_nnx_rng.rules.replay import is_replayed
from flake8_nnx_rng.rules.rule import Breach, Rule, example, way


def check(audit: Audit) -> Iterator[Breach]:
    """A held stream or key went into a call that is not followed."""
    for event in audit.events():
        path = held_place(event.value) if isinstance(event, Escaped) else None
        if not isinstance(event, Escaped) or path is None or is_replayed(audit, event.site.node):
            continue
        yield Breach(
            event.site,
            f"{way(event.site)} hands class-level {path} to {event.callee}, whose draws are not "
            "followed: rollout and loss replay will see different noise; hand it a key carried per "
            "env",
        )


RULE = Rule(
    code="NNX105",
    name="escaping-stream",
    observable=("replay", "purity"),
    what="""
Finds class-level streams and keys that the forward pass hands to code which is not followed: a
function of a package that is not part of the project, a child module, which is checked by itself, a
method of something of unknown type. The module itself counts (`helper(self)`) if it holds a stream
or a key. Functions of Python, JAX, Flax, NumPy and Optax that are known not to draw do not count.
""",
    why="""
Whatever that code draws, it draws again in the loss replay, from a stream that the rollout has
advanced. The analysis cannot show that it draws, but a stream is handed over for little else.
""",
    instead="Hand over a key that is carried per environment, or one that was split from it.",
    fix_safety="There is no automatic rewrite: only you know what the callee takes.",
    invalid=(
        example("""
        from flax import nnx
        from elsewhere import perturbed
        from nnx_ppo.networks.types import StatefulModule, StatefulModuleOutput


        class Perturbed(StatefulModule):
            def __init__(self, rngs: nnx.Rngs):
                self.rngs = rngs

            def __call__(self, state, x, rollout_extras=None):
                y = perturbed(x, rngs=self.rngs)  # breach
                return StatefulModuleOutput(state, y, 0.0, {})
        """),
    ),
    valid=(
        example("""
        import jax
        from flax import nnx
        from elsewhere import perturbed
        from nnx_ppo.networks.types import StatefulModule, StatefulModuleOutput


        class Perturbed(StatefulModule):
            def __init__(self, rngs: nnx.Rngs):
                self.rngs = rngs

            def initialize_state(self, batch_size):
                return jax.random.split(self.rngs(), batch_size)

            def __call__(self, key, x, rollout_extras=None):
                next_key, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(key)
                y = jax.vmap(lambda k, row: perturbed(row, rngs=k))(use, x)
                return StatefulModuleOutput(next_key, y, 0.0, {})
        """),
    ),
    check=check,
)
