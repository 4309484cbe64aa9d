"""Classes that share a forward pass or a state, and have to change together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import libcst as cst

from flake8_nnx_rng.codemod.refusal import RefusedError
from flake8_nnx_rng.codemod.state.carry import Carry, Kind
from flake8_nnx_rng.codemod.text.tree import Tree
from flake8_nnx_rng.interpreter import Audit
from flake8_nnx_rng.interpreter.functions import ENTRY
from flake8_nnx_rng.knowledge import library
from flake8_nnx_rng.project import ClassInfo, Hierarchy


def entries_of(audits: Sequence[Audit]) -> dict[cst.FunctionDef, Audit]:
    """The forward passes that the classes of a family define.

    Raises:
        RefusedError: They define none.
    """
    found = {entry: audit for audit in audits if (entry := audit.cls.method(ENTRY)) is not None}
    if not found:
        raise RefusedError("its forward pass is that of a base class outside of the project")
    return found


def heirs_of(carry: Carry, audits: Sequence[Audit], hierarchy: Hierarchy) -> Iterator[ClassInfo]:
    """The classes that have their forward pass from the one of a carry."""
    for audit in audits:
        cls = audit.cls
        if cls is not carry.cls and _definer(cls, ENTRY, hierarchy) is carry.cls:
            yield cls


def check_relatives(
    carries: Iterable[Carry], audits: Sequence[Audit], hierarchy: Hierarchy, tree: Tree
) -> None:
    """Sees that no relative is left with a state that its forward pass does not expect.

    Raises:
        RefusedError: One would be.
    """
    changed = {carry.cls: carry for carry in carries}
    for audit in audits:
        cls = audit.cls
        entry = cls.method(ENTRY)
        above = [base for base in hierarchy.mro(cls)[1:] if base in changed]
        if entry is None or not above:
            continue
        calls_super = _calls_super(entry, tree)
        if cls in changed:
            starts = _definer(cls, library.INITIALIZE, hierarchy)
            is_mixed = (
                changed[cls].kind is not Kind.NONE and starts is not cls and starts in changed
            )
            if calls_super or is_mixed:
                raise RefusedError(f"`{cls.name}` and its base both draw, one within the other")
        elif not calls_super and cls.method(library.INITIALIZE) is None:
            base = above[0]
            assert isinstance(base, ClassInfo)
            raise RefusedError(f"`{cls.name}` has the state of `{base.name}` and a pass of its own")


def _definer(cls: ClassInfo, name: str, hierarchy: Hierarchy) -> ClassInfo | None:
    for ancestor in hierarchy.mro(cls):
        if isinstance(ancestor, ClassInfo) and ancestor.member(name):
            return ancestor
    return None


def _calls_super(entry: cst.FunctionDef, tree: Tree) -> bool:
    return any(
        isinstance(call.func, cst.Name) and call.func.value == "super"
        for call in tree.walk(entry.body, cst.Call)
    )
