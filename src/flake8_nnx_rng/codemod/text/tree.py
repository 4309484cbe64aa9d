"""Files as one tree with the way up: parents, enclosing functions, and places in the text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import TypeVar

import libcst as cst

from flake8_nnx_rng.knowledge import library
from flake8_nnx_rng.project import ClassInfo, ExternalSymbol, Scope, SourceFile, dotted_names

AnyFunction = cst.FunctionDef | cst.Lambda
Node = TypeVar("Node", bound=cst.CSTNode)

_CALLABLES = (cst.FunctionDef, cst.Lambda)

_SPACE = (cst.BaseParenthesizableWhitespace, cst.EmptyLine, cst.TrailingWhitespace, cst.Newline)

_BETWEEN = "\0\n"
"""Stands between two files; no Python source holds it."""


@dataclass(eq=False)
class Tree:
    """What the codemod asks of files that are rewritten together, as if they were one text.

    Attributes:
        files: The files.
    """

    files: tuple[SourceFile, ...]
    _parents: dict[cst.CSTNode, cst.CSTNode] = field(default_factory=dict, init=False, repr=False)
    _children: dict[cst.CSTNode, tuple[cst.CSTNode, ...]] = field(
        default_factory=dict, init=False, repr=False
    )

    def __post_init__(self) -> None:
        pending: list[cst.CSTNode] = [file.module for file in self.files]
        while pending:
            node = pending.pop()
            children = self._children[node] = _children_of(node)
            for child in children:
                self._parents[child] = node
            pending.extend(children)

    @cached_property
    def text(self) -> str:
        """The texts of all files, each with a newline at its end."""
        return _BETWEEN.join(ended(file.document.text) for file in self.files)

    def texts(self, result: str) -> dict[SourceFile, str]:
        """What a changed text of all files says for each."""
        pieces = zip(self.files, result.split(_BETWEEN), strict=True)
        return {
            file: text
            if ended(file.document.text) == file.document.text
            else text.removesuffix("\n")
            for file, text in pieces
        }

    def extent(self, file: SourceFile) -> tuple[int, int]:
        """Where the text of a file starts and ends."""
        start = self._starts[file.module]
        return start, start + len(ended(file.document.text))

    def file_of(self, node: cst.CSTNode) -> SourceFile:
        """The file that a node is part of."""
        root = node
        while root in self._parents:
            root = self._parents[root]
        return self._by_module[root]

    def class_of(self, node: cst.ClassDef) -> ClassInfo:
        """The class that a definition makes."""
        return self.file_of(node).class_of(node)

    def parent(self, node: cst.CSTNode) -> cst.CSTNode:
        """The node around a node."""
        return self._parents[node]

    def children(self, node: cst.CSTNode) -> tuple[cst.CSTNode, ...]:
        """The nodes in a node, white space aside, in the order of the text."""
        found = self._children.get(node)  # those of another file are made anew
        return _children_of(node) if found is None else found

    def above(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """The nodes around a node, the innermost first."""
        while node in self._parents:
            node = self._parents[node]
            yield node

    def around(self, node: cst.CSTNode, kind: type[Node]) -> Node | None:
        """The innermost node of a kind around a node."""
        return next((above for above in self.above(node) if isinstance(above, kind)), None)

    def function(self, node: cst.CSTNode) -> AnyFunction | None:
        """The function in whose body a node stands; of a default or decorator the one outside."""
        below = node
        for above in self.above(node):
            if isinstance(above, _CALLABLES) and below is above.body:
                return above
            below = above
        return None

    def statement(self, node: cst.CSTNode) -> cst.CSTNode:
        """The line or compound statement that a node is part of."""
        if isinstance(node, cst.BaseStatement):
            return node
        return next(above for above in self.above(node) if isinstance(above, cst.BaseStatement))

    def holds(self, node: cst.CSTNode) -> bool:
        """Whether a node is part of these files."""
        return node in self._parents or node in self._by_module

    def is_within(self, node: cst.CSTNode, outer: cst.CSTNode) -> bool:
        """Whether a node is another one or stands inside of it."""
        return node is outer or any(above is outer for above in self.above(node))

    def every(self, kind: type[Node]) -> Iterator[Node]:
        """The nodes of a kind in all files, in the order of the text."""
        for file in self.files:
            yield from self.walk(file.module, kind)

    def walk(self, root: cst.CSTNode, kind: type[Node]) -> Iterator[Node]:
        """The nodes of a kind in a tree, in the order of the text."""
        pending = [root]
        while pending:
            node = pending.pop()
            if isinstance(node, kind):
                yield node
            pending.extend(reversed(self.children(node)))

    def nodes(self, function: AnyFunction) -> Iterator[cst.CSTNode]:
        """All nodes in a function's body that stand in no function inside of it."""
        pending: list[cst.CSTNode] = [function.body]
        while pending:
            node = pending.pop()
            yield node
            if not isinstance(node, _CALLABLES):
                pending.extend(reversed(self.children(node)))

    def own(self, function: AnyFunction, kind: type[Node]) -> Iterator[Node]:
        """The nodes of a kind in a function's body that stand in no function inside of it."""
        for node in self.walk(function.body, kind):
            if self.function(node) is function:
                yield node

    def scope(self, node: cst.CSTNode) -> Scope:
        """Where the names at a node are looked up."""
        for above in self.above(node):
            if isinstance(above, cst.FunctionDef):
                return self.file_of(above).scope_of(above)
            if isinstance(above, cst.ClassDef):
                return self.class_of(above).scope
        return self.file_of(node).scope

    def canonical(self, node: cst.CSTNode) -> str:
        """What a name of a library stands for, such as `jax.random.normal`; "" if nothing does."""
        if not isinstance(node, (cst.Name, cst.Attribute)):
            return ""
        found = {
            library.canonical(symbol.name) if isinstance(symbol, ExternalSymbol) else ""
            for symbol, _ in dotted_names(node, self.scope(node))
        }
        return found.pop() if len(found) == 1 else ""

    def span(self, node: cst.CSTNode) -> tuple[int, int]:
        """Where a node starts and ends, its parentheses included, in code points of the text."""
        file = self.file_of(node)
        span, lines = file.positions.span(node), self._lines[file.module]
        start = lines[span.line - 1] + span.column
        end = lines[span.end_line - 1] + span.end_column
        for _ in node.lpar if isinstance(node, cst.BaseExpression) else ():
            start, end = self.text.rindex("(", 0, start), self.text.index(")", end) + 1
        return start, end

    def code(self, node: cst.CSTNode) -> str:
        """The text of a node."""
        start, end = self.span(node)
        return self.text[start:end]

    def item(self, node: cst.CSTNode, text: str) -> str:
        """A text for a node, as an item of a tuple."""
        is_bare = isinstance(node, cst.Tuple) and not node.lpar
        return f"({text})" if is_bare else text

    def line_start(self, offset: int) -> int:
        """Where the line of a place starts."""
        return self.text.rfind("\n", 0, offset) + 1

    def line_end(self, offset: int) -> int:
        """Where the line after that of a place starts."""
        return self.text.index("\n", offset) + 1

    def lines(self, node: cst.CSTNode) -> tuple[int, int]:
        """Where the lines of a node start and end."""
        start, end = self.span(node)
        return self.line_start(start), self.line_end(end)

    def indentation(self, offset: int) -> str:
        """The white space in front of the line of a place."""
        start = self.line_start(offset)
        line = self.text[start:]
        return line[: len(line) - len(line.lstrip(" \t"))]

    @cached_property
    def _by_module(self) -> dict[cst.CSTNode, SourceFile]:
        return {file.module: file for file in self.files}

    @cached_property
    def _starts(self) -> dict[cst.CSTNode, int]:
        lengths = (len(ended(file.document.text)) + len(_BETWEEN) for file in self.files)
        return dict(zip(self._by_module, accumulate(lengths, initial=0), strict=False))

    @cached_property
    def _lines(self) -> dict[cst.CSTNode, list[int]]:
        """Where the lines of each file start."""
        return {
            file.module: list(
                accumulate(
                    (len(line) + 1 for line in file.document.text.split("\n")),
                    initial=self._starts[file.module],
                )
            )
            for file in self.files
        }


def _children_of(node: cst.CSTNode) -> tuple[cst.CSTNode, ...]:
    return tuple(child for child in node.children if not isinstance(child, _SPACE))


def ended(text: str) -> str:
    """A text with a newline at its end, so that a line can be added behind the last one."""
    return text if text.endswith("\n") else f"{text}\n"


def parameters_of(function: AnyFunction) -> list[cst.Param]:
    """The parameters that take a value by position."""
    return [*function.params.posonly_params, *function.params.params]


def all_parameters(function: AnyFunction) -> list[cst.Param]:
    """Every parameter."""
    found = [*parameters_of(function), *function.params.kwonly_params]
    stars = (function.params.star_arg, function.params.star_kwarg)
    return [*found, *(star for star in stars if isinstance(star, cst.Param))]


def is_decorated(function: AnyFunction, name: str) -> bool:
    """Whether a function has a decorator that is no more than a name."""
    return isinstance(function, cst.FunctionDef) and any(
        isinstance(one.decorator, cst.Name) and one.decorator.value == name
        for one in function.decorators
    )
