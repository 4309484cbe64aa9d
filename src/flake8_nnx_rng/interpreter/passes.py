"""Runs a class's entry point as PPO does: once as rollout, once as replay."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from weakref import WeakKeyDictionary

import libcst as cst

from flake8_nnx_rng.interpreter import attributes, objects, promises
from flake8_nnx_rng.interpreter.calls import CALLEES
from flake8_nnx_rng.interpreter.engine import OBJECTS_VERSION, BudgetError, Frame, Interpreter
from flake8_nnx_rng.interpreter.events import Event, Returned
from flake8_nnx_rng.interpreter.expressions import EXPRESSIONS
from flake8_nnx_rng.interpreter.functions import ENTRY
from flake8_nnx_rng.interpreter.joins import held, join
from flake8_nnx_rng.interpreter.statements import STATEMENTS
from flake8_nnx_rng.interpreter.taint import Entry, Held
from flake8_nnx_rng.interpreter.tests import EXTRAS_PATH
from flake8_nnx_rng.interpreter.values import (
    NONE,
    Arguments,
    Const,
    Function,
    Instance,
    Opaque,
    Value,
    children,
    options,
)
from flake8_nnx_rng.knowledge.children import STATELESS, Promise
from flake8_nnx_rng.project import ClassInfo, Hierarchy

CARRY = Opaque(frozenset({Entry.CARRY}), "state")
INPUT = Opaque(frozenset({Entry.INPUT}), "x")
EXTRAS = Opaque(frozenset({Entry.EXTRAS}), EXTRAS_PATH)


@dataclass(frozen=True)
class Audit:
    """What the two passes of PPO do to the keys of one class.

    Attributes:
        cls: The class.
        is_sampler: Whether it is an `ActionSampler`.
        rollout: Events of a pass without `rollout_extras`.
        replay: Events of a pass with them.
        is_complete: False if a pass was too long to follow to its end.
    """

    cls: ClassInfo
    is_sampler: bool
    rollout: tuple[Event, ...] = field(repr=False)
    replay: tuple[Event, ...] = field(repr=False)
    is_complete: bool = True

    def events(self) -> Iterator[Event]:
        """The events of both passes."""
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
    if hierarchy.defines(cls, ENTRY):
        passes = audit(cls, hierarchy)
        extras = promises.extras_of(passes.rollout, passes.replay)
    if hierarchy.defines(cls, "initialize_state"):
        carry = promises.carry_of(_initial_state(cls, hierarchy))
    return Promise(extras, carry)


def _initial_state(cls: ClassInfo, hierarchy: Hierarchy) -> Value:
    it, instance = _machine(cls, hierarchy)
    try:
        _construct(it, instance)
        it.recording = False
        seed = attributes.attribute(it, instance, "initialize_state", cls.node)
        return it.call(seed, Arguments((Opaque(),)), cls.node)
    except BudgetError:
        return Opaque()


def _machine(cls: ClassInfo, hierarchy: Hierarchy) -> tuple[Interpreter, Instance]:
    it = Interpreter(hierarchy, EXPRESSIONS, STATEMENTS, CALLEES, attributes.attribute)
    it.promise = partial(promise_of, hierarchy=hierarchy)
    instance = Instance(cls, it.identity(cls), "self")
    it.frames.append(Frame(it.identity("audit", cls), cls.scope, receiver=instance))
    return it, instance


def audit(cls: ClassInfo, hierarchy: Hierarchy) -> Audit:
    """Interprets both passes of a `StatefulModule`."""
    rollout, whole = _run(cls, hierarchy, NONE)
    replay, also_whole = _run(cls, hierarchy, EXTRAS)
    return Audit(cls, hierarchy.is_sampler(cls), rollout, replay, whole and also_whole)


def _run(cls: ClassInfo, hierarchy: Hierarchy, extras: Value) -> tuple[tuple[Event, ...], bool]:
    it, instance = _machine(cls, hierarchy)
    try:
        _construct(it, instance)
        entry = attributes.member(it, cls, ENTRY)
        if entry is not None:
            for function in options(entry):
                bound = attributes.bind(it, function, instance, cls.node)
                arguments = _entry_arguments(it, bound, _carry(it, instance), extras)
                value = it.call(bound, arguments, cls.node)
                if isinstance(function, Function) and isinstance(function.node, cst.Lambda):
                    it.emit(Returned(it.site(function.node), value))
    except BudgetError:
        return tuple(it.events.values()), False
    return tuple(it.events.values()), True


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
        elif (ref, name) != OBJECTS_VERSION and not isinstance(value, Const):
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


def _carry(it: Interpreter, instance: Instance) -> Value:
    """The state that PPO hands in: never None, unless `initialize_state` may return it."""
    it.recording = False
    initial = attributes.attribute(it, instance, "initialize_state", instance.cls.node)
    value = it.call(initial, Arguments((Opaque(),)), instance.cls.node)
    it.recording = True
    return join(NONE, CARRY) if NONE in options(value) else CARRY


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
