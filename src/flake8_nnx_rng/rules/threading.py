"""What a container does with the states and the extras of the modules that it calls."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from flake8_nnx_rng.interpreter import CalledChild, Event, ReadPart
from flake8_nnx_rng.interpreter.outputs import returned
from flake8_nnx_rng.interpreter.taint import Part, Taint
from flake8_nnx_rng.interpreter.values import (
    NONE,
    UNKNOWN_OUTPUT,
    Items,
    Record,
    Table,
    Value,
    options,
    taint_of,
)


def called(events: tuple[Event, ...]) -> Iterator[CalledChild]:
    """The calls of modules; of unknown callees those whose result is used as a module's is."""
    as_modules = _used_as_modules(events)
    for event in events:
        if isinstance(event, CalledChild) and (event.is_certain or event.site.node in as_modules):
            yield event


def drops(events: tuple[Event, ...], call: CalledChild, field: str) -> bool:
    """Whether a return makes use of a call without returning a field of its result."""
    for _, value in returned(events):
        kept = value.field(field) if isinstance(value, Record) else value
        used = {part.field for part in _parts(taint_of(value), call)} - {field}
        returned_parts = () if kept is None else _parts(taint_of(kept), call)
        if used and not any(part.field == field for part in returned_parts):
            return True
    return False


def is_empty(value: Value) -> bool:
    """Whether it is literally no state: `()`, `{}`, `[]` or None."""
    return all(
        option == NONE or (isinstance(option, (Items, Table)) and not option.items)
        for option in options(value)
    )


def _parts(taint: Taint, call: CalledChild) -> Iterator[Part]:
    for source in taint:
        if isinstance(source, Part) and (source.node, source.child) == (
            call.site.node,
            call.child,
        ):
            yield source


def _used_as_modules(events: tuple[Event, ...]) -> set[cst.CSTNode]:
    found = {event.call for event in events if isinstance(event, ReadPart)}
    for _, value in returned(events):
        if isinstance(value, Record) and value.name == UNKNOWN_OUTPUT:  # handed on as it is
            found.update(s.node for s in taint_of(value) if isinstance(s, Part))
    return found
