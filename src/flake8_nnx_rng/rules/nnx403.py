"""NNX403: a stream advances only where `rollout_extras` is None."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_nnx_rng.interpreter import Advanced, Audit, Drew, Event, Returned
from flake8_nnx_rng.interpreter.taint import is_threaded
from flake8_nnx_rng.interpreter.values import Stream, Value, options
from flake8_nnx_rng.rules import patterns
from flake8_nnx_rng.rules.replay import is_replayed
from flake8_nnx_rng.rules.rule import Breach, Rule, example, way


def check(audit: Audit) -> Iterator[Breach]:
    """A stream moved where, or more often than, the replay moves it, and its sample comes back."""
    reached = {event.site.node for event in audit.replay if isinstance(event, (Drew, Advanced))}
    drawn = [one for one in _own_draws(audit.rollout) if is_replayed(audit, one[1].site.node)]
    alone = [(path, event) for path, event in drawn if event.site.node not in reached]
    told = {path for path, _ in alone}
    first = dict(reversed(drawn))
    replayed = _moves(audit.replay)
    for path, moves in _moves(audit.rollout).items():
        if path in first and path not in told and moves != replayed.get(path):
            alone.append((path, first[path]))
    for path, event in alone:
        yield Breach(
            event.site,
            f"{way(event.site)} draws from {path} only if rollout_extras is None: its stream is "
            "not where the rollout's was after the replay; draw in both cases",
        )


def _own_draws(events: tuple[Event, ...]) -> Iterator[tuple[str, Drew | Advanced]]:
    """The places where a held stream moves, with its path."""
    for event in events:
        if isinstance(event, (Drew, Advanced)) and isinstance(event.source, Stream):
            path = event.source.path
            if path is None or is_threaded(event.source.taint) or event.source.copied:
                continue
            yield path, event


def _moves(events: tuple[Event, ...]) -> dict[str, set[Value]]:
    """How often each held stream may have moved when a pass returns."""
    moves: dict[str, set[Value]] = {}
    for event in events:
        if isinstance(event, Returned):
            for path, number in event.moved:
                moves.setdefault(path, set()).update(options(number))
    return moves


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
