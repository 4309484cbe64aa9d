"""A scan that takes out of the loop what need not be in it.

A step of a network is mostly arithmetic that does not wait for the step before: of a bottleneck
only the keys do, of an LSTM only the recurrent product. `scan` reads the step's jaxpr, keeps in the
loop what the next carry is computed from, and maps the rest over all steps at once: the same
numbers, from fewer and larger products. Compilers know the idea as loop fission (Kennedy and Allen,
Optimizing Compilers for Modern Architectures, 2001, chapter 6).
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn, Literal, Var, jaxpr_as_fun

from nnx_ppo_ref.trees import clone_keys


class Phase(enum.IntEnum):
    """When a value is computed; each phase knows the values of those before it."""

    ONCE = 0
    """Before the loop: it depends on no step."""
    AHEAD = 1
    """For all steps at once, before the loop: it depends on a step's inputs only."""
    LOOP = 2
    """Step by step: the next carry is computed from it."""
    AFTER = 3
    """For all steps at once, after the loop: it depends on the carry, but not the other way."""


Step = Callable[[Any, Any], tuple[Any, Any]]
Values = dict[Var, Any]


def scan(step: Step, carry: Any, inputs: Any) -> tuple[Any, Any]:
    """`jax.lax.scan(step, carry, inputs)`, with everything outside the loop that may be there.

    A call into a nested program, such as one made by `jax.jit`, is taken as a whole.
    """
    first = jax.tree.map(lambda leaf: leaf[0], clone_keys(inputs))  # only its type is used
    closed, (after, output) = jax.make_jaxpr(step, return_shape=True)(carry, first)
    # The order of callbacks and the like has a meaning, and a carry that changes its type is JAX's
    # to promote or to refuse.
    if closed.effects or _types(carry) != _types(after):
        return jax.lax.scan(step, carry, inputs)
    loop = _plan(closed.jaxpr, len(jax.tree.leaves(carry)))
    consts = dict(zip(closed.jaxpr.constvars, closed.consts, strict=True))
    leaves, structure = jax.tree.flatten(carry)
    final, outputs = _run(loop, consts, leaves, jax.tree.leaves(inputs))
    return jax.tree.unflatten(structure, final), jax.tree.unflatten(
        jax.tree.structure(output), outputs
    )


def _types(tree: Any) -> Any:
    leaves, structure = jax.tree.flatten(tree)
    return structure, [(jnp.shape(leaf), jnp.result_type(leaf)) for leaf in leaves]


class Program(NamedTuple):
    """Some of a step's equations as a function.

    Attributes:
        reads: Its arguments.
        makes: Its results.
        run: The function.
    """

    reads: list[Var]
    makes: list[Any]
    run: Callable[..., list[Any]]


class Loop(NamedTuple):
    """A step, cut into phases.

    Attributes:
        before: The leaves of its carry.
        following: For each leaf that changes the leaf after the step.
        inputs: Its inputs.
        outputs: Its outputs.
        programs: What to compute in each phase. The loop's own makes the changed leaves first.
    """

    before: list[Var]
    following: dict[Var, Any]
    inputs: list[Var]
    outputs: list[Any]
    programs: dict[Phase, Program]


def _plan(jaxpr: Jaxpr, size: int) -> Loop:
    """Gives every equation that is needed its phase."""
    before, inputs = jaxpr.invars[:size], jaxpr.invars[size:]
    after, outputs = jaxpr.outvars[:size], jaxpr.outvars[size:]
    # A leaf that the step hands on as it was is a constant of the loop.
    following = {old: new for old, new in zip(before, after, strict=True) if new is not old}
    phases = dict.fromkeys(following, Phase.LOOP) | dict.fromkeys(inputs, Phase.AHEAD)
    needed = _ancestors(jaxpr.eqns, jaxpr.outvars)
    carried = _ancestors(jaxpr.eqns, following.values())
    equations: dict[Phase, list[JaxprEqn]] = {phase: [] for phase in Phase}
    for equation in jaxpr.eqns:
        if needed.isdisjoint(equation.outvars):
            continue
        phase = max(
            (phases[var] for var in _variables(equation.invars) if var in phases),
            default=Phase.ONCE,
        )
        if phase == Phase.LOOP and carried.isdisjoint(equation.outvars):
            phase = Phase.AFTER
        phases |= dict.fromkeys(equation.outvars, phase)
        equations[phase].append(equation)

    programs: dict[Phase, Program] = {}
    read_later = dict.fromkeys(_variables(outputs))
    for phase in reversed(Phase):
        made = {var for equation in equations[phase] for var in equation.outvars}
        if phase == Phase.LOOP:
            made.update(following)
        makes: list[Any] = [var for var in read_later if var in made]
        if phase == Phase.LOOP:
            makes = [*following.values(), *makes]
        programs[phase] = _program(jaxpr, equations[phase], makes)
        read_later |= dict.fromkeys(programs[phase].reads)
    return Loop(before, following, inputs, outputs, programs)


