"""What the entry point returns: the fields of its `StatefulModuleOutput`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from flake8_nnx_rng.interpreter.events import Event, Returned, Site
from flake8_nnx_rng.interpreter.taint import Taint
from flake8_nnx_rng.interpreter.values import Layer, Record, Table, Value, options, taint_of
from flake8_nnx_rng.knowledge import library

OUTPUTS = ("output", "regularization_loss")
"""The fields by which the rest of the network sees it."""

COMPARED = (*OUTPUTS, "next_state")
"""The fields in which the replay must equal the rollout."""


def is_scored(output: Value) -> bool:
    """Whether an output is an action with its likelihood."""
    match output:
        case Table(items):
            return {"action", "log_likelihood"} <= {key for key, _ in items}
        case Layer(name):
            return name == library.NETWORK_OUTPUT
        case _:
            return False


def returned(events: Iterable[Event]) -> Iterator[tuple[Site, Value]]:
    """What a pass returns and where, every alternative by itself."""
    for event in events:
        if isinstance(event, Returned):
            for option in options(event.value):
                yield event.site, option


def parts_returned(events: Iterable[Event]) -> tuple[Mapping[str, Taint], ...]:
    """For each return of a pass what flows into the fields of its `StatefulModuleOutput`."""
    return tuple(
        {name: taint_of(field_of(value, name)) for name in library.OUTPUT_FIELDS}
        for _, value in returned(events)
    )


def field_of(output: Value, name: str) -> Value:
    """A field of an output; of what is not seen to be one, all that may flow into it."""
    field = output.field(name) if isinstance(output, Record) else None
    return output if field is None else field
