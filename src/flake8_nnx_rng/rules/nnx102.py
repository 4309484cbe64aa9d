"""NNX102: a class-level key is drawn from in the forward pass."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_nnx_rng.interpreter import Audit, Drew, Wrote
from flake8_nnx_rng.interpreter.taint import held_paths
from flake8_nnx_rng.interpreter.values import Stream
from flake8_nnx_rng.rules.carry import remembered
from flake8_nnx_rng.rules.origin import Origin, origin_of
from flake8_nnx_rng.rules.replay import is_replayed
from flake8_nnx_rng.rules.rule import Breach, Rule, example, way
from flake8_nnx_rng.rules.sampling import is_answered_for


def check(audit: Audit) -> Iterator[Breach]:
    """Numbers were drawn from a key that is held and that nothing carried was mixed into."""
    moved = {event.path for event in audit.events() if isinstance(event, Wrote)}
    for event in (*audit.events(), *remembered(audit)):
        if not isinstance(event, Drew):
            continue
        source = event.source
        if isinstance(source, Stream) and source.path is not None:
            continue
        node = event.site.node
        if origin_of(source.taint) is not Origin.HELD:
            continue
        paths = held_paths(source.taint)
        is_given_back = is_replayed(audit, node) or is_answered_for(audit, node)
        if event.layer is not None and not is_given_back:
            continue  # a drawing child, NNX104
        # Whatever is replayed: a key that never moves on gives the same sample in every step.
        if is_given_back and moved.intersection(paths):
            continue
        yield Breach(
            event.site,
            f"{way(event.site)} draws with class-level key {paths[0]}: rollout and loss replay "
            "will see different noise, or every step the same; carry one key per env in the state",
        )


RULE = Rule(
    code="NNX102",
    name="class-level-key",
    observable=("replay", "freshness"),
    what="""
Finds draws in the forward pass from a key that the module (or the Python file) holds: an
`nnx.RngKey`, a key in an `nnx.Variable` or in a plain attribute; also those in `reset_state` whose
numbers the state keeps for a later output. A key that a carried value is folded into is fine. An
action sampler may draw its sample from a key of its own, if it moves that key on.
""",
    why="""
If the key is advanced, the loss replay starts where the rollout ended and sees other noise; if it
is not, every step and every rollout sees the same noise, and a minibatch a slice of another shape.
Measured on nnx-ppo 0.3.0: outputs differ by up to 4.19 (never advanced) or 5.99 (advanced), and
92 % or 95 % of the importance ratios are clipped before any update.
""",
    instead="""
Carry one key per environment in the state. Where the base key must stay in the module, fold a
carried counter into it per environment.
""",
    fix_safety="Only the random numbers change; the carry gains a key where it had none.",
    invalid=(
        example("""
        import jax
        from flax import nnx
        from nnx_ppo.networks.types import StatefulModule, StatefulModuleOutput


        class FixedNoise(StatefulModule):
            def __init__(self, rngs: nnx.Rngs):
                self.key = nnx.Variable(rngs.noise())

            def __call__(self, state, x, rollout_extras=None):
                noise = jax.random.normal(self.key[...], x.shape)  # breach
                return StatefulModuleOutput(state, x + noise, 0.0, {})
        """),
    ),
    valid=(
        example("""
        import jax
        import jax.numpy as jnp
        from flax import nnx
        from nnx_ppo.networks.types import StatefulModule, StatefulModuleOutput


        class CountedNoise(StatefulModule):
            def __init__(self, rngs: nnx.Rngs):
                self.key = nnx.Variable(rngs.noise())

            def initialize_state(self, batch_size):
                return {"env": jnp.arange(batch_size), "step": jnp.zeros(batch_size, int)}

            def __call__(self, state, x, rollout_extras=None):
                def draw(env, step, row):
                    key = jax.random.fold_in(jax.random.fold_in(self.key[...], env), step)
                    return jax.random.normal(key, row.shape)

                noise = jax.vmap(draw)(state["env"], state["step"], x)
                state = {"env": state["env"], "step": state["step"] + 1}
                return StatefulModuleOutput(state, x + noise, 0.0, {})
        """),
    ),
    check=check,
)
