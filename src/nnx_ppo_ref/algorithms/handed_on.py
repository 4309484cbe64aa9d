"""Which results of a program are its arguments, handed on as they were."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from jax.extend.core import ClosedJaxpr, Jaxpr, Var


def argument_of(jaxpr: Jaxpr, result: Any) -> Var | None:
    """The argument that a result is, also if nested programs hand it on; else None.

    A transformation such as `nnx.jit` returns all Variables of a module, changed or not, so the
    result is not the very variable that went in.
    """
    made_by = {var: equation for equation in jaxpr.eqns for var in equation.outvars}
    while isinstance(result, Var) and result in made_by:
        result = _operand(made_by[result], result)
    return result if isinstance(result, Var) and result in set(jaxpr.invars) else None


def _operand(equation: Any, result: Var) -> Any:
    """The operand that an equation hands on as `result`, or None."""
    place = equation.outvars.index(result)
    found = set()
    for inner in _programs(equation, len(equation.outvars)):
        argument = argument_of(inner, inner.outvars[place])
        if argument is None:
            return None
        # What comes before a program's own arguments, such as the number of a branch, is not its.
        before = len(equation.invars) - len(inner.invars)
        found.add(equation.invars[before + inner.invars.index(argument)])
    return found.pop() if len(found) == 1 else None


def _programs(equation: Any, results: int) -> Iterator[Jaxpr]:
    """The programs in an equation's parameters that give its results."""
    for value in equation.params.values():
        for program in value if isinstance(value, Sequence) else (value,):
            inner = program.jaxpr if isinstance(program, ClosedJaxpr) else program
            if isinstance(inner, Jaxpr) and len(inner.outvars) == results:
                yield inner
