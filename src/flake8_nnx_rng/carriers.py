"""Whether any module of a project carries keys that must not be batch-dependent, and which."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from enum import Enum, auto
from pathlib import Path

import libcst as cst

from flake8_nnx_rng.interpreter import Audit, Auditor, carries_keys
from flake8_nnx_rng.interpreter.events import CalledChild, Drew, Escaped, Event, Wrote
from flake8_nnx_rng.interpreter.taint import CLEAN, Entry, Redrawn, carried_in, merge
from flake8_nnx_rng.interpreter.trees import leaves
from flake8_nnx_rng.interpreter.values import Key, taint_of
from flake8_nnx_rng.knowledge import library
from flake8_nnx_rng.knowledge.children import Threads
from flake8_nnx_rng.knowledge.keys import DERIVED_BY_BATCH
from flake8_nnx_rng.project import Project
from flake8_nnx_rng.rules.replay import is_drawn_again
from flake8_nnx_rng.rules.threading import drops
from flake8_nnx_rng.source import may_matter

_SKIPPED = ("build", "dist", "node_modules", "site-packages", "venv")
MAX_FILES = 5_000
"""Python files of a project that are looked at."""


def first_carrier(
    own: Iterable[Audit],
    project: Project,
    auditor: Auditor,
    markers: tuple[str, ...],
    implementation: str,
) -> str | None:
    """The name of a module that needs keys which do not draw by batch position, or None.

    Args:
        own: The audits of the file, whose modules come first.
        project: Where the other modules are.
        auditor: Audits them.
        markers: What is in the text of a file that may define any.
        implementation: Of which the keys are.
    """
    relying = None
    is_withheld = False
    for found in _modules(own, project, auditor, markers):
        if isinstance(found, str):
            return found
        need = need_of(found, implementation)
        if need is Need.ALWAYS:
            return found.cls.name
        if need is Need.UNLESS_EMITTED:
            relying = relying or found.cls.name
        is_withheld = is_withheld or _withholds_extras(found)
    return relying if is_withheld else None


def _modules(
    own: Iterable[Audit], project: Project, auditor: Auditor, markers: tuple[str, ...]
) -> Iterator[Audit | str]:
    """The audits of a project's modules, and the names of those of the library that it uses."""
    yield from own
    for path in sources(project.resolver.roots.project):
        document = project.resolver.document(path)
        if document is None or not may_matter(document.text, markers):
            continue
        yield from (name for name in library.KEY_CARRIERS if name in document.text)
        file = project.file(path)
        for cls in file.classes if file is not None else ():
            if auditor.hierarchy.is_stateful(cls):
                yield auditor.audit(cls)


class Need(Enum):
    """When a module needs keys which do not draw by batch position."""

    NEVER = auto()
    UNLESS_EMITTED = auto()  # if a container keeps to itself what the module emits
    ALWAYS = auto()


def need_of(passes: Audit, implementation: str) -> Need:
    """Whether numbers that are drawn for the whole batch at once reach what the replay compares.

    A module whose keys go where they cannot be followed is taken to need them.
    """
    batched = set(_batched(passes.events(), implementation))
    if not carries_keys(passes) and not batched:
        return Need.NEVER
    events = (*passes.events(), *passes.reset, *passes.reset_of_all)
    passed = [event for event in events if _is_stateless(event)]
    if (
        not passes.is_complete
        or any(_hands_over(event, passed) for event in events)
        or any(_batched((*passes.reset, *passes.reset_of_all), implementation))
    ):
        return Need.ALWAYS
    kept = merge(taint_of(event.after) for event in events if isinstance(event, Wrote))
    # What is not drawn from the carry is at fault, and will be once that is mended.
    others = {e.site.node for e in passes.events() if isinstance(e, Drew) and not _is_carried(e)}
    if any(Redrawn(node) in kept for node in batched):
        return Need.ALWAYS
    if any(is_drawn_again(passes, node) for node in batched | others):
        return Need.ALWAYS
    return Need.UNLESS_EMITTED if batched else Need.NEVER


def _batched(events: Iterable[Event], implementation: str) -> Iterator[cst.CSTNode]:
    """Where numbers depend on the batch position, drawn so or from keys that were split so."""
    is_split_so = implementation in DERIVED_BY_BATCH
    for event in events:
        if isinstance(event, Drew) and (event.is_batched or is_split_so):
            yield from [event.site.node] if _is_carried(event) else ()


def _is_carried(event: Drew) -> bool:
    return bool(carried_in(event.source.taint))


def _is_stateless(event: Event) -> bool:
    return isinstance(event, CalledChild) and event.promise.carry is Threads.NO


def _hands_over(event: Event, stateless: list[Event]) -> bool:
    """Whether a carried key goes to code that is not seen; as a state it goes through some."""
    match event:
        case Escaped(site, value):
            calls = (c for c in stateless if isinstance(c, CalledChild) and c.is_certain)
            through = [c.state for c in calls if c.site.node is site.node and c.state is not None]
            is_state = any(value in leaves(state) for state in through)
            return bool(carried_in(taint_of(value))) and not is_state
        case CalledChild(state=state, is_certain=False) if state is not None:
            return any(isinstance(leaf, Key) for leaf in leaves(state))
        case _:
            return False


def _withholds_extras(passes: Audit) -> bool:
    """Whether a container does not give a child its extras, or does not return them."""
    for event in passes.replay:
        if isinstance(event, CalledChild):
            given = CLEAN if event.extras is None else taint_of(event.extras)
            if Entry.EXTRAS not in given or drops(passes.rollout, event, library.EXTRAS):
                return True
    return False


def is_source(path: Path, directory: Path) -> bool:
    """Whether a file is one of those below a directory."""
    if not path.is_relative_to(directory):
        return False
    return not any(map(_is_skipped, path.relative_to(directory).parts[:-1]))


def sources(directory: Path) -> Iterator[Path]:
    """The Python files below a directory, in order; what tools keep there aside."""
    found = 0
    for place, directories, files in os.walk(directory):
        directories[:] = sorted(d for d in directories if not _is_skipped(d))
        for name in sorted(files):
            if name.endswith(".py"):
                found += 1
                if found > MAX_FILES:
                    return
                yield Path(place, name)


def _is_skipped(directory: str) -> bool:
    return directory.startswith(".") or directory in _SKIPPED
