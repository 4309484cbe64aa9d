"""Decides cheaply whether a file can matter at all.

Only text and the `ast` tree that flake8 hands over are looked at, never libcst.
"""

from __future__ import annotations

import ast

MAX_DEPTH = 400
"""Deepest `ast` nesting that is analysed.

libcst's parser recurses in native code and overflows an 8 MB stack at a nesting of some
thousands (libcst 1.9.0, a sum of 10,000 terms); hand-written code stays below a hundred.
"""


def may_matter(text: str, markers: tuple[str, ...]) -> bool:
    """Whether any marker occurs: a file without one cannot name a base class that counts."""
    return any(marker in text for marker in markers)


def may_define_modules(tree: ast.Module) -> bool:
    """Whether any class, however deeply nested in other statements, names a base."""
    return any(isinstance(node, ast.ClassDef) and node.bases for node in statements(tree))


def deepest_line(tree: ast.Module, limit: int = MAX_DEPTH) -> int | None:
    """The line at which nesting first exceeds the limit, or None."""
    stack: list[tuple[ast.AST, int, int]] = [(tree, 0, 1)]
    while stack:
        node, depth, line = stack.pop()
        line = getattr(node, "lineno", line)
        if depth > limit:
            return line
        stack.extend((child, depth + 1, line) for child in ast.iter_child_nodes(node))
    return None


def statements(tree: ast.AST) -> list[ast.stmt]:
    """Every statement in a tree, however deeply nested in other statements."""
    found: list[ast.stmt] = []
    stack: list[ast.AST] = [tree]
    while stack:
        for child in ast.iter_child_nodes(stack.pop()):
            if isinstance(child, ast.stmt):
                found.append(child)
            if isinstance(child, (ast.stmt, ast.ExceptHandler, ast.match_case)):
                stack.append(child)
    return found
