"""Whether the loss replay gets a sample back instead of drawing it again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import libcst as cst

from flake8_nnx_rng.interpreter import Audit, Event
from flake8_nnx_rng.interpreter.outputs import COMPARED, parts_returned
from flake8_nnx_rng.interpreter.taint import Entry, Redrawn, Sample, Taint
from flake8_nnx_rng.knowledge import library

_COMPARED_OF_SAMPLERS = ("output", "next_state")


def is_replayed(audit: Audit, node: cst.CSTNode) -> bool:
    """Whether what is drawn at a node reaches the replay by way of `rollout_extras`.

    The guide exempts action samplers, and any class that does as they do: in the rollout the
    sample is emitted with whatever it flows into; in the replay it flows into nothing that is
    compared, and the extras do in its place. A sampler may draw for its own entropy estimate
    beside, as that only enters the regularization loss.
    """
    sample = _marks(node)
    compared = _COMPARED_OF_SAMPLERS if audit.is_sampler else COMPARED
    if is_drawn_again(audit, node):
        return False
    reached = [p for p in audit.rollout_returns if _reaches(sample, p, compared)]
    if not reached:  # nothing depends on it: only a sampler's stream may move for nothing
        return audit.is_sampler
    return all(sample & parts[library.EXTRAS] for parts in reached) and _uses_extras(audit)


def is_drawn_again(audit: Audit, node: cst.CSTNode) -> bool:
    """Whether what the replay draws at a node reaches anything that is compared."""
    compared = _COMPARED_OF_SAMPLERS if audit.is_sampler else COMPARED
    return any(_reaches(_marks(node), parts, compared) for parts in audit.replay_returns)


def what_is_compared(events: tuple[Event, ...]) -> Iterator[Taint]:
    """What flows into each field that the replay is compared by."""
    for parts in parts_returned(events):
        yield from (parts[name] for name in COMPARED)


def _uses_extras(audit: Audit) -> bool:
    return any(Entry.EXTRAS in part["output"] for part in audit.replay_returns)


def _marks(node: cst.CSTNode) -> Taint:
    """What numbers that are drawn at a node are marked with."""
    return frozenset({Sample(node), Redrawn(node)})


def _reaches(marks: Taint, parts: Mapping[str, Taint], names: tuple[str, ...]) -> bool:
    return any(marks & parts[name] for name in names)
