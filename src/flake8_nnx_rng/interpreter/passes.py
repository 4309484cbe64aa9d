"""Calls a class as PPO does: seeds its state, runs rollout and replay, resets its state."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from weakref import WeakKeyDictionary

import libcst as cst

from flake8_nnx_rng.interpreter import attributes, envs, names, objects, promises, trees, uses
from flake8_nnx_rng.interpreter.calls import CALLEES
from flake8_nnx_rng.interpreter.engine import BudgetError, Frame, Interpreter
from flake8_nnx_rng.interpreter.events import Defaulted, Event, Returned, Site
from flake8_nnx_rng.interpreter.expressions import EXPRESSIONS
from flake8_nnx_rng.interpreter.functions import ENTRY
from flake8_nnx_rng.interpreter.joins import held, join, join_all
from flake8_nnx_rng.interpreter.statements import STATEMENTS
from flake8_nnx_rng.interpreter.taint import BATCH, CLEAN, Carried, Entry, Held
from flake8_nnx_rng.interpreter.tests import EXTRAS_PATH
from flake8_nnx_rng.interpreter.values import (
    NONE,
    Arguments,
    Bag,
    Choice,
    Const,
    Function,
    Instance,
    Items,
    Key,
    Opaque,
    Record,
    Stream,
    Table,
    Value,
    children,
    options,
)
from flake8_nnx_rng.knowledge.children import STATELESS, Promise
from flake8_nnx_rng.project import ClassInfo, FunctionSymbol, Hierarchy

INITIALIZE, RESET = "initialize_state", "reset_state"
"""The methods that PPO calls beside the module itself: `f(batch_size)` and `f(prev_state)`."""

CARRY = Opaque(frozenset({Carried("state")}), "state")
INPUT = Opaque(frozenset({Entry.INPUT}), "x")
EXTRAS = Opaque(frozenset({Entry.EXTRAS}), EXTRAS_PATH)


@dataclass(frozen=True)
class Audit:
    """What PPO does to the keys of one class.

    Attributes:
        cls: The class.
        is_sampler: Whether it is an `ActionSampler`.
        rollout: Events of a forward pass without `rollout_extras`.
        replay: Events of a forward pass with them.
        initial: Events of `initialize_state`.
        reset: Events of `reset_state`.
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
    carry: Value = field(default=CARRY, repr=False)
    defaults: tuple[Defaulted, ...] = field(default=(), repr=False)
    is_complete: bool = True

    def passes(self) -> tuple[tuple[Event, ...], tuple[Event, ...]]:
        """The events of both forward passes, apart."""
        return self.rollout, self.replay

    def events(self) -> Iterator[Event]:
        """The events of both forward passes."""
        yield from self.rollout
        yield from self.replay


_PROMISES: WeakKeyDictionary[ClassInfo, Promise] = WeakKeyDictionary()
"""What classes were found to need, so that each is asked once."""


def promise_of(cls: ClassInfo, hierarchy: Hierarchy) -> Promise:
    """What a `StatefulModule` of the project needs of its caller.

    A class that contains itself needs what it needs besides.
    """
    if cls not in _PROMISES:
        _PROMISES[cls] = STATELESS
        try:
            _PROMISES[cls] = _find_promise(cls, hierarchy)
        except RecursionError:
            del _PROMISES[cls]
            raise
    return _PROMISES[cls]


def _find_promise(cls: ClassInfo, hierarchy: Hierarchy) -> Promise:
    base = promises.inherited(cls, hierarchy)
    extras, carry = base.extras, base.carry
    passes = audit(cls, hierarchy)
    if hierarchy.defines(cls, ENTRY):
        extras = promises.extras_of(passes.rollout, passes.replay)
    if hierarchy.defines(cls, INITIALIZE):
        seeded = (event.value for event in passes.initial if isinstance(event, Returned))
        carry = promises.carry_of(join_all(seeded))
    return Promise(extras, carry)


def carries_keys(passes: Audit) -> bool:
    """Whether `initialize_state` seeds the state with keys."""
    return any(isinstance(leaf, Key) for leaf in trees.leaves(passes.carry))


def audit(cls: ClassInfo, hierarchy: Hierarchy) -> Audit:
    """Interprets everything that PPO calls of a `StatefulModule`."""
    it = Interpreter(hierarchy, EXPRESSIONS, STATEMENTS, CALLEES, attributes.attribute)
    it.promise = partial(promise_of, hierarchy=hierarchy)
    instance = Instance(cls, it.identity(cls), "self")
    it.frames.append(Frame(it.identity("audit", cls), cls.scope, receiver=instance))
    try:
        _construct(it, instance)
    except BudgetError:
        return Audit(cls, hierarchy.is_sampler(cls), (), (), is_complete=False)
    runner = _Runner(it, instance)
    initial = runner.run(lambda: runner.method(INITIALIZE, Opaque(BATCH)))
    carry = _carry(initial.value) if hierarchy.defines(cls, INITIALIZE) else CARRY
    rollout = runner.run(lambda: runner.forward(carry, NONE))
    replay = runner.run(lambda: runner.forward(carry, EXTRAS))
    reset = runner.run(lambda: runner.method(RESET, envs.mapped(carry)), maps_envs=True)
    return Audit(
        cls,
        hierarchy.is_sampler(cls),
        rollout.events,
        replay.events,
        initial.events,
        reset.events,
        carry,
        _shared(it, cls),
        all(one.is_complete for one in (initial, rollout, replay, reset)),
    )


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
        it.maps_envs = maps_envs
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
        entry = attributes.member(it, cls, ENTRY)
        for function in options(entry) if entry is not None else ():
            bound = attributes.bind(it, function, self._instance, cls.node)
            value = it.call(bound, _entry_arguments(it, bound, carry, extras), cls.node)
            if isinstance(function, Function) and isinstance(function.node, cst.Lambda):
                is_own = function.scope.file is cls.scope.file
                site = it.site(function.node if is_own else cls.node)
                it.emit(Returned(site, value, uses.drawn_with(it), uses.spent(it)))
        return Opaque()


