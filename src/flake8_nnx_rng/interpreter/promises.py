"""What a module of the project needs of whoever calls it, as its own passes show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from flake8_nnx_rng.interpreter.events import CalledChild, Derived, Drew, Event, Use, Wrote
from flake8_nnx_rng.interpreter.outputs import COMPARED, field_of, is_scored, returned
from flake8_nnx_rng.interpreter.taint import (
    Asked,
    Call,
    Entry,
    Held,
    Host,
    Redrawn,
    Sample,
    Spread,
    Taint,
    carried_in,
    merge,
)
from flake8_nnx_rng.interpreter.trees import leaves
from flake8_nnx_rng.interpreter.values import Const, Value, taint_of
from flake8_nnx_rng.knowledge import library
from flake8_nnx_rng.knowledge.children import Promise, Threads, promise_of_library
from flake8_nnx_rng.project import ClassInfo, Hierarchy, LibraryClass


def inherited(cls: ClassInfo, hierarchy: Hierarchy) -> Promise:
    """What the first class of the library that a class derives from promises; nothing by default.

    An unknown library's class is as its children are.
    """
    for ancestor in hierarchy.mro(cls):
        if isinstance(ancestor, LibraryClass):
            known = promise_of_library(ancestor.name)
            if known is not None:
                return known
    return Promise(Threads.NO, Threads.NO)


def extras_of(
    rollout: Iterable[Event], replay: Iterable[Event], *, is_sampler: bool = False
) -> Threads:
    """Whether the replay depends on what the rollout emitted.

    A scored action must be the one that was taken, whatever the parameters are by then. Else the
    replay needs nothing that it computes just so by itself, such as draws from carried keys.
    """
    rollout, replay = tuple(rollout), tuple(replay)
    emitted = [field_of(value, library.EXTRAS) for _, value in returned(rollout)]
    is_used = any(
        Entry.EXTRAS in taint_of(field_of(value, name))
        for _, value in returned(replay)
        for name in COMPARED
    )
    if not is_used or not any(leaf for value in emitted for leaf in _content(value)):
        return Threads.NO
    children = [
        event.promise.extras
        for event in replay
        if isinstance(event, CalledChild)
        and event.extras is not None
        and Entry.EXTRAS in taint_of(event.extras)
        and event.promise.extras is not Threads.NO
    ]
    sources = merge(map(taint_of, emitted))
    is_own = not children or any(isinstance(s, (Sample, Redrawn)) for s in sources)
    is_action = is_sampler or any(is_scored(field_of(v, "output")) for _, v in returned(rollout))
    if Threads.YES in children or (is_own and (is_action or _is_lost(rollout, sources))):
        return Threads.YES
    return Threads.AS_CHILDREN if children else Threads.NO


def _is_lost(rollout: tuple[Event, ...], emitted: Taint) -> bool:
    """Whether the replay has no way to compute again what was emitted."""
    if any(isinstance(s, (Sample, Host)) for s in emitted):
        return True
    carried = {source.path for source in carried_in(emitted)}
    held = {source.path for source in emitted if isinstance(source, Held)}
    return any(_is_another(event, carried, held) for event in rollout)


def _is_another(event: Event, carried: set[str], held: set[str]) -> bool:
    """Whether what is made of some parts of the carry or of the module is another in the replay."""
    match event:
        case Wrote(path=path):
            return path in held
        case Derived(use=Use.FOLDED, given=given) if Call.ENV in given:
            return True  # the place in the batch
        case Drew(source=source) | Derived(source=source):  # for all envs, which stand elsewhere
            others = (s for s in carried_in(source.taint) if s.spread is not Spread.OWN)
            return any(other.path in carried for other in others)
        case _:
            return False


def carry_of(initial_state: Value) -> Threads:
    """Whether there is a carry, from what `initialize_state` returns."""
    content = list(_content(initial_state))
    if not content:
        return Threads.NO
    return Threads.AS_CHILDREN if all(map(_is_of_child, content)) else Threads.YES


def _is_of_child(state: Value) -> bool:
    return any(
        isinstance(source, Asked) and source.path.endswith(f".{library.INITIALIZE}")
        for source in taint_of(state)
    )


def _content(value: Value) -> Iterator[Value]:
    return (leaf for leaf in leaves(value) if not isinstance(leaf, Const))
