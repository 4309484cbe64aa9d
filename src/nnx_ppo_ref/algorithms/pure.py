"""An NNX module as a pure function of its parameters and its other Variables.

PPO scans, maps and differentiates plain functions. Parameters are constants of a pass, so that a
scan need not carry them; every other Variable is threaded through it, so that what a module writes
in its forward pass, such as the count of a class-level stream, is seen by the next step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from flax import nnx

from nnx_ppo_ref.algorithms.static import Definition

Variables = Any
"""An `nnx.State`."""

Result = TypeVar("Result")


class Split(NamedTuple):
    """A module in parts.

    Attributes:
        definition: Its structure and plain attributes.
        params: Its `nnx.Param`s.
        others: Its other Variables: random streams, running statistics.
    """

    definition: Definition
    params: Variables
    others: Variables


def split(networks: nnx.Module) -> Split:
    """Takes a module apart."""
    graph, *variables = nnx.split(networks, nnx.Param, ...)
    return Split(Definition(graph), *variables)


def merge(parts: Split) -> Any:
    """Puts a module together again; the Variables of `parts` stay as they are.

    They may belong to an outer trace, which must not be written.
    """
    return nnx.merge(parts.definition.graph, parts.params, parts.others, copy=True)


def apply(parts: Split, function: Callable[[Any], Result]) -> tuple[Variables, Result]:
    """Calls `function(module)`.

    What it writes to parameters is lost; `check_fit` refuses networks that do.

    Returns:
        The module's other Variables afterwards, and the result.
    """
    after, result = applied(parts, function)
    return after.others, result


def applied(parts: Split, function: Callable[[Any], Result]) -> tuple[Split, Result]:
    """Calls `function(module)`; returns the module in parts afterwards, and the result."""
    networks = merge(parts)
    result = function(networks)
    return split(networks), result
