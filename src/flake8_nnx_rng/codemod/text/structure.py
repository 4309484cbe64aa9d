"""The parts of a state as a method writes them down: the keys of a dict, the items of a tuple."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from flake8_nnx_rng.codemod.text.tree import AnyFunction, Tree
from flake8_nnx_rng.interpreter.carry import ROOT


def parts_of(
    node: cst.BaseExpression, path: str = ROOT
) -> Iterator[tuple[str, cst.BaseExpression]]:
    """The leaves of a literal state, with their paths as the carry has them."""
    match node:
        case cst.Dict(elements) if all(isinstance(e, cst.DictElement) for e in elements):
            for element in elements:
                key = element.key if isinstance(element, cst.DictElement) else None
                if isinstance(key, cst.SimpleString):
                    yield from parts_of(element.value, f"{path}[{key.evaluated_value!r}]")
        case cst.Tuple(elements) | cst.List(elements):
            for index, item in enumerate(elements):
                yield from parts_of(item.value, f"{path}[{index}]")
        case cst.IfExp(body=body, orelse=orelse):
            yield from parts_of(body, path)
            yield from parts_of(orelse, path)
        case _:
            yield path, node


def assigning(target: str, function: AnyFunction, tree: Tree) -> Iterator[cst.Assign]:
    """The statements of a function that assign to a name, or to an attribute as it is written."""
    for assign in tree.own(function, cst.Assign):
        if any(tree.code(one.target) == target for one in assign.targets):
            yield assign


def resolved(node: cst.BaseExpression, function: cst.FunctionDef, tree: Tree) -> cst.BaseExpression:
    """What a name was assigned, if that is one literal."""
    if isinstance(node, cst.Name):
        values = [assign.value for assign in assigning(node.value, function, tree)]
        if len(values) == 1 and isinstance(values[0], (cst.Dict, cst.Tuple)):
            return values[0]
    return node


def within(name: str, path: str, quote: str) -> str:
    """A part of the carry, in a method that calls the carry by a name.

    >>> within("prev_state", "state['key']", '"')
    'prev_state["key"]'
    """
    return name + path.removeprefix(ROOT).replace("'", quote)


def quote_of(text: str) -> str:
    """The quotation mark that a text prefers."""
    return "'" if text.count("'") > text.count('"') else '"'
