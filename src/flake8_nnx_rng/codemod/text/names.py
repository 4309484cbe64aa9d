"""Names that nothing else has."""

from __future__ import annotations

import keyword
from collections.abc import Collection
from itertools import count

import libcst as cst


def names_in(*nodes: cst.CSTNode) -> set[str]:
    """Every name in some trees, without those of attributes and of keyword arguments."""
    found: set[str] = set()
    pending = list(nodes)
    while pending:
        node = pending.pop()
        match node:
            case cst.Name(name):
                found.add(name)
            case cst.Attribute(value) | cst.Arg(value=value):
                pending.append(value)
            case _:
                pending.extend(node.children)
    return found


def fresh(hint: str, taken: Collection[str]) -> str:
    """The hint, or the first of `hint_2`, `hint_3`, ... that is not taken.

    >>> fresh("use", {"use", "use_2"}), fresh("use", {})
    ('use_3', 'use')
    """
    if hint not in taken and not keyword.iskeyword(hint):
        return hint
    return next(name for n in count(2) if (name := f"{hint}_{n}") not in taken)
