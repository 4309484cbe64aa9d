"""NNX302: a sampler is given `rollout_extras` and computes its action anew."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_nnx_rng.interpreter import Audit
from flake8_nnx_rng.rules import patterns
from flake8_nnx_rng.rules.rule import Breach, Rule, example, way
from flake8_nnx_rng.rules.sampling import recomputed, redrawn


def check(audit: Audit) -> Iterator[Breach]:
    """In the replay a draw reaches the action, or the action is not the one that was emitted."""
    for event in redrawn(audit):
        yield Breach(
            event.site,
            f"{way(event.site)} draws the action anew though rollout_extras are given: PPO scores "
            "an action that was not taken; use the stored raw action instead",
        )
    for outcome in recomputed(audit):
        yield Breach(
            outcome.site,
            f"{way(outcome.site)} returns an action that is not the stored one: it moves with the "
            "parameters; store the raw action in rollout_extras and use it as it is",
        )


RULE = Rule(
    code="NNX302",
    name="extras-ignored",
    observable=("lock",),
    what="""
Finds action samplers whose action in the loss replay is not the stored one: the draw still reaches
it, from the module's own stream or from a carried key; or the stored noise is put on the mean
again; or the extras are not used at all. It is reported at the draw, or at the return where no draw
is left to blame. Any module whose output holds an `action` with its `log_likelihood` counts, if it
draws from a carried key.
""",
    why="""
PPO asks how likely the action that was *taken* is under new parameters. After the first gradient
step the same noise gives another action, and the importance ratio compares the likelihoods of two
different actions. With a carried key the replay at unchanged parameters is exact, so no comparison
of activations shows it. An action that is drawn again from the module's own stream differs already
before the first update: 90 % of the importance ratios are clipped, measured on nnx-ppo 0.3.0.
""",
    instead="""
Store the raw action itself and let it replace the draw wherever `rollout_extras` is not None. The
draw may stay: a sampler's stream should move equally in both passes.
""",
    fix_safety="The action keeps its distribution; only what is stored for the replay changes.",
    invalid=(
        example("""
        import jax
        import jax.numpy as jnp
        from flax import nnx
        from nnx_ppo.networks.sampling_layers import ActionSampler
        from nnx_ppo.networks.types import StatefulModuleOutput


        class GaussianSampler(ActionSampler):
            def __init__(self, rngs: nnx.Rngs):
                self.rngs = rngs

            def __call__(self, state, x, rollout_extras=None):
                mean, log_std = jnp.split(x, 2, axis=-1)
                noise = jax.random.normal(self.rngs.action(), mean.shape)  # breach
                raw = mean + jnp.exp(log_std) * noise
                score = -jnp.sum(0.5 * ((raw - mean) / jnp.exp(log_std)) ** 2 + log_std, axis=-1)
                output = {"action": raw, "log_likelihood": score}
                return StatefulModuleOutput((), output, 0.0, {}, raw)
        """),
    ),
    valid=(patterns.SAMPLER,),
    check=check,
)
