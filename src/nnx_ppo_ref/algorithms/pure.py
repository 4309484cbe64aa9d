"""An NNX module as a pure function of its parameters and its other Variables.

PPO scans, maps and differentiates plain functions. Parameters are constants of a pass, so that a
scan need not carry them; every other Variable is threaded through it, so that what a module writes
in its forward pass, such as the count of a class-level stream, is seen by the next step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from flax import nnx

Variables = Any
"""An `nnx.State`."""

Result = TypeVar("Result")


class Split(NamedTuple):
    """A module in parts.

    Attributes:
        definition: Its structure and plain attributes; hashable, static under `jax.jit`.
        params: Its `nnx.Param`s.
        others: Its other Variables: random streams, running statistics.
    """

    definition: Any
    params: Variables
    others: Variables


def split(networks: nnx.Module) -> Split:
    """Takes a module apart."""
    return Split(*nnx.split(networks, nnx.Param, ...))


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
    # A copy: the Variables of `parts` may belong to an outer trace, which must not be written.
    networks = nnx.merge(*parts, copy=True)
    result = function(networks)
    return split(networks), result
