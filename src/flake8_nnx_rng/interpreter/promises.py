"""What a module of the project needs of whoever calls it, as its own passes show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from flake8_nnx_rng.interpreter.events import CalledChild, Event
from flake8_nnx_rng.interpreter.outputs import COMPARED, field_of, returned
from flake8_nnx_rng.interpreter.taint import Asked, Entry, Redrawn, Sample
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


def extras_of(rollout: Iterable[Event], replay: Iterable[Event]) -> Threads:
    """Whether the replay depends on what the rollout emitted."""
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
    drawn = any(isinstance(s, (Sample, Redrawn)) for value in emitted for s in taint_of(value))
    if drawn or not children or Threads.YES in children:
        return Threads.YES
    return Threads.AS_CHILDREN


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
