"""Decides cheaply whether a file can matter at all.

Only text and the `ast` tree that flake8 hands over are looked at, never libcst.
"""

from __future__ import annotations

import ast
import io
import tokenize

MAX_DEPTH = 400
"""Deepest nesting that is analysed.

libcst's parser recurses in native code and overflows an 8 MB stack at a nesting of some
thousands (libcst 1.9.0, a sum of 10,000 terms); hand-written code stays below a hundred.
"""


def may_matter(text: str, markers: tuple[str, ...]) -> bool:
    """Whether any marker occurs: a file without one cannot name a base class that counts."""
    return any(marker in text for marker in markers)


def may_define_modules(tree: ast.Module) -> bool:
    """Whether any class, however deeply nested in other statements, names a base."""
    return any(isinstance(node, ast.ClassDef) and node.bases for node in statements(tree))


def deepest_line(tree: ast.Module, text: str, limit: int = MAX_DEPTH) -> int | None:
    """The line at which nesting first exceeds the limit, or None.

    Args:
        tree: A syntax tree.
        text: What it was parsed from.
        limit: How deep libcst's tree of the same text may be.
    """
    lines: list[str] = []
    stack: list[tuple[ast.AST, int, int]] = [(tree, 0, 1)]
    while stack:
        node, depth, line = stack.pop()
        line = getattr(node, "lineno", line)
        depth += _flattened(node)
        if isinstance(node, _STRINGS) and _length(node) > limit:
            lines = lines or text.split("\n")
            depth += _pieces(node, lines, limit)
        if depth > limit:
            return line
        stack.extend((child, depth + 1, line) for child in ast.iter_child_nodes(node))
    return None


_STRINGS = (ast.Constant, ast.JoinedStr)
_QUOTES = ("'", '"')


def _flattened(node: ast.AST) -> int:
    """How much deeper libcst nests what `ast` keeps as a list or a dotted name."""
    if isinstance(node, ast.BoolOp):
        return len(node.values)
    if isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        return len(node.generators)
    if isinstance(node, ast.alias):
        return node.name.count(".")
    if isinstance(node, ast.ImportFrom):
        return (node.module or "").count(".")
    return 0


def _length(node: ast.Constant | ast.JoinedStr) -> int:
    """How much text a string may take, roughly; lines count as if they were long."""
    lines = (node.end_lineno or node.lineno) - node.lineno
    return lines * MAX_DEPTH + (node.end_col_offset or 0) - node.col_offset


def _pieces(node: ast.Constant | ast.JoinedStr, lines: list[str], limit: int) -> int:
    """How many literals in a row make up a string, or 0 if they cannot be more than a limit.

    They are counted only where there are quotes enough.
    """
    own = lines[node.lineno - 1 : node.end_lineno]
    if sum(line.count(quote) for line in own for quote in _QUOTES) <= 2 * limit:
        return 0
    own[-1] = own[-1].encode()[: node.end_col_offset].decode()
    own[0] = own[0].encode()[node.col_offset :].decode()
    try:
        return _literals("(" + "\n".join(own) + ")")
    except (tokenize.TokenError, SyntaxError, UnicodeDecodeError):  # its place is not exact
        return limit + 1


def _literals(source: str) -> int:
    """How many literals there are, those inside of others not counted."""
    count = depth = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        kind = tokenize.tok_name[token.type]
        starts = kind.endswith("STRING_START")  # of a string with fields, since Python 3.12
        count += depth == 0 and (starts or kind == "STRING")
        depth += starts - kind.endswith("STRING_END")
    return count


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
