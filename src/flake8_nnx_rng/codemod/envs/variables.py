"""The variables through which a key comes to where it is used."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from flake8_nnx_rng.codemod.envs.references import References, argument_for
from flake8_nnx_rng.codemod.text.bindings import bindings
from flake8_nnx_rng.codemod.text.tree import AnyFunction, Tree, all_parameters, parameters_of
from flake8_nnx_rng.knowledge.functions import MAPS
from flake8_nnx_rng.knowledge.keys import KEY_PARAMETERS, PREFIX


@dataclass(frozen=True)
class Load:
    """A place that reads a key.

    Attributes:
        function: The function in which it stands.
        node: The expression.
    """

    function: AnyFunction
    node: cst.BaseExpression


def key_of(call: cst.Call, tree: Tree) -> cst.BaseExpression | None:
    """The key that a function of `jax.random` is given, directly or by a map over it."""
    is_direct = tree.canonical(call.func).startswith(PREFIX)
    if not is_direct and not _is_map_of_random(call.func, tree):
        return None
    for arg in call.args:
        if arg.keyword is not None and arg.keyword.value in KEY_PARAMETERS:
            return arg.value
    first = call.args[0] if call.args else None
    return first.value if first is not None and first.keyword is None and not first.star else None


def way_of(key: cst.BaseExpression, references: References) -> Iterator[Load]:
    """The places that read a key on its way to a use, from the use outwards."""
    tree = references.tree
    node: cst.BaseExpression | None = key
    while node is not None:
        function = tree.function(node)
        if function is None:
            return
        yield Load(function, node)
        if not isinstance(node, cst.Name):
            return
        node = _given(node, function, references) or _named(node, function, tree)


def _named(name: cst.Name, function: AnyFunction, tree: Tree) -> cst.Name | None:
    """What a name is another name of, if it is bound once, as in `use = key`."""
    bound = list(bindings(function, name.value, tree))
    target = tree.parent(bound[0]) if len(bound) == 1 else None
    match None if target is None else tree.parent(target):
        case cst.Assign([_], cst.Name() as value):
            return value
        case _:
            return None


def _given(
    name: cst.Name, function: AnyFunction, references: References
) -> cst.BaseExpression | None:
    """What the only call of a function gives for a parameter."""
    parameter = next((p for p in all_parameters(function) if p.name.value == name.value), None)
    if parameter is None:
        return None
    found = references.of(function)
    if len(found) != 1 or found[0].call is None:
        return None
    is_bound = references.is_bound(function)
    if is_bound and parameters_of(function)[:1] == [parameter]:
        return None
    return argument_for(function, parameter, found[0].call, is_bound)


def _is_map_of_random(func: cst.BaseExpression, tree: Tree) -> bool:
    return (
        isinstance(func, cst.Call)
        and tree.canonical(func.func) in MAPS
        and bool(func.args)
        and tree.canonical(func.args[0].value).startswith(PREFIX)
    )
