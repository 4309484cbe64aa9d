"""NNX403: a stream advances only where `rollout_extras` is None."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_nnx_rng.interpreter import Advanced, Audit, Drew
from flake8_nnx_rng.interpreter.taint import is_threaded
from flake8_nnx_rng.interpreter.values import Stream
from flake8_nnx_rng.rules import patterns
from flake8_nnx_rng.rules.replay import is_replayed
from flake8_nnx_rng.rules.rule import Breach, Rule, example, way


def check(audit: Audit) -> Iterator[Breach]:
    """A stream moved at a place that the replay does not reach, and its sample comes back."""
    reached = {event.site.node for event in audit.replay if isinstance(event, (Drew, Advanced))}
    for event in audit.rollout:
        if not isinstance(event, (Drew, Advanced)) or event.site.node in reached:
            continue
        source = event.source
        if not isinstance(source, Stream) or source.path is None or is_threaded(source.taint):
            continue
        if is_replayed(audit, event.site.node):
            yield Breach(
                event.site,
                f"{way(event.site)} draws from {source.path} only if rollout_extras is None: its "
                "stream is not where the rollout's was after the replay; draw in both cases",
            )


RULE = Rule(
    code="NNX403",
    name="sampler-out-of-lockstep",
    observable=("lockstep",),
    what="""
Finds draws from a module's own stream that the rollout makes and the replay does not, in samplers
and in any other class whose draw comes back in `rollout_extras`. Off by default.
""",
    why="""
nnx-ppo's guide asks that a sampler's stream advances equally in both passes, so that whatever else
draws from it stays in lockstep. The replay is exact either way: the sample comes back. What moves
is only which numbers later rollouts see.
""",
    instead="""
Draw in both passes, and replace what was drawn where `rollout_extras` is given.
""",
    fix_safety="Later rollouts see other random numbers; the replay stays exact.",
    invalid=(
        example("""
        import jax.numpy as jnp
        from flax import nnx
        from nnx_ppo.networks.sampling_layers import ActionSampler
        from nnx_ppo.networks.types import StatefulModuleOutput


        class GaussianSampler(ActionSampler):
            def __init__(self, rngs: nnx.Rngs):
                self.rngs = rngs

            def __call__(self, state, x, rollout_extras=None):
                mean, log_std = jnp.split(x, 2, axis=-1)
                raw = rollout_extras
                if raw is None:
                    noise = self.rngs.action.normal(mean.shape)  # breach
                    raw = mean + jnp.exp(log_std) * noise
                score = -jnp.sum(0.5 * ((raw - mean) / jnp.exp(log_std)) ** 2 + log_std, axis=-1)
                output = {"action": raw, "log_likelihood": score}
                return StatefulModuleOutput((), output, 0.0, {}, raw)
        """),
    ),
    valid=(patterns.SAMPLER,),
    check=check,
    by_default=False,
)
