"""Edits of a module's source that fail loudly where they do not apply."""

from __future__ import annotations

import ast
import functools
import textwrap


class NotApplicableError(Exception):
    """The source has no place for the edit."""


def replaced(source: str, cls: str, *changes: tuple[str, str]) -> str:
    """The source with texts replaced inside of a class, each wherever it stands there.

    Raises:
        NotApplicableError: If the class does not contain one of them.
    """
    start, end = _extent(_class(_tree(source), cls))
    lines = source.splitlines(keepends=True)
    body = "".join(lines[start:end])
    for old, new in changes:
        if old not in body:
            raise NotApplicableError(f"{cls} has no {old!r}")
        body = body.replace(old, new)
    return "".join(lines[:start]) + body + "".join(lines[end:])


def with_first_lines(source: str, cls: str, method: str, code: str) -> str:
    """The source with statements before those of a method, behind its docstring."""
    function = _method(source, cls, method)
    first = function.body[0]
    has_docstring = ast.get_docstring(function) is not None
    line = first.end_lineno if has_docstring else first.lineno - 1
    assert line is not None
    return _inserted(source, line, textwrap.indent(textwrap.dedent(code), 8 * " "))


def with_last_lines(source: str, cls: str, method: str, code: str) -> str:
    """The source with statements behind those of a method."""
    line = _method(source, cls, method).end_lineno
    assert line is not None
    return _inserted(source, line, textwrap.indent(textwrap.dedent(code), 8 * " "))


def with_member(source: str, cls: str, code: str) -> str:
    """The source with one more member of a class, in front of its methods."""
    node = _class(_tree(source), cls)
    method = next(item for item in node.body if isinstance(item, ast.FunctionDef))
    first = min([method.lineno, *(decorator.lineno for decorator in method.decorator_list)])
    code = textwrap.indent(textwrap.dedent(code).strip("\n"), 4 * " ") + "\n\n"
    return _inserted(source, first - 1, code)


def with_top(source: str, cls: str, code: str) -> str:
    """The source with statements in front of a class."""
    return _inserted(source, _extent(_class(_tree(source), cls))[0], textwrap.dedent(code))


def input_of(source: str, cls: str) -> str:
    """The name of the observation in a class's forward pass."""
    return _method(source, cls, "__call__").args.args[2].arg


@functools.lru_cache(maxsize=16)
def _tree(source: str) -> ast.Module:
    return ast.parse(source)


def _inserted(source: str, line: int, code: str) -> str:
    lines = source.splitlines(keepends=True)
    return "".join([*lines[:line], code.rstrip("\n") + "\n" if code.strip() else "", *lines[line:]])


def _class(tree: ast.Module, name: str) -> ast.ClassDef:
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            return node
    raise NotApplicableError(f"no class {name}")


def _extent(node: ast.ClassDef) -> tuple[int, int]:
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    assert node.end_lineno is not None
    return first - 1, node.end_lineno


def _method(source: str, cls: str, name: str) -> ast.FunctionDef:
    for node in _class(_tree(source), cls).body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return node
    raise NotApplicableError(f"{cls} has no {name}")
