"""How the content of a Variable is read."""

from __future__ import annotations

import libcst as cst

from flake8_nnx_rng.codemod.text.tree import Tree
from flake8_nnx_rng.knowledge.streams import READ_METHODS, VALUE_ATTRIBUTES


def content_of(node: cst.BaseExpression, tree: Tree) -> cst.BaseExpression:
    """The whole expression that reads what a Variable holds; the node itself if none does."""
    while True:
        parent = tree.parent(node)
        match parent:
            case cst.Attribute(_, cst.Name(name)) if name in VALUE_ATTRIBUTES | READ_METHODS:
                node = parent
            case cst.Subscript() if parent.value is node:
                node = parent
            case cst.Call(func) if func is node:
                node = parent
            case _:
                return node
