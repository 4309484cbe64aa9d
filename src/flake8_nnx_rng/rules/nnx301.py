"""NNX301: a sampler draws an action and does not return it in `rollout_extras`."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_nnx_rng.interpreter import Audit
from flake8_nnx_rng.rules import patterns
from flake8_nnx_rng.rules.rule import Breach, Rule, example, way
from flake8_nnx_rng.rules.sampling import unemitted


def check(audit: Audit) -> Iterator[Breach]:
    """A return of the rollout has drawn an action that it does not emit."""
    for outcome in unemitted(audit):
        yield Breach(
            outcome.site,
            f"{way(outcome.site)} draws an action and does not return it in rollout_extras: the "
            "loss replay scores another action than was taken; return the raw action there",
        )


RULE = Rule(
    code="NNX301",
    name="sample-not-emitted",
    observable=("replay", "lock"),
    what="""
Finds returns of an action sampler whose action was drawn in this pass, but whose
`rollout_extras` do not hold what was drawn: none, an empty container, or something else. A sampler
that draws nothing need not return any; nor need a draw for the entropy estimate be kept.
""",
    why="""
A sampler may draw from its own stream only because the loss replay gets the raw action back. If
it does not, PPO scores an action that was never taken. Measured on nnx-ppo 0.3.0: actions differ by
up to 4.15, and 90 % of the importance ratios are clipped before any update, instead of none.
""",
    instead="""
Return the raw action, before any squashing, as `rollout_extras`, and use what is given there
instead of a new draw.
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
                noise = jax.random.normal(self.rngs.action(), mean.shape)
                raw = mean + jnp.exp(log_std) * noise
                score = -jnp.sum(0.5 * ((raw - mean) / jnp.exp(log_std)) ** 2 + log_std, axis=-1)
                output = {"action": raw, "log_likelihood": score}
                return StatefulModuleOutput((), output, 0.0, {})  # breach
        """),
    ),
    valid=(patterns.SAMPLER,),
    check=check,
)
