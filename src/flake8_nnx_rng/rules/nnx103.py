"""NNX103: RNG state is written in the forward pass."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_nnx_rng.interpreter import Audit, Drew, Wrote
from flake8_nnx_rng.interpreter.taint import Drawn, Held, held_paths, is_threaded
from flake8_nnx_rng.interpreter.values import Key, Stream, Value, options, taint_of
from flake8_nnx_rng.rules import patterns
from flake8_nnx_rng.rules.replay import is_replayed
from flake8_nnx_rng.rules.rule import Breach, Rule, example, way


def check(audit: Audit) -> Iterator[Breach]:
    """A held place that is, or becomes, a key or stream was written."""
    for event in audit.events():
        if not isinstance(event, Wrote) or _is_of_samples(audit, event):
            continue
        if is_random(event.before) or is_random(event.after):
            yield Breach(
                event.site,
                f"{way(event.site)} writes RNG state {event.path}: the loss replay starts where "
                "the rollout left it; return the next key in the state instead",
            )


def _is_of_samples(audit: Audit, event: Wrote) -> bool:
    """Whether a key moves on from which only samples are drawn that the replay gets back."""
    if event.site.traced or not _moves_on(event):
        return False
    if audit.is_sampler:
        return True
    draws = [
        drew.site.node
        for drew in audit.events()
        if isinstance(drew, Drew) and event.path in held_paths(drew.source.taint)
    ]
    return bool(draws) and all(is_replayed(audit, node) for node in draws)


def _moves_on(event: Wrote) -> bool:
    """Whether what is written comes of what was there, or was kept in the extras."""
    taint = taint_of(event.after)
    return is_threaded(taint) or any(isinstance(source, (Held, Drawn)) for source in taint)


def is_random(value: Value) -> bool:
    """Whether a value may be a key or a stream."""
    return any(isinstance(option, (Key, Stream)) for option in options(value))


RULE = Rule(
    code="NNX103",
    name="rng-state-write",
    observable=("purity", "trace", "lockstep"),
    what="""
Finds writes of RNG state in the forward pass: `set_value`, `[...] =`, `.value =`, an assignment to
an attribute that holds a key, `nnx.update` of a stream. An action sampler, or what does as one, may
move its own state on, as by splitting its key, but not set it to something else.
""",
    why="""
The library replays a pass on the promise that it left the module as it was. A written key stays
advanced after the rollout, so the replay draws other noise; a plain attribute even leaks a tracer
out of `jit`.
""",
    instead="Return the next key as part of the next state.",
    fix_safety="Only the random numbers change; the carry gains a key where it had none.",
    invalid=(
        example("""
        import jax
        from flax import nnx
        from nnx_ppo.networks.types import StatefulModule, StatefulModuleOutput


        class Advancing(StatefulModule):
            def __init__(self, rngs: nnx.Rngs):
                self.key = nnx.RngKey(rngs.noise())

            def __call__(self, state, x, rollout_extras=None):
                following, use = jax.random.split(self.key.get_value())
                self.key.set_value(following)  # breach
                return StatefulModuleOutput(state, x, 0.0, {})
        """),
    ),
    valid=(patterns.NOISE,),
    check=check,
)
