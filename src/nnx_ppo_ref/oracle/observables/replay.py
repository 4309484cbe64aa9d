"""Replay: at unchanged parameters the loss computes what the rollout computed.

Noise and arithmetic are judged apart. Every draw that reaches the output of the replay must be,
bit for bit, a draw of the same step and environment in the rollout, and the other way round unless
the rollout's draw came back through the extras; so noise too small to show in the output is seen.
Activations may differ by what rounding explains, since a minibatch may change the last bits of a
product. Draws of samplers that return extras may reach the regularization loss, which holds their
entropy estimate.
"""

from __future__ import annotations

from collections.abc import Iterator

from nnx_ppo_ref.oracle import causes, jaxprs
from nnx_ppo_ref.oracle.compare import allowed, largest, worst
from nnx_ppo_ref.oracle.draws import Dependencies, Draw, union
from nnx_ppo_ref.oracle.evidence import Evidence
from nnx_ppo_ref.oracle.interpret import Value
from nnx_ppo_ref.oracle.matching import missing
from nnx_ppo_ref.oracle.report import Figures, Result, broken, passed

NAME = "replay"


def judge(evidence: Evidence) -> Result:
    """Compares rollout and replay."""
    later, earlier = evidence.replay, evidence.rollout
    pairs = [(ours, int(theirs)) for ours, theirs in enumerate(evidence.minibatch)]
    back = [(theirs, ours) for ours, theirs in pairs]
    new = missing(later, earlier, pairs, later.reaching(losses=True))
    lost = missing(earlier, later, back, earlier.reaching(losses=True))
    lost = [draw for draw in lost if not draw.looped and draw.bit & _unreturned(evidence)]
    output = later.reaching(losses=False) | earlier.reaching(losses=False)
    excused = [d for d in (*new, *lost) if not d.bit & output and _is_excused(d, evidence)]
    bits = union(draw.bit for draw in excused)
    wrong = [draw for draw in (*new, *lost) if not draw.bit & bits]
    figures, excess = worst(_differences(evidence, bits))
    written = output & evidence.moving
    if not wrong and not excess and not written:
        return passed(NAME, _summary(evidence, figures))
    text = _drawn(wrong) if wrong else _undrawn(evidence, written)
    kind = _kind(evidence, wrong)
    return broken(NAME, text, causes.CAUSES[kind], figures)


def _unreturned(evidence: Evidence) -> Dependencies:
    """The rollout's draws that reach a result there and do not come back to it by the extras."""
    depends = 0
    for one, other in zip(evidence.rollout.steps, evidence.replay.steps, strict=True):
        for sources, targets in ((one.leaves, other.leaves), (one.losses, other.losses)):
            returned = [value.depends for _, value in targets]
            for number, (_, value) in enumerate(sources):
                depends |= value.depends & ~(returned[number] if number < len(returned) else 0)
    return depends


def _is_excused(draw: Draw, evidence: Evidence) -> bool:
    return not evidence.emitters.isdisjoint(draw.scopes)


def _differences(evidence: Evidence, excused: Dependencies) -> Iterator[tuple[Figures, bool]]:
    """Figures for every result of every step, and whether rounding does not explain them."""
    envs, minibatch = evidence.rollout.envs, evidence.minibatch
    phases = evidence.stage.phases
    epsilon = max(
        jaxprs.coarsest(p.jaxpr) if p.jaxpr else 0.0 for p in (phases.call, phases.replay)
    )

    def one(name: str, step: int, a: Value, b: Value) -> tuple[Figures, bool]:
        limit = allowed(a, epsilon, evidence.roundings, evidence.tolerance)
        apart, env, over = largest(a, b, minibatch, envs, limit)
        return Figures(apart, name, step, env), over

    found: list[tuple[Figures, bool]] = []
    for step, (before, after) in enumerate(
        zip(evidence.rollout.steps, evidence.replay.steps, strict=True)
    ):
        for (name, a), (_, b) in zip(before.leaves, after.leaves, strict=True):
            found.append(one(name, step, a, b))
        for (name, a), (_, b) in zip(before.losses, after.losses, strict=True):
            # A scalar is a mean over other environments than the rollout's.
            if a.array.ndim and not (a.depends | b.depends) & excused:
                found.append(one(name, step, a, b))
    # What rounding does not explain comes first, however small it is.
    over = [item for item in found if item[1]]
    return iter(over or found)


def _summary(evidence: Evidence, figures: Figures | None) -> str:
    apart = figures.difference if figures and figures.difference else 0.0
    return f"{len(evidence.replay.draws)} draws compared; largest difference {apart:.3g}"


def _undrawn(evidence: Evidence, written: Dependencies) -> str:
    names = [
        name
        for name, mark in zip(evidence.subject.names, evidence.stage.marks, strict=True)
        if mark & written
    ]
    reads = f"; the output depends on `{names[0]}`, which is written" if names else ""
    return f"no draw differs, but the results do{reads}"


def _drawn(wrong: list[Draw]) -> str:
    first = wrong[0]
    return (
        f"{len(wrong)} draws of rollout and replay differ, the first in step {first.step}: "
        f"{first.primitive} of {first.owner} ({first.place})"
    )


def _kind(evidence: Evidence, wrong: list[Draw]) -> str:
    if not wrong:
        if evidence.stage.eager:
            return "unseen"
        return "written" if evidence.moving else "batch"
    scored = evidence.replay.steps[0].scored
    if any(draw.bit & value.depends for draw in wrong for value in scored):
        return "extras"
    return causes.of_draws(wrong, evidence.marks, evidence.moving)
