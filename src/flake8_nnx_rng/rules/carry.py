"""The parts of the carry: what a next or initial state holds at each of them."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_nnx_rng.interpreter import Audit, Drew, Event, Returned
from flake8_nnx_rng.interpreter.carry import ROOT
from flake8_nnx_rng.interpreter.outputs import OUTPUTS, field_of, returned
from flake8_nnx_rng.interpreter.regions import Region, meet
from flake8_nnx_rng.interpreter.taint import Carried, Sample, Spread, Taint, carried_in
from flake8_nnx_rng.interpreter.values import (
    Items,
    Key,
    Opaque,
    Record,
    Table,
    Value,
    options,
    taint_of,
)


def next_states(event: Returned) -> list[Value]:
    """The next states that a return of the forward pass may yield."""
    records = (option for option in options(event.value) if isinstance(option, Record))
    fields = (record.field("next_state") for record in records)
    return [field for field in fields if field is not None]


def is_unchanged(state: Value, part: str, path: str = ROOT) -> bool:
    """Whether a state has at a part of the carry just what the carry had there."""
    match state:
        case Key() | Opaque():
            return state.path == path and is_within(part, path)
        case _:
            below = [(v, p) for v, p in _children(state, path) if is_within(part, p)]
            return bool(below) and all(is_unchanged(v, part, p) for v, p in below)


def at(state: Value, part: str, path: str = ROOT) -> Iterator[Value]:
    """What a state may have at a part of the carry, or at the part that it is within."""
    below = [(v, p) for v, p in _children(state, path) if is_within(part, p)]
    if part == path or not list(_children(state, path)):
        yield from options(state)
    for value, place in below if part != path else ():
        yield from at(value, part, place)


def leaves(state: Value, path: str = ROOT) -> Iterator[tuple[str, Value]]:
    """Every leaf of a state with its part of the carry."""
    below = list(_children(state, path))
    if not below:
        yield path, state
    for value, place in below:
        yield from leaves(value, place)


def is_within(part: str, path: str) -> bool:
    """Whether a part is another, or lies within it.

    >>> is_within("state['key']", "state"), is_within("state[10]", "state[1]")
    (True, False)
    """
    return part == path or (part.startswith(path) and part[len(path)] in "[.")


def key_parts(audit: Audit) -> list[str]:
    """The parts of the carry that are keys: seeded as such, or drawn from in a forward pass."""
    parts = {part for part, leaf in leaves(audit.carry) if isinstance(leaf, Key)}
    for event in audit.events():
        if isinstance(event, Returned):
            parts.update(part for parts in event.drawn_with for part in parts)
    return sorted(parts)


def of_others(taint: Taint) -> list[Carried]:
    """The parts of the carry of which rows of other envs flow in than the one at hand."""
    return [source for source in carried_in(taint) if source.spread is not Spread.OWN]


def returned_used(
    event: Returned, used: frozenset[Region], moving: frozenset[Region]
) -> Iterator[str]:
    """The parts of the next state that hold a key which this step has used.

    Args:
        event: The return.
        used: The keys that were used; all that a returned key may be must be among them.
        moving: The keys that are used again in the next step, if they are parts of the carry.
    """
    outputs = next_states(event)
    for state in outputs or [event.value]:
        found = list(leaves(state))
        moved = {part for part, leaf in found if getattr(leaf, "path", None) != part}
        stuck = [d for d in event.drawn_with if all(is_unchanged(state, part) for part in d)]
        for part, leaf in found:
            if not isinstance(leaf, Key) or not any(r.array == part for r in moving):
                continue
            # A draw from keys all of which come back unchanged is told by NNX201; one that moves
            # on in another branch may be used there alone.
            is_told = part in moved or any(part in parts for parts in stuck)
            if outputs and leaf.path == part and is_told:
                continue
            met = [any(meet(region, other) for other in used) for region in leaf.regions]
            if met and all(met):
                yield part


def remembered(audit: Audit) -> Iterator[Event]:
    """The draws of `reset_state` whose numbers the state keeps until an output depends on them."""
    used = {
        source.path
        for events in audit.passes()
        for _, value in returned(events)
        for name in OUTPUTS
        for source in carried_in(taint_of(field_of(value, name)))
    }
    kept = {
        source.node
        for _, state in returned(audit.reset)
        for part, leaf in leaves(state)
        if any(is_within(part, path) or is_within(path, part) for path in used)
        for source in taint_of(leaf)
        if isinstance(source, Sample)
    }
    return (event for event in audit.reset if isinstance(event, Drew) and event.site.node in kept)


def _children(state: Value, path: str) -> Iterator[tuple[Value, str]]:
    """The parts of a state with their places, named as the carry's own."""
    match state:
        case Items(items):
            yield from ((item, f"{path}[{index}]") for index, item in enumerate(items))
        case Table(items, rest):
            yield from ((item, f"{path}[{key!r}]") for key, item in items)
            if rest is not None:
                yield rest, f"{path}[...]"
        case Record(_, fields):
            yield from ((value, f"{path}.{name}") for name, value in fields)
        case _ if len(options(state)) > 1:
            yield from ((option, path) for option in options(state))
