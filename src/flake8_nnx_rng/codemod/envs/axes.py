"""The axes over which `jax.vmap` and its like map a function."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from flake8_nnx_rng.codemod.envs.kinds import literal_int
from flake8_nnx_rng.codemod.text.tree import Tree
from flake8_nnx_rng.knowledge.functions import MAPS, VECTORIZING
from flake8_nnx_rng.knowledge.streams import ADVANCE_FUNCTIONS

PARTIAL = "functools.partial"
_COLLECTING = frozenset({"builtins.list", "builtins.tuple"})


def map_named(decorator: cst.BaseExpression, tree: Tree) -> str:
    """The map that a decorator is, `partial(jax.vmap, ...)` included; "" if it is none."""
    named = decorator
    if isinstance(named, cst.Call):
        is_partial = bool(named.args) and tree.canonical(named.func) == PARTIAL
        named = named.args[0].value if is_partial else named.func
    name = tree.canonical(named)
    return name if name in MAPS else ""


def splits(decorator: cst.BaseExpression, tree: Tree) -> bool:
    """Whether a decorator splits the streams that a function is given."""
    return isinstance(decorator, cst.Call) and tree.canonical(decorator.func) in ADVANCE_FUNCTIONS


def axes(mapping: cst.BaseExpression, name: str, tree: Tree) -> cst.BaseExpression | None:
    """What a map says for `in_axes` or `out_axes`; None if it leaves them out."""
    if not isinstance(mapping, cst.Call):
        return None
    by_position = ("", "in_axes", "out_axes")
    for index, arg in enumerate(mapping.args):
        position = by_position[index] if index < len(by_position) else ""
        if name == (position if arg.keyword is None else arg.keyword.value):
            return arg.value
    return None


def axis_of(mapping: cst.BaseExpression, index: int, tree: Tree) -> cst.BaseExpression | int:
    """The axis of an argument: a number if it is one, or else what is written."""
    given = axes(mapping, "in_axes", tree)
    if isinstance(given, (cst.Tuple, cst.List)):
        if index >= len(given.elements):
            return given
        given = given.elements[index].value
    number = 0 if given is None else literal_int(given)
    return given if number is None and given is not None else number or 0


def is_plain(mapping: cst.BaseExpression, tree: Tree) -> bool:
    """Whether what a map yields has its rows first, one for each row that goes in."""
    out = axes(mapping, "out_axes", tree)
    return (out is None or literal_int(out) == 0) and map_named(mapping, tree) not in VECTORIZING


def yields_several(mapping: cst.BaseExpression, tree: Tree) -> bool:
    """Whether a mapped lambda returns a tuple, so that the map yields one of arrays."""
    first = mapping.args[0].value if isinstance(mapping, cst.Call) and mapping.args else None
    match first:
        case cst.Lambda(body=cst.Tuple() | cst.List()):
            return True
        case cst.Lambda(body=cst.Call(func=func)):
            return tree.canonical(func) in _COLLECTING
        case _:
            return False


def mapped_first(call: cst.Call, mapping: cst.BaseExpression, tree: Tree) -> Iterator[cst.Arg]:
    """The arguments of a mapped call of which the first axis is mapped over."""
    for index, arg in enumerate(call.args):
        if not arg.star and (arg.keyword is not None or axis_of(mapping, index, tree) == 0):
            yield arg
