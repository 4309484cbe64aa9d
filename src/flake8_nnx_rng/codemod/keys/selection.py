"""What of the faults is rewritten, what is taken away with it, and what every place needs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import libcst as cst

from flake8_nnx_rng.codemod.keys.consumers import named_argument
from flake8_nnx_rng.codemod.keys.faults import Faults, Form, Site
from flake8_nnx_rng.codemod.keys.needs import Need
from flake8_nnx_rng.codemod.keys.statements import (
    Bound,
    bound_by,
    captured_by,
    dead_names,
    remove_line,
    removed_lines,
    unwrap,
)
from flake8_nnx_rng.codemod.keys.threads import Weaver
from flake8_nnx_rng.codemod.refusal import RefusedError
from flake8_nnx_rng.codemod.text.sheet import Sheet
from flake8_nnx_rng.codemod.text.tree import AnyFunction, Tree
from flake8_nnx_rng.knowledge.keys import PREFIX

_FOLD = f"{PREFIX}fold_in"


@dataclass(frozen=True)
class Selection:
    """The plan.

    Attributes:
        sites: What draws, and stays.
        consumers: What takes keys, and stays.
        lines: Statements that go.
        kept: Statements that bind new keys to names that have other values elsewhere.
        wraps: Statements of which only the body stays.
        dead: The pieces of the text that go.
        needs: What each place needs.
    """

    sites: tuple[Site, ...]
    consumers: tuple[cst.Call, ...]
    lines: tuple[cst.CSTNode, ...]
    kept: tuple[Bound, ...]
    wraps: tuple[cst.With, ...]
    dead: tuple[tuple[int, int], ...]
    needs: tuple[Need, ...]


def select(faults: Faults, weaver: Weaver) -> Selection:
    """The plan for some faults.

    Raises:
        RefusedError: Something has to go that is needed.
    """
    tree = weaver.tree
    sites = [captured_by(site, weaver) or site for site in faults.sites]
    bound = [one for site in sites if (one := _bound(site, faults, tree)) is not None]
    dead = [span for site in sites if (span := _dead_part(site, tree)) is not None]
    lines = removed_lines(faults, bound, dead, tree)
    sites = [site for site in sites if not _is_in(site.node, lines, tree)]
    dead += [tree.span(line) for line in lines]
    lines += dead_names(_functions(faults, tree), dead, tree)
    sites = [site for site in sites if not _is_in(site.node, lines, tree)]
    consumers = [call for call in faults.consumers if not _is_in(call, lines, tree)]
    _check_counters(faults, lines, tree)
    named = {one.site.node for one in bound}
    needs = [
        Need(one.site.node, (None,) * len(one.names) if one.is_kept else one.names) for one in bound
    ]
    needs += [Need(site.node) for site in sites if site.node not in named]
    kept = tuple(one for one in bound if one.is_kept)
    if not needs:
        _check_reads(faults, lines, tree)
    return Selection(
        tuple(sites),
        tuple(consumers),
        tuple(line for line in lines if line not in [one.line for one in kept]),
        kept,
        tuple(_wraps(faults, tree)),
        tuple(dead),
        tuple(needs),
    )


def take_away(selection: Selection, tree: Tree, sheet: Sheet) -> None:
    """Removes what goes."""
    for line in selection.lines:
        remove_line(line, tree, sheet)
    for statement in selection.wraps:
        unwrap(statement, tree, sheet)


def _bound(site: Site, faults: Faults, tree: Tree) -> Bound | None:
    function = tree.function(site.node)
    is_nested = function is not None and tree.function(function) is not None
    return None if is_nested else bound_by(site, faults, tree)


def _dead_part(site: Site, tree: Tree) -> tuple[int, int] | None:
    """The part of a site that is not taken over."""
    if site.form is Form.KEY:
        return tree.span(site.node)
    assert isinstance(site.node, cst.Call)
    if site.form is Form.LAYER:
        given = named_argument(site.node, ("rngs",))
        return None if given is None else tree.span(given)
    return tree.span(site.node.func)


def _wraps(faults: Faults, tree: Tree) -> list[cst.With]:
    found: list[cst.With] = []
    for node in faults.gone:
        item = tree.parent(node)
        if isinstance(item, cst.WithItem):
            statement = tree.parent(item)
            assert isinstance(statement, cst.With)
            found.append(statement)
    return found


def _check_counters(faults: Faults, lines: list[cst.CSTNode], tree: Tree) -> None:
    """Sees that other state which goes was only folded into keys."""
    folds = [call for call in faults.consumers if tree.canonical(call.func) == _FOLD]
    for node in faults.counted:
        if not _is_in(node, [*lines, *folds], tree):
            text = " ".join(tree.code(node).split())
            raise RefusedError(f"`{text}` is state that the output depends on")


def _check_reads(faults: Faults, lines: list[cst.CSTNode], tree: Tree) -> None:
    """Sees that no key is read any more of which only the writes are taken away."""
    for node in faults.gone:
        if isinstance(node, cst.Decorator):
            raise RefusedError("streams that a decorator splits are needed by something else")
        function = tree.function(node)
        place = node.func.value if _is_method(node) else node  # type: ignore[attr-defined]
        while isinstance(place, (cst.Subscript, cst.Attribute)) and not _is_plain(place):
            place = place.value
        text = tree.code(place)
        for other in tree.own(function, type(place)) if function is not None else ():
            if tree.code(other) == text and not _is_in(other, lines, tree):
                raise RefusedError(f"`{text}` is read where it is not written any more")


def _is_method(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute)


def _is_plain(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Attribute) and node.attr.value not in ("value", "raw_value")


def _is_in(node: cst.CSTNode, lines: Iterable[cst.CSTNode], tree: Tree) -> bool:
    return any(tree.is_within(node, line) for line in lines)


def _functions(faults: Faults, tree: Tree) -> list[AnyFunction]:
    nodes = [*(site.node for site in faults.sites), *faults.consumers, *faults.gone]
    found = {tree.function(node): None for node in nodes}
    return [function for function in found if function is not None]
