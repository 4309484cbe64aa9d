"""The lines that make keys, where a block begins or a comprehension counts its rounds."""

from __future__ import annotations

import libcst as cst

from flake8_nnx_rng.codemod.envs.loops import loops_of, uncounted
from flake8_nnx_rng.codemod.keys.needs import Folded, Opening
from flake8_nnx_rng.codemod.state.carry import Carry
from flake8_nnx_rng.codemod.text.blocks import opening_of
from flake8_nnx_rng.codemod.text.imports import JAX, name_of_jax
from flake8_nnx_rng.codemod.text.names import fresh
from flake8_nnx_rng.codemod.text.sheet import Sheet
from flake8_nnx_rng.codemod.text.tree import Tree


def split_line(names: list[str], source: str, jax: str, *, is_row: bool) -> str:
    """A statement that splits a key, or the key of each env, as many ways as there are names.

    >>> split_line(["key", "use"], "key", "jax", is_row=False)
    'key, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(key)'
    """
    number = "" if len(names) == 2 else f", {len(names)}"
    if is_row:
        return f"{', '.join(names)} = {jax}.random.split({source}{number})"
    split = f"{jax}.vmap(lambda k: tuple({jax}.random.split(k{number})))"
    return f"{', '.join(names)} = {split}({source})"


def write_opening(
    opening: Opening, carry: Carry | None, jax: str, tree: Tree, sheet: Sheet
) -> None:
    """Makes the keys of a block."""
    names, source = list(opening.names), opening.carry
    if source is None:
        assert carry is not None
        source = carry.keys
        names.insert(0, carry.following)
    elif opening.goes_on:
        names.insert(0, source)
    assert not isinstance(opening.block, cst.Lambda)
    line = split_line(names, source, jax, is_row=opening.is_row)
    opening_of(opening.block, tree, sheet).insert(line)


def folded_key(name: str, folded: Folded, jax: str, *, is_row: bool) -> str:
    """A key, or the key of each env, with the number of the round folded into it."""
    if is_row:
        return f"{jax}.random.fold_in({name}, {folded.index})"
    one = fresh("k", {folded.index})
    return f"{jax}.vmap(lambda {one}: {jax}.random.fold_in({one}, {folded.index}))({name})"


def write_count(folded: Folded, tree: Tree, sheet: Sheet) -> None:
    """Counts the rounds of a comprehension, or of a scan through nothing."""
    if not isinstance(folded.clause, cst.CompFor):
        for call, loop in loops_of(folded.clause, tree):
            found = uncounted(call, tree) if loop.has_outputs else None
            if found is not None:
                jax = name_of_jax(tree) or JAX
                sheet.replace(*tree.span(found[0]), f"{jax}.numpy.arange({tree.code(found[1])})")
        return
    target, source = folded.clause.target, folded.clause.iter
    start, end = tree.span(target)
    text = tree.item(target, sheet.between(start, end))
    sheet.replace(start, end, f"{folded.index}, {text}")
    start, end = tree.span(source)
    sheet.replace(start, end, f"enumerate({sheet.between(start, end)})")
