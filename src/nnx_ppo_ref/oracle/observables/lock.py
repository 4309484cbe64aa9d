"""Lock: a sample whose likelihood is scored is the stored one.

The parameters are changed between rollout and replay. The action must not move, bit for bit,
against the replay at unchanged parameters; and that one must be the rollout's.
"""

from __future__ import annotations

from nnx_ppo_ref.oracle import causes
from nnx_ppo_ref.oracle.compare import allowed, difference, largest, numbers, worst
from nnx_ppo_ref.oracle.draws import INPUT, union
from nnx_ppo_ref.oracle.evidence import Evidence
from nnx_ppo_ref.oracle.passes import Pass
from nnx_ppo_ref.oracle.report import Figures, Result, broken, not_applicable, passed

NAME = "lock"


def judge(evidence: Evidence) -> Result:
    """Compares the actions of two replays."""
    if not evidence.replay.steps[0].actions:
        return not_applicable(NAME, "the output holds no action with a log-likelihood")
    figures, moved = worst(iter(_moves(evidence)))
    if not moved:
        return passed(NAME, "the action does not move with the parameters")
    return broken(
        NAME, "the action of the replay is not the stored one", causes.CAUSES["unlocked"], figures
    )


def _moves(evidence: Evidence) -> list[tuple[Figures, bool]]:
    found = []
    drawn = union(draw.bit for draw in evidence.locked.draws)
    steps = zip(evidence.rollout.steps, evidence.replay.steps, evidence.locked.steps, strict=False)
    for number, (before, at, after) in enumerate(steps):
        for (name, a), (_, b), (_, c) in zip(
            before.actions, at.actions, after.actions, strict=True
        ):
            apart = difference(numbers(b), numbers(c))
            # A stored action may be put on top of what is observed.
            added = evidence.changed == INPUT and not c.depends & drawn
            if apart.any() and (evidence.stage.eager or not added):
                row = int(apart.reshape(len(apart), -1).max(axis=1).argmax()) if apart.ndim else 0
                env = int(evidence.minibatch[row]) if apart.ndim else None
                found.append((Figures(float(apart.max()), name, number, env), True))
            limit = allowed(a, 0.0, evidence.roundings, evidence.tolerance)
            drift, env, over = largest(a, b, evidence.minibatch, evidence.rollout.envs, limit)
            if over:
                found.append((Figures(drift, name, number, env), True))
    return found


def has_moved(one: Pass, other: Pass) -> bool:
    """Whether any action of the shorter pass differs."""
    return any(
        difference(numbers(a), numbers(b)).any()
        for left, right in zip(one.steps, other.steps, strict=False)
        for (_, a), (_, b) in zip(left.actions, right.actions, strict=True)
    )
