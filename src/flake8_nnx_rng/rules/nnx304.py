"""NNX304: a sampler draws one number or row for all envs."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_nnx_rng.interpreter import Audit, Drew
from flake8_nnx_rng.rules import patterns
from flake8_nnx_rng.rules.rule import Breach, Rule, example, way
from flake8_nnx_rng.rules.sampling import is_of_sample


def check(audit: Audit) -> Iterator[Breach]:
    """What the replay gets back was drawn once for all envs."""
    for event in audit.rollout:
        if isinstance(event, Drew) and event.shared and is_of_sample(audit, event.site.node):
            yield Breach(
                event.site,
                f"{way(event.site)} draws one sample for all envs: they explore the same way in "
                "every step; draw in the shape of the batch",
            )


RULE = Rule(
    code="NNX304",
    name="sample-shared",
    observable=("independence",),
    what="""
Finds action samplers, and what does as they do, that draw one number or one row for the whole
batch: no shape, a literal shape, the shape of a row such as `mean.shape[1:]`, a permutation that is
the same for all, or attention that drops the same out of every row.
""",
    why="""
The replay is exact, as the sample comes back through `rollout_extras`. But all environments get the
same noise, so a rollout of many explores as little as a rollout of one.
""",
    instead="Draw in the shape of the batch, such as `mean.shape`.",
    fix_safety="There is no fix: what the sample is meant to look like is for the author to say.",
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
                noise = jax.random.normal(self.rngs.action(), mean.shape[1:])  # breach
                raw = mean + jnp.exp(log_std) * noise
                raw = raw if rollout_extras is None else rollout_extras
                score = -jnp.sum(0.5 * ((raw - mean) / jnp.exp(log_std)) ** 2 + log_std, axis=-1)
                output = {"action": raw, "log_likelihood": score}
                return StatefulModuleOutput((), output, 0.0, {}, raw)
        """),
    ),
    valid=(patterns.SAMPLER,),
    check=check,
)
