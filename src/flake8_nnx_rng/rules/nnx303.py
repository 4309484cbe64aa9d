"""NNX303: a container keeps a child's `rollout_extras` to itself."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_nnx_rng.interpreter import Audit
from flake8_nnx_rng.interpreter.taint import Entry
from flake8_nnx_rng.interpreter.values import taint_of
from flake8_nnx_rng.knowledge import library
from flake8_nnx_rng.knowledge.children import Threads
from flake8_nnx_rng.rules import patterns
from flake8_nnx_rng.rules.rule import Breach, Rule, example, way
from flake8_nnx_rng.rules.threading import called, drops, misplaced


def check(audit: Audit) -> Iterator[Breach]:
    """A child that may need extras is called without, or what it emits is not returned."""
    for call in called(audit.replay):
        is_given = call.extras is not None and Entry.EXTRAS in taint_of(call.extras)
        if call.promise.extras is Threads.NO:
            continue
        if not is_given:
            yield Breach(
                call.site,
                f"{way(call.site)} calls {call.child} without its rollout_extras: the loss replay "
                "draws again what the rollout drew; pass the child's part of rollout_extras",
            )
        elif misplaced(audit.replay, call, call.extras, library.EXTRAS, library.EXTRAS):
            yield Breach(
                call.site,
                f"{way(call.site)} gives {call.child} other rollout_extras than it returns for it: "
                "the loss replay scores another action; pass the part that the child emits",
            )
    for call in called(audit.rollout):
        if call.promise.extras is not Threads.NO and drops(audit.rollout, call, library.EXTRAS):
            yield Breach(
                call.site,
                f"{way(call.site)} does not return what {call.child} emits as rollout_extras: the "
                "loss replay cannot give it back; return it beside the child's next_state",
            )


RULE = Rule(
    code="NNX303",
    name="child-extras-dropped",
    observable=("replay", "lock"),
    what="""
Finds containers that call a child without its `rollout_extras`, or that do not return what the
child emitted. Children of the project are known by their own passes, those of nnx-ppo by a table;
whatever else is called with a state and read as a `StatefulModuleOutput` may be a sampler. Not
reported for children that emit nothing which their replay needs.
""",
    why="""
A sampler inside the child then draws a new action in the loss replay, and PPO scores an action that
was never taken: as measured for a sampler that emits nothing, actions differ by up to 4.15 and 90 %
of the importance ratios are clipped before any update.
""",
    instead="""
Treat extras as you treat states: give each child its part, None in the rollout, and return what
the children emitted in the same structure.
""",
    fix_safety="The replay gets back what the rollout drew; nothing else changes.",
    invalid=(
        example("""
        from nnx_ppo.networks.types import StatefulModule, StatefulModuleOutput


        class Residual(StatefulModule):
            def __init__(self, inner: StatefulModule):
                self.inner = inner

            def initialize_state(self, batch_size):
                return self.inner.initialize_state(batch_size)

            def reset_state(self, prev_state):
                return self.inner.reset_state(prev_state)

            def __call__(self, state, x, rollout_extras=None):
                out = self.inner(state, x)  # breach
                return StatefulModuleOutput(
                    out.next_state,
                    x + out.output,
                    out.regularization_loss,
                    out.metrics,
                )
        """),
    ),
    valid=(patterns.CONTAINER,),
    check=check,
)
