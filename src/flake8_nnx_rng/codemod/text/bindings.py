"""Where a function binds a name, and where it reads it."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from flake8_nnx_rng.codemod.text.tree import AnyFunction, Tree, all_parameters


def bindings(function: AnyFunction, name: str, tree: Tree) -> Iterator[cst.CSTNode]:
    """The places of a function that bind a name."""
    for parameter in all_parameters(function):
        if parameter.name.value == name:
            yield parameter
    for node in tree.walk(function.body, cst.Name):
        if node.value == name and is_binding(node, tree):
            yield node


def loads(function: AnyFunction, name: str, tree: Tree) -> Iterator[cst.Name]:
    """The places of a function that read a name."""
    for node in tree.walk(function.body, cst.Name):
        if node.value != name or is_binding(node, tree):
            continue
        parent = tree.parent(node)
        if isinstance(parent, cst.Attribute) and parent.attr is node:
            continue
        if isinstance(parent, cst.Arg) and parent.keyword is node:
            continue
        if not isinstance(parent, (cst.Param, cst.FunctionDef, cst.NameItem)):
            yield node


def is_binding(node: cst.Name, tree: Tree) -> bool:
    """Whether a name stands where it is bound."""
    below: cst.CSTNode = node
    for above in tree.above(node):
        match above:
            case cst.AssignTarget() | cst.Del():
                return True
            case cst.AugAssign(target) | cst.AnnAssign(target):
                return target is below
            case cst.For(target) | cst.CompFor(target) | cst.NamedExpr(target):
                return target is below
            case cst.AsName() | cst.FunctionDef():
                return above.name is below
            case cst.Tuple() | cst.List() | cst.Element() | cst.StarredElement():
                below = above
            case _:
                return False
    return False
