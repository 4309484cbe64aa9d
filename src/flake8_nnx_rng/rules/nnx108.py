"""NNX108: the forward pass writes state of the module that its output depends on."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_nnx_rng.interpreter import Audit, Drew, Event, Wrote
from flake8_nnx_rng.interpreter.taint import Held, merge
from flake8_nnx_rng.interpreter.values import Layer
from flake8_nnx_rng.rules.carry import is_within
from flake8_nnx_rng.rules.nnx103 import is_random
from flake8_nnx_rng.rules.replay import what_is_compared
from flake8_nnx_rng.rules.rule import Breach, Rule, example, way


def check(audit: Audit) -> Iterator[Breach]:
    """A held place that is no RNG state was written, and flows into what is compared."""
    for events in audit.passes():
        read = _read(events)
        for event in events:
            if not isinstance(event, Wrote) or is_random(event.before) or is_random(event.after):
                continue
            if any(is_within(event.path, p) or is_within(p, event.path) for p in read):
                why = (
                    "and its output depends on that: the loss replay starts from what the rollout "
                    "left there; keep it in the state, or update it outside the pass"
                )
            elif event.site.traced:
                why = (
                    "in a function that JAX traces: Flax raises TraceContextError; return what is "
                    "new there and write it outside of the function"
                )
            else:
                continue
            yield Breach(event.site, f"{way(event.site)} {_does(event)}, {why}")


def _does(event: Wrote) -> str:
    if isinstance(event.before, Layer):
        kind = event.before.name.removeprefix("flax.")
        return f"calls {event.path} ({kind}), which updates its own state"
    return f"updates {event.path}"


def _read(events: tuple[Event, ...]) -> set[str]:
    """The held places that flow into what is compared, or into a key that is drawn from."""
    taints = [event.source.taint for event in events if isinstance(event, Drew)]
    flowing = merge([*what_is_compared(events), *taints])
    return {source.path for source in flowing if isinstance(source, Held)}


RULE = Rule(
    code="NNX108",
    name="state-write",
    observable=("purity", "replay"),
    what="""
Finds writes of module state in the forward pass that the output depends on: counters and buffers in
an `nnx.Variable` or an attribute, and layers that write when they are called (`nnx.BatchNorm` in
train mode, `nnx.SpectralNorm`, `nnx.WeightNorm`, decoding attention). A `BatchNorm` is clear only
where its call passes a literal `use_running_average=True`, as `train()` undoes what its constructor
was told. A log that nothing returned depends on is reported only where `jax.checkpoint`, `lax.scan`
and their kin trace, as Flax lets nothing be written there.
""",
    why="""
The loss replays a rollout on the promise that the pass leaves the module as it was. What is written
stays written: the replay starts where the rollout ended, and batch statistics are those of the
minibatch. Measured on nnx-ppo 0.3.0 with `nnx.BatchNorm`: outputs differ by up to 1.70 on a
minibatch, 0 on the full batch.
""",
    instead="""
Keep per-environment state in the carry. Keep statistics as nnx-ppo's `Normalizer` does: read in the
pass, updated in `update_statistics` after it. Or normalise without state, as `nnx.LayerNorm` does.
""",
    fix_safety="There is no automatic rewrite: where the state belongs is a design decision.",
    invalid=(
        example("""
        from flax import nnx
        from nnx_ppo.networks.types import StatefulModule, StatefulModuleOutput


        class Normed(StatefulModule):
            def __init__(self, features: int, rngs: nnx.Rngs):
                self.norm = nnx.BatchNorm(features, rngs=rngs)

            def __call__(self, state, x, rollout_extras=None):
                return StatefulModuleOutput(state, self.norm(x), 0.0, {})  # breach
        """),
        example("""
        from flax import nnx
        from nnx_ppo.networks.types import StatefulModule, StatefulModuleOutput


        class Warmup(StatefulModule):
            def __init__(self):
                self.steps = nnx.Variable(0.0)

            def __call__(self, state, x, rollout_extras=None):
                self.steps[...] += 1.0  # breach
                return StatefulModuleOutput(state, x / self.steps[...], 0.0, {})
        """),
    ),
    valid=(
        example("""
        from flax import nnx
        from nnx_ppo.networks.types import StatefulModule, StatefulModuleOutput


        class Normed(StatefulModule):
            def __init__(self, features: int, rngs: nnx.Rngs):
                self.norm = nnx.BatchNorm(features, rngs=rngs)
                self.calls = nnx.Variable(0)

            def __call__(self, state, x, rollout_extras=None):
                self.calls[...] += 1  # a log: no output depends on it
                y = self.norm(x, use_running_average=True)
                return StatefulModuleOutput(state, y, 0.0, {})
        """),
    ),
    check=check,
)
