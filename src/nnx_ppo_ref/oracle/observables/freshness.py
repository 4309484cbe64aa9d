"""Freshness: a stochastic module draws new noise at every step and in every later rollout."""

from __future__ import annotations

from nnx_ppo_ref.oracle import causes
from nnx_ppo_ref.oracle.draws import INPUT
from nnx_ppo_ref.oracle.evidence import ENDS, Evidence
from nnx_ppo_ref.oracle.observables.noise import Repetition, all_rows, along_time
from nnx_ppo_ref.oracle.observables.outputs import moved_streams, varies
from nnx_ppo_ref.oracle.report import Figures, Result, broken, not_applicable, passed

NAME = "freshness"


def judge(evidence: Evidence) -> Result:
    """Looks for noise that comes back."""
    if not evidence.stage.phases.stable:
        return broken(
            NAME, "a second trace of the same step has other equations", causes.CAUSES["host"]
        )
    if evidence.stage.eager:
        return _by_outputs(evidence)
    if not evidence.noise:
        return not_applicable(NAME, "nothing that the step returns depends on a draw of its own")
    found = along_time(all_rows(evidence))
    if found is None:
        return passed(NAME, f"{len(evidence.noise)} draws, none repeated along time")
    if found.again.draw.key & INPUT:
        return not_applicable(NAME, "the noise is a function of the observation")
    row = found.again
    text = (
        f"the noise of step {found.first.draw.step} comes again in step {row.draw.step}: "
        f"{row.draw.primitive} of {row.draw.owner} ({row.draw.place})"
    )
    figures = Figures(step=row.draw.step, env=row.env)
    return broken(NAME, text, causes.CAUSES[_kind(evidence, found)], figures)


def _kind(evidence: Evidence, found: Repetition) -> str:
    kind = causes.of_draws([found.again.draw], evidence.marks, 0)
    across = any(found.first.draw.step <= end < found.again.draw.step for end in ENDS)
    inside = any(found.first.draw.step > end or found.again.draw.step <= end for end in ENDS)
    if kind == "position":
        return "rewound" if across and not inside else "not advanced"
    return kind


def _by_outputs(evidence: Evidence) -> Result:
    """Without a trace: outputs that vary along the batch or time are noise, if a stream moved."""
    if not moved_streams(evidence):
        return not_applicable(NAME, "without a trace, draws are not seen")
    if varies(evidence, "time"):
        return passed(NAME, "judged by outputs, since there is no trace")
    return broken(NAME, "outputs do not vary along time", causes.CAUSES["not advanced"])
