"""Calls in progress, and the loops in them."""

from __future__ import annotations

from dataclasses import dataclass, field

import libcst as cst

from flake8_nnx_rng.interpreter.joins import Store
from flake8_nnx_rng.interpreter.values import Value
from flake8_nnx_rng.project import ClassInfo, Scope


@dataclass
class Frame:
    """One call in progress.

    Attributes:
        identity: Names its local variables in the store; the same call site in the same
            caller gets the same identity, so that loops reach a fixpoint.
        scope: Where names are looked up that no frame holds.
        outer: Identities of the enclosing frames of its closure, innermost first.
        label: How the call is called in a trail; empty for lambdas and comprehensions.
        receiver: What `self` is bound to, for `super()`.
        owner: The class in whose body the function stands.
        call: Where it was called.
        anchor: The last place on the way to it in the file of the audited class.
        redirected: Names declared `global` or `nonlocal`, and the frame that holds them.
        global_names: Those of them that are `global`.
        returned: The returned values.
        yielded: The values that a generator yields.
        exits: The stores at the return statements.
        loops: The loops in progress, innermost last.
        rounds: Which item each loop is at that takes one after the other, innermost last.
        keeps_variables: Whether a function was defined that may outlive the call.
        is_traced: Whether it stands, or a call on the way to it, in what JAX traces by itself.
        is_comprehension: Whether it is a comprehension's own scope.
        is_shared: Whether functions of an earlier call at this place still read its variables,
            so that what it writes comes beside what they see.
    """

    identity: int
    scope: Scope
    outer: tuple[int, ...] = ()
    label: str = ""
    receiver: Value | None = None
    owner: ClassInfo | None = None
    call: cst.CSTNode | None = None
    anchor: cst.CSTNode | None = None
    redirected: dict[str, int] = field(default_factory=dict)
    global_names: set[str] = field(default_factory=set)
    returned: list[Value] = field(default_factory=list)
    yielded: list[Value] = field(default_factory=list)
    exits: list[Store] = field(default_factory=list)
    loops: list[LoopExits] = field(default_factory=list)
    rounds: tuple[int, ...] = ()
    keeps_variables: bool = False
    is_traced: bool = False
    is_comprehension: bool = False
    is_shared: bool = False

    @property
    def visible(self) -> tuple[int, ...]:
        """The frames whose variables its names may mean, innermost first."""
        return (self.identity, *self.outer)


@dataclass
class LoopExits:
    """The stores at a loop's `break` and `continue` statements."""

    breaks: Store | None = None
    continues: Store | None = None
