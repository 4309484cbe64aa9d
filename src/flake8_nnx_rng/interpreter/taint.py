"""Where a value comes from: the sources that flow into it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import Enum, auto

import libcst as cst


class Entry(Enum):
    """What the framework hands to the forward pass beside the carry; replayed by the loss."""

    INPUT = auto()
    EXTRAS = auto()


class Spread(Enum):
    """Whose part of the carry it is, of which every leaf has one row for each env."""

    ALL = auto()  # the rows of all envs
    OWN = auto()  # the row of the env that a map over the envs is at
    OTHER = auto()  # the row of an env that stands elsewhere in the batch, such as the first


@dataclass(frozen=True, slots=True)
class Carried:
    """A part of the carry; PPO threads it through both passes."""

    path: str
    spread: Spread = Spread.ALL


class Call(Enum):
    """What tells the envs of a batch apart, or only how many they are."""

    BATCH_SIZE = auto()  # their number
    ENV = auto()  # another value for each of them, such as its place in the batch


@dataclass(frozen=True, slots=True)
class Held:
    """Read from what outlives the pass: an attribute of the module, a module-level name."""

    path: str


@dataclass(frozen=True, slots=True)
class Learned:
    """Computed by a layer with parameters, so it moves as they do."""

    path: str


@dataclass(frozen=True, slots=True)
class Asked:
    """Returned by calling something held of unknown type, which may turn out to be a stream."""

    path: str
    node: cst.CSTNode


@dataclass(frozen=True, slots=True)
class Drawn:
    """A key or stream that a held stream gave out at this node."""

    node: cst.CSTNode


@dataclass(frozen=True, slots=True)
class Sample:
    """Random numbers drawn at this node from a key that is not the carry's."""

    node: cst.CSTNode


@dataclass(frozen=True, slots=True)
class Redrawn:
    """Random numbers drawn at this node from a key that PPO threads: the replay draws the same."""

    node: cst.CSTNode


@dataclass(frozen=True, slots=True)
class Fixed:
    """A key or stream made at this node from nothing that varies."""

    node: cst.CSTNode


@dataclass(frozen=True, slots=True)
class Host:
    """Randomness or a clock of the host, read at this node."""

    name: str
    node: cst.CSTNode


@dataclass(frozen=True, slots=True)
class Taken:
    """Taken out of what the replay feeds back, at this path; the whole has no such mark."""

    path: str


@dataclass(frozen=True, slots=True)
class Part:
    """A field of what a child module returned that was called at this node."""

    node: cst.CSTNode
    child: str
    field: str


@dataclass(frozen=True, slots=True)
class Passed:
    """Random numbers drawn at this node, but handed to a child whose business they are now."""

    node: cst.CSTNode


Source = (
    Entry
    | Carried
    | Call
    | Held
    | Learned
    | Asked
    | Drawn
    | Sample
    | Redrawn
    | Fixed
    | Host
    | Taken
    | Part
    | Passed
)
Taint = frozenset[Source]

CLEAN: Taint = frozenset()

BATCH: Taint = frozenset({Call.BATCH_SIZE})
"""As many as there are envs."""

EACH_ENV: Taint = frozenset({Call.ENV})
"""Another value for each env."""


def merge(taints: Iterable[Taint]) -> Taint:
    """The union of several taints."""
    return CLEAN.union(*taints)


def is_threaded(taint: Taint) -> bool:
    """Whether anything that PPO threads through both passes flows in."""
    return any(isinstance(source, (Entry, Carried)) for source in taint)


def counted(number: Taint) -> Taint:
    """What flows into the numbers up to one, of which there is one for each env if it is theirs."""
    return number - BATCH | EACH_ENV if number & (BATCH | EACH_ENV) else number


def own(spread: Spread) -> Spread:
    """What a map over the envs, or a loop over them, makes of the rows of all."""
    return Spread.OWN if spread is Spread.ALL else spread


def of_all(spread: Spread) -> Spread:
    """What comes of an env's own row where a map over the envs ends."""
    return Spread.ALL if spread is Spread.OWN else spread


def of_another(spread: Spread) -> Spread:
    """What an index that is the same for all envs, or a shift, makes of the rows of all."""
    return Spread.OTHER if spread is Spread.ALL else spread


def is_of_all(taint: Taint) -> bool:
    """Whether the rows of all envs flow in, so that the first axis counts the envs."""
    return any(source.spread is Spread.ALL for source in carried_in(taint))


def carried_in(taint: Taint) -> list[Carried]:
    """The parts of the carry that flow in, sorted for a stable message."""
    found = (source for source in taint if isinstance(source, Carried))
    return sorted(found, key=lambda source: (source.path, source.spread.value))


def spread_as(taint: Taint, change: Callable[[Spread], Spread]) -> Taint:
    """The taint with the rows of every part of the carry changed."""
    if not any(isinstance(source, Carried) for source in taint):
        return taint
    return frozenset(
        replace(source, spread=change(source.spread)) if isinstance(source, Carried) else source
        for source in taint
    )


def within(taint: Taint, path: str | None, part: str) -> Taint:
    """The taint of a part of what is carried at a path: only that part of the carry flows in."""
    return frozenset(
        replace(source, path=part)
        if isinstance(source, Carried) and source.path == path
        else source
        for source in taint
    )


def held_paths(taint: Taint) -> list[str]:
    """The held places that flow in, sorted for a stable message."""
    return sorted(source.path for source in taint if isinstance(source, Held))
