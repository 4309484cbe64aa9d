"""Everything that was run for one module; the observables only read it."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable

import numpy as np

from nnx_ppo_ref.oracle import jaxprs
from nnx_ppo_ref.oracle.compare import difference, numbers
from nnx_ppo_ref.oracle.draws import CARRIED, INPUT, Alteration, Dependencies, Draw, union
from nnx_ppo_ref.oracle.passes import Pass, Stage
from nnx_ppo_ref.oracle.phases import Phase
from nnx_ppo_ref.oracle.subject import Subject

ENDS = (3, 5)
"""Steps of the run with equal inputs after which every episode ends.

Twice, since a reset may bring back what it has made before.
"""


@dataclasses.dataclass(frozen=True)
class Evidence:
    """The passes of a check.

    Attributes:
        subject: The module.
        stage: The pieces of the passes.
        minibatch: The environments that were replayed, int `[b]`.
        rollout: A rollout with different inputs and some episode ends.
        replay: Its replay.
        locked: Its replay after the parameters were changed, or, if the action depends on none,
            the inputs.
        changed: The marks of what was changed.
        equal: A rollout with the same input everywhere; every episode ends after `ENDS`.
        altered: Runs `equal` again, with its noise changed.
        emitting: Classes of modules that return extras of their own.
        tolerance: Multiplies the allowed difference of activations.
    """

    subject: Subject
    stage: Stage
    minibatch: np.ndarray
    rollout: Pass
    replay: Pass
    locked: Pass
    changed: Dependencies
    equal: Pass
    altered: Callable[[Alteration], Pass]
    emitting: frozenset[str]
    tolerance: float

    @functools.cached_property
    def emitters(self) -> frozenset[str]:
        """Classes that emit extras and whose draws do not reach the output of the replay.

        What a class draws from carried keys is as good as any other's, and does not count, nor
        does what a carry makes of a key that the module holds and no step changes.
        """
        reach = self.replay.reaching(losses=False)
        own = self.moving
        drawing = {
            scope
            for draw in self.replay.draws
            if draw.bit & reach and (draw.key & own or not draw.key & (CARRIED | INPUT))
            for scope in draw.scopes
        }
        return self.emitting - drawing

    @functools.cached_property
    def marks(self) -> Dependencies:
        """The marks of all arrays of the module's state."""
        return union(self.stage.marks)

    @property
    def roundings(self) -> int:
        """How many sums JAX rounded in the rollout; without a trace, a guess."""
        return 16 * len(self.rollout.steps) if self.stage.eager else self.rollout.roundings

    @functools.cached_property
    def moving(self) -> Dependencies:
        """The marks of those that are not in the replay what they were in the rollout."""
        moving = 0
        for one, other in zip(self.rollout.steps, self.replay.steps, strict=True):
            for mark, a, b in zip(self.stage.marks, one.before, other.before, strict=True):
                if not mark & moving and a.array is not b.array:
                    x, y = numbers(a), numbers(b)
                    if x.shape != y.shape or difference(x, y).any():
                        moving |= mark
        return moving

    @functools.cached_property
    def axes(self) -> dict[tuple[object, ...], tuple[int, int] | None]:
        """For each phase and site: the axis of the environments and how often each is on it.

        The axis is the one whose size differs between the trace of the full batch and that of a
        minibatch; None if there is none.
        """
        phases = self.stage.phases
        return {
            **self._axes("call", phases.call, phases.bootstrap),
            **self._axes("reset", phases.reset, phases.batched_reset),
        }

    def _axes(
        self, name: str, full: Phase, part: Phase
    ) -> dict[tuple[object, ...], tuple[int, int] | None]:
        if full.jaxpr is None or part.jaxpr is None:
            return {}
        whole, small = (list(jaxprs.draw_sites(phase.jaxpr)) for phase in (full, part))
        if len(whole) != len(small):
            return {}
        found: dict[tuple[object, ...], tuple[int, int] | None] = {}
        for (path, a), (_, b) in zip(whole, small, strict=True):
            one, other = a.outvars[-1].aval.shape, b.outvars[-1].aval.shape
            if a.primitive is not b.primitive or len(one) != len(other):
                return {}
            found[name, path] = next(
                (
                    (axis, size // self.rollout.envs)
                    for axis, (size, less) in enumerate(zip(one, other, strict=True))
                    if size != less and size % self.rollout.envs == 0
                ),
                None,
            )
        return found

    def axis(self, draw: Draw) -> tuple[int, int] | None:
        """The axis of the environments in a draw of a full-batch pass."""
        if (draw.phase, draw.site) in self.axes:
            return self.axes[draw.phase, draw.site]
        envs = self.rollout.envs
        sizes = enumerate(draw.words.shape)
        return next(((i, size // envs) for i, size in sizes if size and not size % envs), None)

    def rows(self, draw: Draw) -> list[bytes] | None:
        """A full-batch draw as one row for each environment; None if they share it."""
        place = self.axis(draw)
        if place is None:
            return None
        axis, several = place
        lead = np.moveaxis(draw.words, axis, 0)
        lead = lead.reshape(self.rollout.envs, several, *lead.shape[1:])
        return [row.tobytes() for row in lead]

    @functools.cached_property
    def noise(self) -> tuple[Draw, ...]:
        """The draws of the run with equal inputs that reach a result.

        What a reset draws counts only where an episode ended. Draws whose key came from the
        observation are the environment's noise: where there are others, they are left out.
        """
        reach: Dependencies = self.equal.reaching(losses=True)
        found = tuple(
            draw
            for draw in self.equal.draws
            if draw.bit & reach and draw.words.size and (draw.phase == "call" or draw.step in ENDS)
        )
        return tuple(draw for draw in found if not draw.key & INPUT) or found
