"""Lockstep: a stream advances equally whether or not extras are given."""

from __future__ import annotations

import jax
import numpy as np

from nnx_ppo_ref.oracle import causes
from nnx_ppo_ref.oracle.evidence import Evidence
from nnx_ppo_ref.oracle.passes import Pass
from nnx_ppo_ref.oracle.report import Figures, Result, broken, not_applicable, passed

NAME = "lockstep"


def judge(evidence: Evidence) -> Result:
    """Compares how far every stream went in rollout and replay."""
    if not jax.tree.leaves(evidence.rollout.steps[0].extras):
        return not_applicable(NAME, "the module emits no rollout extras")
    if not evidence.subject.streams:
        return not_applicable(NAME, "the module has no stream")
    for index in evidence.subject.streams:
        counts = [_advance(run, index) for run in (evidence.rollout, evidence.replay)]
        if counts[0] != counts[1]:
            name = evidence.subject.names[index]
            return broken(
                NAME,
                f"`{name}` advances by {counts[0]} in the rollout and by {counts[1]} in the replay",
                causes.CAUSES["lockstep"],
                Figures(leaf=name),
            )
    return passed(NAME)


def _advance(run: Pass, index: int) -> int:
    """What the calls of a pass added to a counter; resets are left out."""
    return sum(
        int(np.asarray(step.after[index].array).sum())
        - int(np.asarray(step.before[index].array).sum())
        for step in run.steps
    )
