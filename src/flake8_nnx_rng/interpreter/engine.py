"""The abstract machine: its state, and the dispatch from nodes and values to their meaning.

The meaning itself is in tables next door: `expressions`, `statements`, `attributes` and `calls`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import libcst as cst

from flake8_nnx_rng.interpreter import containers, trees
from flake8_nnx_rng.interpreter.deeds import Deed
from flake8_nnx_rng.interpreter.events import Event, Site
from flake8_nnx_rng.interpreter.frames import Frame
from flake8_nnx_rng.interpreter.joins import Store, join_all, join_stores
from flake8_nnx_rng.interpreter.taint import CLEAN, EACH_ENV, Taint, counted
from flake8_nnx_rng.interpreter.values import (
    Arguments,
    Const,
    Function,
    Instance,
    Value,
    blur,
    options,
)
from flake8_nnx_rng.knowledge.children import CONTAINER, Promise
from flake8_nnx_rng.project import ClassInfo, Hierarchy

MAX_STEPS = 25_000
"""Nodes that one pass may visit; real modules need some thousands."""

OBJECTS_VERSION = (0, "version of all objects")
"""A place in the store that no variable has."""


class BudgetError(Exception):
    """The pass visited more nodes than it may."""


Callee = Callable[["Interpreter", Any, Arguments, cst.CSTNode], Value]
Attribute = Callable[["Interpreter", Value, str, cst.CSTNode], Value]
Expression = Callable[["Interpreter", Any], Value]
Statement = Callable[["Interpreter", Any], None]


@dataclass(eq=False)
class Interpreter:
    """Runs one pass over abstract values and records what happens to keys.

    Attributes:
        hierarchy: Knows which classes are stateful.
        store: Variables and attributes; None where the code cannot be reached.
        events: What happened, in order of first occurrence.
        recording: Off while the constructor runs, which may draw as it likes.
        steps: Nodes visited.
        active: The functions on the stack.
        cut_short: Calls that were not followed because they recursed or nested too deeply.
        kept: Frames whose variables outlive their call.
        results: What calls returned that depend on their arguments and the objects alone, and
            what became of keys in them.
        journal: What became of keys and streams so far.
        repeated: What flows into the number of rounds of the loops in progress.
        maps_envs: Whether the code in progress is mapped over the envs.
        batches: Whether it is mapped over anything at once, not one after the other.
        promise: What a `StatefulModule` of the project needs of its caller.
    """

    hierarchy: Hierarchy
    expressions: dict[type[cst.CSTNode], Expression]
    statements: dict[type[cst.CSTNode], Statement]
    callees: dict[type[Any], Callee]
    attribute: Attribute
    store: Store | None = field(default_factory=dict)
    frames: list[Frame] = field(default_factory=list)
    events: dict[tuple[object, ...], Event] = field(default_factory=dict)
    conditions: tuple[tuple[cst.CSTNode, bool], ...] = ()
    recording: bool = True
    steps: int = 0
    identities: dict[tuple[object, ...], int] = field(default_factory=dict)
    globals: dict[tuple[int, str], Value] = field(default_factory=dict)
    active: list[cst.CSTNode] = field(default_factory=list)
    cut_short: int = 0
    kept: set[int] = field(default_factory=set)
    results: dict[tuple[object, ...], tuple[Value, tuple[Deed, ...]]] = field(default_factory=dict)
    journal: list[Deed] = field(default_factory=list)
    repeated: Taint = CLEAN
    maps_envs: bool = False
    batches: bool = False
    promise: Callable[[ClassInfo], Promise] = field(default=lambda cls: CONTAINER)

    @property
    def frame(self) -> Frame:
        """The call in progress."""
        return self.frames[-1]

    @property
    def in_entry_point(self) -> bool:
        """Whether the call in progress is the entry point's own; below it is the audit's frame."""
        return len(self.frames) == 2

    def closure(self, node: cst.FunctionDef | cst.Lambda) -> Function:
        """A function defined in the call in progress, with the variables that it sees."""
        seen = self.frame.visible
        for frame in self.frames:
            frame.keeps_variables |= frame.identity in seen
        self.kept.update(seen)
        return Function(node, self.frame.scope, seen, self.frame.owner, None, self._defaults(node))

    def _defaults(self, node: cst.FunctionDef | cst.Lambda) -> tuple[tuple[str, Value], ...]:
        """The defaults of a function; not those that hold functions, which could nest for ever."""
        given = node.params
        parameters = (*given.posonly_params, *given.params, *given.kwonly_params)
        values = [
            (parameter.name.value, self.evaluate(parameter.default))
            for parameter in parameters
            if parameter.default is not None
        ]
        return tuple(
            (name, value)
            for name, value in values
            if not any(isinstance(leaf, Function) for leaf in trees.leaves(value))
        )

    def identity(self, *parts: object) -> int:
        """The number that stands for some parts."""
        return self.identities.setdefault(parts, len(self.identities) + 1)

    def identity_here(self, *parts: object) -> int:
        """The number that stands for a call or an allocation in the call in progress."""
        return self.identity(*parts, self.frame.identity, self.frame.rounds)

    def evaluate(self, node: cst.CSTNode) -> Value:
        """What an expression may be.

        Raises:
            BudgetError: The pass has visited too many nodes.
        """
        self._count()
        meaning = self.expressions.get(type(node))
        if meaning is not None:
            return meaning(self, node)
        parts = [self.evaluate(child) for child in node.children if _is_expression(child)]
        return blur(*parts)

    def execute(self, body: Iterable[cst.CSTNode]) -> None:
        """Runs statements until a path ends."""
        for statement in body:
            if self.store is None:
                return
            self._count()
            meaning = self.statements.get(type(statement))
            if meaning is not None:
                meaning(self, statement)

    def call(self, callee: Value, arguments: Arguments, node: cst.CSTNode) -> Value:
        """What calling a value yields, with all the events on the way."""

        def call_one(option: Value) -> Value:
            meaning = self.callees.get(type(option))
            if meaning is None:  # calling a number or a dict: an error of the user's
                return blur(option, *arguments.values())
            return meaning(self, option, arguments, node)

        return self.each(callee, call_one)

    def special(
        self, value: Value, name: str, arguments: tuple[Value, ...], node: cst.CSTNode
    ) -> Value | None:
        """Calls a method such as `__getitem__` of an object of the project, if it has one."""
        if not isinstance(value, Instance) or not self.hierarchy.defines(value.cls, name):
            return None
        method = self.attribute(self, value, name, node)
        return self.call(method, Arguments(arguments), node)

    def iterate(self, value: Value, node: cst.CSTNode) -> Value:
        """What iterating over a value yields, all items in one."""
        made = self.special(value, "__iter__", (), node)
        return containers.element(value if made is None else made)

    def branch(self, arms: Sequence[Callable[[], Value]]) -> Value:
        """Runs each arm from the same state; joins what they leave behind and return."""
        before = self.store
        after: Store | None = None
        values = []
        for arm in arms:
            self.store = None if before is None else dict(before)
            values.append(arm())
            after = join_stores(after, self.store)
        self.store = after
        return join_all(values)

    def each(self, value: Value, meaning: Callable[[Value], Value]) -> Value:
        """Applies a meaning to every alternative of a value."""
        alternatives = options(value)
        if len(alternatives) == 1:
            return meaning(alternatives[0])
        return self.branch([partial(meaning, option) for option in alternatives])

    @contextmanager
    def under(self, test: cst.CSTNode, arm: bool) -> Iterator[None]:
        """Runs the body of a branch, so that events know its condition."""
        saved = self.conditions
        self.conditions = (*saved, (test, arm))
        try:
            yield
        finally:
            self.conditions = saved

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Runs code that is mapped over arrays as a whole."""
        saved = self.batches
        self.batches = True
        try:
            yield
        finally:
            self.batches = saved

    @contextmanager
    def round(self, number: int) -> Iterator[None]:
        """Runs the body of a loop for one of its items; what is made in it is another each time."""
        frame = self.frame
        saved = frame.rounds
        frame.rounds = (*saved, number)
        try:
            yield
        finally:
            frame.rounds = saved

    @contextmanager
    def repeating(self, rounds: Taint) -> Iterator[None]:
        """Runs the body of a loop; what is drawn in it differs from round to round."""
        saved = self.repeated
        self.repeated = saved | counted(rounds) & EACH_ENV
        try:
            yield
        finally:
            self.repeated = saved

    def site(self, node: cst.CSTNode) -> Site:
        """The place and the way to it."""
        frame = self.frame
        trail = tuple(frame.label for frame in self.frames if frame.label)
        calls = tuple(frame.call for frame in self.frames if frame.call is not None)
        anchor = self.anchor(node)
        file = frame.scope.file
        return Site(node, file, trail, self.conditions, calls, anchor, frame.is_traced)

    def anchor(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """The last place on the way to a node in the file of the audited class."""
        frame = self.frame
        return node if frame.scope.file is self.frames[0].scope.file else frame.anchor

    def emit(self, event: Event) -> None:
        """Records an event once per kind, place, thing and place on the way to it."""
        if self.recording and self.store is not None:
            facts = tuple(getattr(event, name) for name in event.__slots__ if name != "site")
            site = event.site
            self.events.setdefault((type(event), site.node, site.anchor, facts), event)

    def write(self, place: tuple[int, str], value: Value) -> None:
        """Changes a variable or an attribute."""
        if self.store is not None:
            self.store[place] = value

    def write_attribute(self, ref: int, name: str, value: Value) -> None:
        """Changes an attribute of an object, and with it the version of all objects."""
        place = (ref, name)
        if self.store is None or self.store.get(place) == value:
            return
        self.store[place] = value
        version = self.identity("objects", self.objects_version, place, value)
        self.store[OBJECTS_VERSION] = Const(version)

    def replace_object(self, old: Value, new: Value) -> None:
        """Changes a mutable object wherever it is known: under every name and attribute."""
        if self.store is None or old == new:
            return
        for place, value in list(self.store.items()):
            changed = trees.substitute(value, old, new)
            if changed is not value:
                self.write_attribute(*place, changed)

    @property
    def objects_version(self) -> Value | None:
        """Equal for two states only if every object has the same attributes in both."""
        return self.read(OBJECTS_VERSION)

    def read(self, place: tuple[int, str]) -> Value | None:
        """A variable or an attribute, or None if nothing was written there."""
        return None if self.store is None else self.store.get(place)

    def _count(self) -> None:
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise BudgetError


def _is_expression(node: cst.CSTNode) -> bool:
    return not isinstance(node, (cst.BaseParenthesizableWhitespace, cst.BaseSmallStatement))
