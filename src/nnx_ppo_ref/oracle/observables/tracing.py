"""Trace: the module runs as PPO runs it, under jit and scan, with the reset under vmap(cond)."""

from __future__ import annotations

from nnx_ppo_ref.oracle import causes
from nnx_ppo_ref.oracle.phases import Phases
from nnx_ppo_ref.oracle.report import Result, broken, passed
from nnx_ppo_ref.oracle.subject import LEAK

NAME = "trace"


def judge(phases: Phases) -> Result:
    """Reads what tracing the pieces said."""
    leaks = [note for note in phases.notes if LEAK in note]
    faults = (*phases.faults, *leaks)
    if not faults:
        return passed(NAME)
    return broken(NAME, "; ".join(faults[:3]), causes.CAUSES[_kind(phases, bool(leaks))])


def _kind(phases: Phases, leaks: bool) -> str:
    errors = [phase.error for phase in (phases.call, phases.replay, phases.bootstrap)]
    if any(map(_is_mutation, errors)):
        return "outside"
    if _is_mutation(phases.replay_reset.error):
        return "mutation"
    return "leak" if leaks else "carry"


def _is_mutation(error: Exception | None) -> bool:
    return type(error).__name__ == "TraceContextError"