def _shared(it: Interpreter, cls: ClassInfo) -> tuple[Defaulted, ...]:
    """The keys and streams that are defaults, if they can be told within the budget of a pass."""
    it.steps = 0
    try:
        return tuple(_defaults(it, cls))
    except BudgetError:
        return ()


def _defaults(it: Interpreter, cls: ClassInfo) -> Iterator[Defaulted]:
    """The keys and streams that the methods of a class have as defaults."""
    for ancestor in it.hierarchy.mro(cls):
        if isinstance(ancestor, ClassInfo):
            for symbol in (one for each in ancestor.scope.bindings.values() for one in each):
                if isinstance(symbol, FunctionSymbol):
                    yield from _defaults_of(it, symbol.node, ancestor)


def _defaults_of(it: Interpreter, node: cst.FunctionDef, owner: ClassInfo) -> Iterator[Defaulted]:
    parameters = node.params
    for parameter in (*parameters.posonly_params, *parameters.params, *parameters.kwonly_params):
        if isinstance(parameter.default, cst.Call):
            value = names.in_scope(it, parameter.default, owner.scope)
            if isinstance(value, (Key, Stream)):
                trail = (f"{owner.name}.{node.name.value}",)
                site = Site(parameter.default, owner.scope.file, trail)
                yield Defaulted(site, parameter.name.value, value)


def _construct(it: Interpreter, instance: Instance) -> None:
    """Runs the constructor, then marks what it left as held by the module."""
    it.recording = False
    initializer = attributes.member(it, instance.cls, "__init__")
    if initializer is not None:
        for function in options(initializer):
            if isinstance(function, Function):
                bound = attributes.bind(it, function, instance, instance.cls.node)
                it.call(bound, _constructor_arguments(function), instance.cls.node)
    else:
        objects.finish(it, instance, instance.cls.node)
    if it.store is None:  # the constructor always raises: an abstract class
        it.store = {}
    _seal(it, instance)
    it.recording = True


def _constructor_arguments(function: Function) -> Arguments:
    """Every argument as something that will outlive the pass."""
    parameters = function.node.params
    ordered = [*parameters.posonly_params, *parameters.params][1:]
    return Arguments(
        tuple(_held(p.name.value) for p in ordered),
        tuple((p.name.value, _held(p.name.value)) for p in parameters.kwonly_params),
        _held("arguments") if parameters.star_kwarg or parameters.star_arg else None,
    )


def _held(name: str) -> Opaque:
    return Opaque(frozenset({Held(name)}), name)


def _seal(it: Interpreter, instance: Instance) -> None:
    """Rewrites what the constructor left as the pass will find it.

    Attributes are found below their object, children included; variables that functions of the
    constructor have captured outlive it as well.
    """
    assert it.store is not None
    paths = _reach(it, instance.ref, "self", {})
    for (ref, name), value in list(it.store.items()):
        if ref in paths:
            it.store[(ref, name)] = held(value, _below(paths[ref], name))
        elif ref > 0 and not isinstance(value, Const):
            it.store[(ref, name)] = held(value, name)


def _below(path: str, name: str) -> str:
    return path if name == attributes.LIBRARY_PART else f"{path}.{name}"


def _reach(it: Interpreter, ref: int, path: str, found: dict[int, str]) -> dict[int, str]:
    """The objects below an object, each with the first path on which it is found."""
    if ref not in found:
        found[ref] = path
        for (owner, name), value in (it.store or {}).items():
            if owner == ref:
                for child in _instances(held(value, _below(path, name))):
                    _reach(it, child.ref, child.path or path, found)
    return found


def _instances(value: Value) -> Iterator[Instance]:
    if isinstance(value, Instance):
        yield value
    for child in children(value):
        yield from _instances(child)


def _carry(initial: Value, path: str = "state") -> Value:
    """The state that PPO hands in: what `initialize_state` returned, step after step."""
    unknown = Opaque(frozenset({Carried(path)}), path)
    match initial:
        case Const(None):  # "if state is None: ...": the state of later steps is another
            return join(NONE, unknown)
        case Key():
            return Key(unknown.taint, path)
        case Items(items):
            return Items(tuple(_carry(v, f"{path}[{i}]") for i, v in enumerate(items)))
        case Bag(element):
            return Bag(_carry(element, f"{path}[...]"))
        case Table(items, rest):
            entries = tuple((key, _carry(v, f"{path}[{key!r}]")) for key, v in items)
            return Table(entries, None if rest is None else _carry(rest, f"{path}[...]"))
        case Record(name, fields):
            return Record(name, tuple((f, _carry(v, f"{path}.{f}")) for f, v in fields))
        case Choice(alternatives):
            return join_all(_carry(option, path) for option in alternatives)
        case _:
            return unknown


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
        if parameter.name.value == EXTRAS_PATH:
            value = extras
        elif parameter.default is not None:
            value = join(it.evaluate(parameter.default), Opaque(INPUT.taint))
        keywords.append((parameter.name.value, value))
    has_keyword_extras = any(name == EXTRAS_PATH for name, _ in keywords)
    positional = given[: 2 if has_keyword_extras else 3][: len(ordered)]
    return Arguments(tuple(positional), tuple(keywords))
