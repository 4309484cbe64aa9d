"""What can be said of noise from outputs alone, where there is no trace to read draws from."""

from __future__ import annotations

import itertools
from typing import Literal

import numpy as np

from nnx_ppo_ref.oracle.compare import difference, numbers
from nnx_ppo_ref.oracle.evidence import ENDS, Evidence
from nnx_ppo_ref.oracle.interpret import Value


def moved_streams(evidence: Evidence) -> bool:
    """Whether a stream of the module was drawn from in the run with equal inputs."""
    first, last = evidence.equal.steps[0].before, evidence.equal.state
    return any(
        difference(numbers(first[i]), numbers(last[i])).any() for i in evidence.subject.streams
    )


def varies(evidence: Evidence, along: Literal["time", "batch"]) -> bool:
    """Whether some output of the run with equal inputs is not the same along time or batch."""
    steps = evidence.equal.steps
    if along == "batch":
        return any(not same_for_all(v, evidence.equal.envs) for s in steps for _, v in s.leaves)
    early = steps[: ENDS[0] + 1]
    return any(
        difference(numbers(a), numbers(b)).any()
        for one, other in itertools.pairwise(early)
        for (_, a), (_, b) in zip(one.leaves, other.leaves, strict=True)
    )


def same_for_all(value: Value, envs: int) -> bool:
    """Whether every environment has the same rows."""
    array = numbers(value)
    if array.ndim == 0 or array.shape[0] != envs:
        return True
    return not difference(array, np.broadcast_to(array[:1], array.shape)).any()
