"""What files call `jax`, and the import that one needs if it has no name for it."""

from __future__ import annotations

import libcst as cst

from flake8_nnx_rng.codemod.refusal import RefusedError
from flake8_nnx_rng.codemod.text.blocks import is_text, start_of
from flake8_nnx_rng.codemod.text.sheet import Sheet
from flake8_nnx_rng.codemod.text.tree import Tree
from flake8_nnx_rng.project import ExternalSymbol, SourceFile

JAX = "jax"
_FRAMEWORKS = ("flax", "jax", "nnx_ppo", "numpy")


def name_of_jax(tree: Tree) -> str:
    """The name that the files have for it, or will have.

    Raises:
        RefusedError: Each has another one.
    """
    names = {name for file in tree.files if (name := _name_in(file)) is not None}
    if len(names) > 1:
        raise RefusedError(f"its files call jax {' and '.join(sorted(names))}")
    return names.pop() if names else JAX


def add_imports(tree: Tree, sheet: Sheet) -> None:
    """Imports `jax` where it is used now and has no name."""
    name = name_of_jax(tree)
    for file in tree.files:
        start, end = tree.extent(file)
        new = (edit.text for edit in sheet.edits if start <= edit.start and edit.end <= end)
        if _name_in(file) is None and any(f"{name}." in text for text in new):
            line = f"import {JAX}\n" if name == JAX else f"import {JAX} as {name}\n"
            sheet.insert(_place(file, tree), line)


def _name_in(file: SourceFile) -> str | None:
    for name, symbols in file.scope.bindings.items():
        if symbols == (ExternalSymbol(JAX),):
            return name
    return None


def name_of_nnx(node: cst.CSTNode, tree: Tree) -> str:
    """The name for `flax.nnx` in the file of a node.

    Raises:
        RefusedError: It has none.
    """
    for name, symbols in tree.file_of(node).scope.bindings.items():
        if symbols == (ExternalSymbol("flax.nnx"),):
            return name
    raise RefusedError("the file has no name for flax.nnx")


def _place(file: SourceFile, tree: Tree) -> int:
    """Where an import belongs: among those around that of a framework, sorted as is usual."""
    lines = [
        (line, statement)
        for line in file.module.body
        if isinstance(line, cst.SimpleStatementLine)
        for statement in line.body[:1]
        if isinstance(statement, (cst.Import, cst.ImportFrom))
    ]
    at = [i for i, (_, s) in enumerate(lines) if _module(s, tree).startswith(_FRAMEWORKS)]
    if not at:
        return _behind(lines[-1][0], tree) if lines else _top(file, tree)
    first = last = at[0]
    while first > 0 and _are_adjacent(lines[first - 1][0], lines[first][0], tree):
        first -= 1
    while last + 1 < len(lines) and _are_adjacent(lines[last][0], lines[last + 1][0], tree):
        last += 1
    block = lines[first : last + 1]
    behind = [
        line for line, s in block if isinstance(s, cst.ImportFrom) or _module(s, tree).lower() > JAX
    ]
    if behind:
        return tree.line_start(start_of(behind[0], tree))
    return _behind(block[-1][0], tree)


def _behind(line: cst.CSTNode, tree: Tree) -> int:
    return tree.lines(line)[1]


def _top(file: SourceFile, tree: Tree) -> int:
    """The place in front of the first statement that is no docstring."""
    body = file.module.body
    if is_text(body[0]):
        return _behind(body[0], tree)
    return tree.line_start(start_of(body[0], tree))


def _are_adjacent(line: cst.CSTNode, following: cst.CSTNode, tree: Tree) -> bool:
    """Whether nothing but a line's end stands between two lines."""
    return tree.text[tree.span(line)[1] : tree.span(following)[0]].strip(" ") == "\n"


def _module(statement: cst.Import | cst.ImportFrom, tree: Tree) -> str:
    if isinstance(statement, cst.Import):
        return statement.names[0].evaluated_name
    return "" if statement.module is None else tree.code(statement.module)
