"""The plan of how keys get to every place that needs one, as data."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from flake8_nnx_rng.codemod.envs.references import Reference
from flake8_nnx_rng.codemod.text.tree import AnyFunction

Loop = cst.For | cst.While


@dataclass(frozen=True)
class Need:
    """A place that needs keys.

    Attributes:
        node: The place.
        names: What its keys are to be called; of each that is None, a name is found.
    """

    node: cst.CSTNode
    names: tuple[str | None, ...] = (None,)


@dataclass(frozen=True)
class Opening:
    """Keys that are made where a block begins.

    Attributes:
        block: The function or loop.
        carry: The keys that they are split off from; None for those of the entry point's carry.
        names: What they are called.
        goes_on: Whether the first of the new keys takes the carry's place.
        is_row: Whether it is one key rather than one for each env.
    """

    block: AnyFunction | Loop
    carry: str | None
    names: tuple[str, ...]
    goes_on: bool
    is_row: bool


@dataclass(frozen=True)
class Folded:
    """A loop in which the number of the round is folded into a key.

    Attributes:
        clause: The `for` of a comprehension, or the body of a loop that counts by itself.
        index: What the number is called.
    """

    clause: cst.CompFor | AnyFunction
    index: str


@dataclass(frozen=True)
class Threads:
    """The plan.

    Attributes:
        keys: For each place the names of its keys.
        folded: For each place in a comprehension, that.
        openings: Where keys are made.
        parameters: For each function the keys that it takes.
        calls: The calls that must pass them on.
        rows: Functions that are called with the row of one env.
    """

    keys: dict[cst.CSTNode, tuple[str, ...]]
    folded: dict[cst.CSTNode, Folded]
    openings: tuple[Opening, ...]
    parameters: dict[AnyFunction, tuple[str, ...]]
    calls: tuple[Reference, ...]
    rows: frozenset[AnyFunction]