def _program(jaxpr: Jaxpr, equations: list[JaxprEqn], makes: list[Any]) -> Program:
    made = {var for equation in equations for var in equation.outvars}
    atoms = [atom for equation in equations for atom in equation.invars] + makes
    reads = [var for var in dict.fromkeys(_variables(atoms)) if var not in made]
    part = jaxpr.replace(constvars=[], invars=reads, outvars=makes, eqns=equations)
    return Program(reads, makes, jaxpr_as_fun(ClosedJaxpr(part, ())))


def _ancestors(equations: list[JaxprEqn], results: Iterable[Any]) -> set[Var]:
    """The variables from which the results are computed, themselves included."""
    needed = set(_variables(results))
    for equation in reversed(equations):
        if not needed.isdisjoint(equation.outvars):
            needed.update(_variables(equation.invars))
    return needed


def _variables(atoms: Iterable[Any]) -> list[Var]:
    return [atom for atom in atoms if isinstance(atom, Var)]


def _run(
    loop: Loop, consts: Values, carry: list[Any], inputs: list[Any]
) -> tuple[list[Any], list[Any]]:
    """Runs the phases one after the other; returns the final carry and the outputs."""
    length = inputs[0].shape[0]
    start = dict(zip(loop.before, carry, strict=True))
    fixed = consts | {var: leaf for var, leaf in start.items() if var not in loop.following}
    once = loop.programs[Phase.ONCE]
    fixed |= zip(once.makes, once.run(*(fixed[var] for var in once.reads)), strict=True)

    def at_once(program: Program, stacked: Values) -> Values:
        known = fixed | stacked
        axes = [0 if var in stacked else None for var in program.reads]
        run = jax.vmap(program.run, in_axes=axes, axis_size=length)
        made = run(*(known[var] for var in program.reads)) if program.makes else []
        return stacked | dict(zip(program.makes, made, strict=True))

    stacked = at_once(loop.programs[Phase.AHEAD], dict(zip(loop.inputs, inputs, strict=True)))

    program, size = loop.programs[Phase.LOOP], len(loop.following)

    varying = [var for var in program.reads if var in stacked]

    def body(leaves: list[Any], now: list[Any]) -> tuple[list[Any], list[Any]]:
        known = fixed | dict(zip(varying, now, strict=True))
        known |= zip(loop.following, leaves, strict=True)
        made = program.run(*(known[var] for var in program.reads))
        # The loop uses one half of a split key, what comes after it the other. That no key is used
        # twice has been checked in the step as a whole, when its jaxpr was made.
        return made[:size], clone_keys(made[size:])

    end, made = jax.lax.scan(
        body,
        [start[var] for var in loop.following],
        [stacked[var] for var in varying],
        length=length,
    )
    stacked |= dict(zip(program.makes[size:], made, strict=True))
    stacked = at_once(loop.programs[Phase.AFTER], stacked)

    final = start | dict(zip(loop.following, end, strict=True))
    return list(final.values()), [_result(atom, fixed, stacked, length) for atom in loop.outputs]


def _result(atom: Any, fixed: Values, stacked: Values, length: int) -> Any:
    """An output of all steps, `[T, ...]`."""
    if isinstance(atom, Var) and atom in stacked:
        return stacked[atom]
    value = atom.val if isinstance(atom, Literal) else fixed[atom]
    return jnp.broadcast_to(value, (length, *jnp.shape(value)))
