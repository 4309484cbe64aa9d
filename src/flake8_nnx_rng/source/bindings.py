"""What a module binds its names to, as far as imports go; read from `ast`, without libcst."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from flake8_nnx_rng.source.document import Document, SourceError
from flake8_nnx_rng.source.prefilter import deepest_line, statements

STAR = "*"
"""Under this name a module keeps the modules that it imports with a star."""

DEFINED = ""
"""What a name is bound to that the module itself defines: no import has an empty name."""

Bound = dict[str, tuple[str, ...]]


@dataclass(frozen=True, eq=False)
class Outline:
    """The names of a module.

    Attributes:
        bound: For each name of the module, the full names that it may be imported from, relative
            ones with their leading dots, and `DEFINED`; under `STAR` the modules that are
            imported with a star.
        imported: The same for the imports at any depth, in functions and classes too.
        made_of: For the classes and assignments at any depth, the dotted names of their bases
            or of their value.
        bases: The dotted names of the bases of all classes.
    """

    bound: Bound = field(default_factory=dict)
    imported: Bound = field(default_factory=dict)
    made_of: Bound = field(default_factory=dict)
    bases: tuple[str, ...] = ()

    @classmethod
    def of(cls, tree: ast.Module) -> Outline:
        """The outline of a syntax tree."""
        imported: Bound = {}
        made_of: Bound = {}
        for statement in statements(tree):
            for name, origins in imports_of(statement).items():
                imported[name] = (*imported.get(name, ()), *origins)
            for name, parts in _parts(statement).items():
                made_of[name] = (*made_of.get(name, ()), *parts)
        classes = (node for node in statements(tree) if isinstance(node, ast.ClassDef))
        bases = tuple(name for node in classes for name in _dotted_in(node.bases))
        return cls(_bound(tree.body), imported, made_of, bases)


@lru_cache(maxsize=512)
def outline_of(document: Document) -> Outline | None:
    """The outline of a file, or None if it is not valid Python or nests too deeply."""
    try:
        tree = document.syntax_tree()
    except SourceError:
        return None
    return Outline.of(tree) if deepest_line(tree, document.text) is None else None


def _bound(body: Iterable[ast.stmt]) -> Bound:
    """A later binding replaces an earlier one; the arms of a branch are alternatives."""
    bound: Bound = {}
    for statement in body:
        blocks = list(_blocks(statement))
        new = imports_of(statement) or dict.fromkeys(_defined(statement), (DEFINED,))
        for block in blocks:
            for name, origins in _bound(block).items():
                new[name] = (*new.get(name, ()), *origins)
        for name, origins in new.items():
            keeps = blocks or name == STAR or name in _parts(statement).get(name, ())
            bound[name] = tuple(dict.fromkeys((*origins, *(bound.get(name, ()) if keeps else ()))))
    return bound


def imports_of(statement: ast.stmt) -> Bound:
    """The names that an import binds and the full names that they stand for."""
    if isinstance(statement, ast.Import):
        found: Bound = {}
        for alias in statement.names:
            top = alias.name.partition(".")[0]
            found[alias.asname or top] = (alias.name if alias.asname else top,)
        return found
    if isinstance(statement, ast.ImportFrom):
        module = "." * statement.level + (statement.module or "")
        if statement.names[0].name == STAR:
            return {STAR: (module,)}
        return {a.asname or a.name: (joined(module, a.name),) for a in statement.names}
    return {}


def joined(module: str, *names: str) -> str:
    """A dotted name below a module, which may be nothing but dots."""
    return ("" if module.endswith(".") else ".").join((module, ".".join(names)))


def _blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    """The blocks of a compound statement, functions and classes excepted."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return
    for name in ("body", "orelse", "finalbody"):
        yield from filter(None, [getattr(statement, name, None)])
    for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield part.body


def _defined(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement itself binds, its blocks excepted."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield statement.name
    for target in _targets(statement):
        for node in ast.walk(target):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id


def _targets(statement: ast.stmt) -> Iterator[ast.expr]:
    if isinstance(statement, ast.Assign):
        yield from statement.targets
    elif isinstance(statement, (ast.AnnAssign, ast.For, ast.AsyncFor)):
        yield statement.target
    elif isinstance(statement, (ast.With, ast.AsyncWith)):
        yield from (item.optional_vars for item in statement.items if item.optional_vars)


def _parts(statement: ast.stmt) -> Bound:
    """The dotted names that a class (or one inside it) derives from, or a value consists of."""
    if isinstance(statement, ast.ClassDef):
        inside = (node for node in statements(statement) if isinstance(node, ast.ClassDef))
        bases = [base for node in (statement, *inside) for base in node.bases]
        return {statement.name: tuple(_dotted_in(bases))}
    if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is not None:
        return dict.fromkeys(_defined(statement), tuple(_dotted_in([statement.value])))
    return {}


def _dotted_in(expressions: Iterable[ast.expr]) -> Iterator[str]:
    for expression in expressions:
        pending: list[ast.AST] = [expression]
        while pending:
            node = pending.pop()
            name = _dotted(node)
            if name is None:
                pending.extend(ast.iter_child_nodes(node))
            else:
                yield name


def _dotted(node: ast.AST) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        inner = _dotted(node.value)
        return None if inner is None else f"{inner}.{node.attr}"
    return None
