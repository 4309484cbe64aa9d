"""Builds a module: its constructor runs, and what it leaves is marked as held by the module."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from flake8_nnx_rng.interpreter import inheritance, objects
from flake8_nnx_rng.interpreter.engine import Interpreter
from flake8_nnx_rng.interpreter.joins import held
from flake8_nnx_rng.interpreter.taint import Held
from flake8_nnx_rng.interpreter.values import (
    Arguments,
    Const,
    Function,
    Instance,
    Opaque,
    Stream,
    Value,
    children,
    options,
)
from flake8_nnx_rng.knowledge import streams


def construct(it: Interpreter, instance: Instance) -> None:
    """Runs the constructor, then marks what it left as held by the module."""
    it.recording = False
    initializer = inheritance.member(it, instance.cls, "__init__")
    if initializer is not None:
        for function in options(initializer):
            if isinstance(function, Function):
                bound = inheritance.bind(it, function, instance, instance.cls.node)
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
        tuple(_argument(p) for p in ordered),
        tuple((p.name.value, _argument(p)) for p in parameters.kwonly_params),
        _held("arguments") if parameters.star_kwarg or parameters.star_arg else None,
    )


def _argument(parameter: cst.Param) -> Value:
    """What a parameter is given: streams where it is called so and no type is declared."""
    name = parameter.name.value
    if name == streams.USUAL_NAME and parameter.annotation is None:
        return Stream(frozenset({Held(name)}), name)
    return _held(name)


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
    return path if name == inheritance.LIBRARY_PART else f"{path}.{name}"


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
