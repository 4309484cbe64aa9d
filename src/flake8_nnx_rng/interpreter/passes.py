"""Calls a class as PPO does: seeds its state, runs rollout and replay, resets its state."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import libcst as cst

from flake8_nnx_rng.interpreter import (
    attributes,
    construction,
    envs,
    inheritance,
    promises,
    trees,
    uses,
)
from flake8_nnx_rng.interpreter.calls import CALLEES
from flake8_nnx_rng.interpreter.carry import UNKNOWN_CARRY, carried
from flake8_nnx_rng.interpreter.defaults import shared_defaults
from flake8_nnx_rng.interpreter.engine import BudgetError, Interpreter
from flake8_nnx_rng.interpreter.events import Defaulted, Event
from flake8_nnx_rng.interpreter.expressions import EXPRESSIONS
from flake8_nnx_rng.interpreter.frames import Frame
from flake8_nnx_rng.interpreter.functions import ENTRY
from flake8_nnx_rng.interpreter.joins import join, join_all
from flake8_nnx_rng.interpreter.outputs import parts_returned, returned
from flake8_nnx_rng.interpreter.statements import STATEMENTS
from flake8_nnx_rng.interpreter.taint import BATCH, CLEAN, Entry, Taint
from flake8_nnx_rng.interpreter.values import (
    NONE,
    Arguments,
    Function,
    Instance,
    Key,
    Opaque,
    Value,
    options,
)
from flake8_nnx_rng.knowledge import library
from flake8_nnx_rng.knowledge.children import STATELESS, Promise
from flake8_nnx_rng.project import ClassInfo, Hierarchy

INPUT = Opaque(frozenset({Entry.INPUT}), "x")
EXTRAS = Opaque(frozenset({Entry.EXTRAS}), library.EXTRAS)


@dataclass(frozen=True)
class Audit:
    """What PPO does to the keys of one class.

    Attributes:
        cls: The class.
        is_sampler: Whether it is an `ActionSampler`.
        rollout: Events of a forward pass without `rollout_extras`.
        replay: Events of a forward pass with them.
        initial: Events of `initialize_state`.
        reset: Events of `reset_state` with the state of one env, as the loss calls it.
        reset_of_all: Events of `reset_state` with the states of all, as the rollout does.
        carry: The state that the forward passes are given.
        defaults: Keys and streams that are defaults of parameters.
        is_complete: False if a pass was too long to follow to its end.
    """

    cls: ClassInfo
    is_sampler: bool
    rollout: tuple[Event, ...] = field(repr=False)
    replay: tuple[Event, ...] = field(repr=False)
    initial: tuple[Event, ...] = field(default=(), repr=False)
    reset: tuple[Event, ...] = field(default=(), repr=False)
    reset_of_all: tuple[Event, ...] = field(default=(), repr=False)
    carry: Value = field(default=UNKNOWN_CARRY, repr=False)
    defaults: tuple[Defaulted, ...] = field(default=(), repr=False)
    is_complete: bool = True

    @cached_property
    def rollout_returns(self) -> tuple[Mapping[str, Taint], ...]:
        """For each return of the rollout what flows into its fields; every draw asks for it."""
        return parts_returned(self.rollout)

    @cached_property
    def replay_returns(self) -> tuple[Mapping[str, Taint], ...]:
        """The same for the replay."""
        return parts_returned(self.replay)

    def passes(self) -> tuple[tuple[Event, ...], tuple[Event, ...]]:
        """The events of both forward passes, apart."""
        return self.rollout, self.replay

    def events(self) -> Iterator[Event]:
        """The events of both forward passes."""
        yield from self.rollout
        yield from self.replay


def carries_keys(passes: Audit) -> bool:
    """Whether `initialize_state` seeds the state with keys."""
    return any(isinstance(leaf, Key) for leaf in trees.leaves(passes.carry))


@dataclass(eq=False)
class Auditor:
    """Interprets the modules of a project, each once.

    Attributes:
        hierarchy: Knows their bases.
    """

    hierarchy: Hierarchy
    _audits: dict[ClassInfo, Audit] = field(default_factory=dict, init=False, repr=False)
    _promises: dict[ClassInfo, Promise] = field(default_factory=dict, init=False, repr=False)

    def audit(self, cls: ClassInfo) -> Audit:
        """What PPO does to the keys of a `StatefulModule`.

        Raises:
            RecursionError: Its code nests too deeply.
        """
        if cls not in self._audits:
            self._audits[cls] = self._interpret(cls)
        return self._audits[cls]

    def promise(self, cls: ClassInfo) -> Promise:
        """What a `StatefulModule` of the project needs of its caller.

        A class that contains itself needs what it needs besides.

        Raises:
            RecursionError: Its code nests too deeply.
        """
        if cls not in self._promises:
            self._promises[cls] = STATELESS
            try:
                self._promises[cls] = self._find_promise(cls)
            except RecursionError:
                del self._promises[cls]
                raise
        return self._promises[cls]

    def _find_promise(self, cls: ClassInfo) -> Promise:
        base = promises.inherited(cls, self.hierarchy)
        extras, carry = base.extras, base.carry
        passes = self.audit(cls)
        if self.hierarchy.defines(cls, ENTRY):
            extras = promises.extras_of(passes.rollout, passes.replay, is_sampler=passes.is_sampler)
        if self.hierarchy.defines(cls, library.INITIALIZE):
            carry = promises.carry_of(join_all(value for _, value in returned(passes.initial)))
        return Promise(extras, carry)

    def _interpret(self, cls: ClassInfo) -> Audit:
        it = Interpreter(self.hierarchy, EXPRESSIONS, STATEMENTS, CALLEES, attributes.attribute)
        it.promise = self.promise
        instance = Instance(cls, it.identity(cls), "self")
        it.frames.append(Frame(it.identity("audit", cls), cls.scope, receiver=instance))
        is_sampler = self.hierarchy.is_sampler(cls)
        try:
            construction.construct(it, instance)
        except BudgetError:
            return Audit(cls, is_sampler, (), (), is_complete=False)
        runner = _Runner(it, instance)
        initial = runner.run(lambda: runner.method(library.INITIALIZE, Opaque(BATCH)))
        is_seeded = self.hierarchy.defines(cls, library.INITIALIZE)
        carry = carried(initial.value) if is_seeded else UNKNOWN_CARRY
        rollout = runner.run(lambda: runner.forward(carry, NONE))
        replay = runner.run(lambda: runner.forward(carry, EXTRAS))
        reset = runner.run(lambda: runner.method(library.RESET, envs.mapped(carry)), maps_envs=True)
        reset_of_all = runner.run(lambda: runner.method(library.RESET, carry))
        return Audit(
            cls,
            is_sampler,
            rollout.events,
            replay.events,
            initial.events,
            reset.events,
            reset_of_all.events,
            carry,
            shared_defaults(it, cls),
            all(one.is_complete for one in (initial, rollout, replay, reset, reset_of_all)),
        )


def audit(cls: ClassInfo, hierarchy: Hierarchy) -> Audit:
    """What PPO does to the keys of one `StatefulModule`."""
    return Auditor(hierarchy).audit(cls)


@dataclass(frozen=True)
class _Pass:
    """What one call of the framework did."""

    events: tuple[Event, ...]
    value: Value
    is_complete: bool


class _Runner:
    """Calls the methods of an object, each from the state that its constructor left."""

    def __init__(self, it: Interpreter, instance: Instance) -> None:
        self._it = it
        self._instance = instance
        self._constructed = dict(it.store or {})
        self._steps, self._kept = it.steps, set(it.kept)
        self._frames = list(it.frames)

    def run(self, call: Callable[[], Value], *, maps_envs: bool = False) -> _Pass:
        """The events of a call and what it returns."""
        it = self._it
        it.store, it.events, it.results = dict(self._constructed), {}, {}
        it.steps, it.kept, it.journal = self._steps, set(self._kept), []
        it.maps_envs = it.batches = maps_envs
        try:
            value = call()
        except BudgetError:
            it.frames[:] = self._frames
            it.active.clear()
            it.conditions, it.recording, it.repeated = (), True, CLEAN
            return _Pass(tuple(it.events.values()), Opaque(), False)
        return _Pass(tuple(it.events.values()), value, True)

    def method(self, name: str, argument: Value) -> Value:
        """Calls a method that is given one value, if a class of the project defines it."""
        it, node = self._it, self._instance.cls.node
        if not it.hierarchy.defines(self._instance.cls, name):
            return Opaque()
        function = attributes.attribute(it, self._instance, name, node)
        return it.call(function, Arguments((argument,)), node)

    def forward(self, carry: Value, extras: Value) -> Value:
        """Calls the module."""
        it, cls = self._it, self._instance.cls
        entry = inheritance.member(it, cls, ENTRY)
        for function in options(entry) if entry is not None else ():
            bound = inheritance.bind(it, function, self._instance, cls.node)
            value = it.call(bound, _entry_arguments(it, bound, carry, extras), cls.node)
            if isinstance(function, Function) and isinstance(function.node, cst.Lambda):
                is_own = function.scope.file is cls.scope.file
                site = it.site(function.node if is_own else cls.node)
                it.emit(uses.returned(it, site, value))
        return Opaque()


def _entry_arguments(it: Interpreter, entry: Value, carry: Value, extras: Value) -> Arguments:
    """State, input and extras by position; what is left takes its default.

    The framework passes nothing else, but a caller of the project may, so further parameters
    are both their default and data of the caller.
    """
    given = (carry, INPUT, extras)
    if not isinstance(entry, Function):
        return Arguments(given)
    parameters = entry.node.params
    ordered = [*parameters.posonly_params, *parameters.params][1:]
    if isinstance(parameters.star_arg, cst.Param):
        return Arguments(given)
    further = [*ordered[3:], *parameters.kwonly_params]
    keywords = []
    for parameter in further:
        value: Value = INPUT
        if parameter.name.value == library.EXTRAS:
            value = extras
        elif parameter.default is not None:
            value = join(it.evaluate(parameter.default), Opaque(INPUT.taint))
        keywords.append((parameter.name.value, value))
    has_keyword_extras = any(name == library.EXTRAS for name, _ in keywords)
    positional = given[: 2 if has_keyword_extras else 3][: len(ordered)]
    return Arguments(tuple(positional), tuple(keywords))
