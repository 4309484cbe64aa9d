"""Purity: a step leaves the module as it was, RNG state included.

Streams and keys that only samplers touch are let pass, if the samplers emit extras that replace
their sample in the replay; and so is a log: what is no RNG state and nothing that is compared
depends on, in a module whose replay holds.
"""

from __future__ import annotations

import jax
import numpy as np

from nnx_ppo_ref.oracle import causes, jaxprs
from nnx_ppo_ref.oracle.compare import difference, numbers
from nnx_ppo_ref.oracle.draws import union
from nnx_ppo_ref.oracle.evidence import Evidence
from nnx_ppo_ref.oracle.passes import Pass, is_key
from nnx_ppo_ref.oracle.report import Figures, Result, broken, passed

NAME = "purity"


def judge(evidence: Evidence, *, replayed: bool, locked: bool) -> Result:
    """Compares the module's state before and after every call.

    Args:
        evidence: What was run.
        replayed: Whether the replay held, without which no write is known to be harmless.
        locked: Whether the stored action was used; a sampler earns its exemption by that.
    """
    names = evidence.subject.names
    written = [
        (index, step)
        for run in (evidence.rollout, evidence.replay)
        for index, step in _written(run)
        if not (locked and _is_excused(evidence, index))
        and not (replayed and _is_log(evidence, index))
    ]
    if not written:
        notes = evidence.stage.phases.notes
        if notes:
            return broken(NAME, "; ".join(notes[:3]), causes.CAUSES["leak"])
        return passed(NAME)
    index, step = written[0]
    count = len({index for index, _ in written})
    more = f" and {count - 1} more" if count > 1 else ""
    kind = "stream" if _is_random(evidence, index) else "written"
    return broken(
        NAME,
        f"a step writes {evidence.subject.kinds[index]} `{names[index]}`{more}",
        causes.CAUSES[kind],
        Figures(leaf=names[index], step=step),
    )


def _written(run: Pass) -> list[tuple[int, int]]:
    """Which arrays of the state a call changed, each with the first step at which it did."""
    found: dict[int, int] = {}
    for number, step in enumerate(run.steps):
        for index, (before, after) in enumerate(zip(step.before, step.after, strict=True)):
            if index in found or before.array is after.array:
                continue
            a, b = numbers(before), numbers(after)
            if a.shape != b.shape or difference(a, b).any():
                found[index] = number
    return list(found.items())


def _is_random(evidence: Evidence, index: int) -> bool:
    """Whether it is RNG state: a stream's, a key, or the words of a key that was drawn from."""
    value = evidence.rollout.steps[0].before[index]
    if evidence.subject.kinds[index].startswith("Rng") or is_key(value):
        return True
    if value.array.dtype != np.uint32:
        return False
    drawn_with = union(draw.key for draw in evidence.rollout.draws)
    return bool(evidence.stage.marks[index] & drawn_with)


def _is_log(evidence: Evidence, index: int) -> bool:
    """Whether nothing that PPO compares depends on it; without a trace, that is not known."""
    if evidence.stage.eager or _is_random(evidence, index):
        return False
    runs = (evidence.rollout, evidence.replay, evidence.equal)
    reached = union(run.reaching(losses=True) for run in runs)
    return not reached & evidence.stage.marks[index]


def _is_excused(evidence: Evidence, index: int) -> bool:
    """Whether only samplers that emit extras write this array, and it is RNG state."""
    if not _is_random(evidence, index):
        return False
    exempt = evidence.emitters
    phases = evidence.stage.phases
    if phases.call.jaxpr is None or phases.replay.jaxpr is None:
        return bool(exempt)
    for phase in (phases.call, phases.replay):
        order = [id(leaf) for leaf in jax.tree.leaves(phase.shapes)]
        result = order.index(id(phase.shapes["state"][index]))
        writers = jaxprs.writers(phase.jaxpr, result, index)
        if not all(exempt.intersection(scopes) for scopes in writers):
            return False
    return True
