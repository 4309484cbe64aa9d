"""NNX205: a container drops the state of a child."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_nnx_rng.interpreter import Audit, CalledChild, Event
from flake8_nnx_rng.interpreter.carry import ROOT
from flake8_nnx_rng.interpreter.taint import is_threaded
from flake8_nnx_rng.interpreter.values import taint_of
from flake8_nnx_rng.knowledge.children import Threads
from flake8_nnx_rng.rules import patterns
from flake8_nnx_rng.rules.rule import Breach, Rule, example, way
from flake8_nnx_rng.rules.threading import called, drops, is_empty, misplaced


def check(audit: Audit) -> Iterator[Breach]:
    """A child that may carry something is not given its state, or the next one is lost."""
    for events in (audit.rollout, audit.replay):
        for call in called(events):
            fault = None if call.promise.carry is Threads.NO else _fault(events, call)
            if fault is not None:
                yield Breach(
                    call.site,
                    f"{way(call.site)} {fault}: its noise repeats and its memory is lost; hand its "
                    "own state in and return its next_state",
                )


def _fault(events: tuple[Event, ...], call: CalledChild) -> str | None:
    state = call.state
    if state is not None and is_empty(state):  # of an unknown child it says that it has none
        is_certain = call.promise.carry is Threads.YES
        return f"gives {call.child} an empty state" if is_certain else None
    if state is not None and not is_threaded(taint_of(state)):
        return f"makes the state of {call.child} anew on every step"
    if drops(events, call, "next_state"):
        return f"does not return the next_state of {call.child}"
    place = misplaced(events, call, state, "next_state", ROOT)
    if place is not None:
        return f"gives {call.child} {place}, where it does not return its next_state"
    return None


RULE = Rule(
    code="NNX205",
    name="child-state-dropped",
    observable=("freshness", "replay"),
    what="""
Finds containers that do not return a child's `next_state`, that make the child's state anew on
every step, or that give an empty state to a child which carries something. A child that carries
nothing, by its own code or by its class in nnx-ppo, may be given anything.
""",
    why="""
The state holds the keys of stochastic layers and the memory of recurrent ones. A child whose next
state is dropped draws the same noise at every step and never remembers anything; rollout and replay
agree on it, so no metric of PPO's shows it. A state that is made anew in the call reads the
module's own stream, so the replay draws other numbers.
""",
    instead="""
Build the state of all children in `initialize_state`, give each child its part, and return the
children's `next_state` in the same structure.
""",
    fix_safety="Only the state changes: the container's gains what its children carry.",
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
                out = self.inner(state, x, rollout_extras)  # breach
                return StatefulModuleOutput(
                    state,
                    x + out.output,
                    out.regularization_loss,
                    out.metrics,
                    out.rollout_extras,
                )
        """),
    ),
    valid=(patterns.CONTAINER,),
    check=check,
)
