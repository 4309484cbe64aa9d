"""What a container does with the states and the extras of the modules that it calls."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from flake8_nnx_rng.interpreter import CalledChild, Event, ReadPart
from flake8_nnx_rng.interpreter.outputs import field_of, returned
from flake8_nnx_rng.interpreter.taint import Part, Taint
from flake8_nnx_rng.interpreter.values import (
    NONE,
    UNKNOWN_OUTPUT,
    Items,
    Key,
    Opaque,
    Record,
    Table,
    Value,
    options,
    taint_of,
)
from flake8_nnx_rng.rules.carry import at, is_within

UNKNOWN_PLACE = "[...]"


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
        if used and not (kept is not None and _holds(kept, call, field)):
            return True
    return False


def misplaced(
    events: tuple[Event, ...], call: CalledChild, given: Value | None, field: str, root: str
) -> str | None:
    """The place in the state or the extras that a child is given, if its own part is elsewhere.

    Args:
        events: The pass.
        call: The call of the child.
        given: The state or the extras that it is given.
        field: The field of its result that belongs there.
        root: What the whole is called: `state` or `rollout_extras`.
    """
    path = given.path if isinstance(given, (Key, Opaque)) else None
    if path is None or UNKNOWN_PLACE in path or not is_within(path, root):
        return None
    for _, value in returned(events):
        kept = field_of(value, field)
        there = list(at(kept, path, root)) if _holds(kept, call, field) else []
        if there and all(_is_of_others(one, call, field) for one in there):
            return path
    return None


def _is_of_others(value: Value, call: CalledChild, field: str) -> bool:
    """Whether a value is what another child returned, or holds more than what this one did."""
    own = _holds(value, call, field)
    match value:
        case Key() | Opaque():
            found = (s for s in taint_of(value) if isinstance(s, Part))
            return not own and any(part.field == field for part in found)
        case Items() | Record() | Table(rest=None):
            return own
        case _:
            return False


def is_empty(value: Value) -> bool:
    """Whether it is literally no state: `()`, `{}`, `[]` or None."""
    return all(
        option == NONE or (isinstance(option, (Items, Table)) and not option.items)
        for option in options(value)
    )


def _holds(value: Value, call: CalledChild, field: str) -> bool:
    """Whether a field of what a call returned flows into a value."""
    return any(part.field == field for part in _parts(taint_of(value), call))


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
