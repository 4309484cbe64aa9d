"""Positions of concrete nodes, computed once and only for a file with something to report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import libcst
    from libcst.metadata import CodeRange


@dataclass(frozen=True, order=True)
class Span:
    """A range of source text.

    Lines count from 1, columns from 0 in code points; the end is exclusive.
    """

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass
class Positions:
    """Spans of the nodes of one concrete tree, in the text that it was parsed from."""

    module: libcst.Module = field(repr=False)
    text: str = field(repr=False)

    @cached_property
    def _ranges(self) -> Mapping[libcst.CSTNode, CodeRange]:
        from libcst.metadata import MetadataWrapper, PositionProvider

        class Wrapper(MetadataWrapper):
            """Does not walk through the tree for the visitors that there are none of."""

            def visit_batched(
                self, visitors: Iterable[libcst.BatchableCSTVisitor], *hooks: Any, **named: Any
            ) -> libcst.CSTNode:
                some = list(visitors)
                return super().visit_batched(some, *hooks, **named) if some else self.module

        # The tree was parsed by us and is never edited in place, so no defensive copy is needed.
        wrapper = Wrapper(self.module, unsafe_skip_copy=True)
        try:
            return wrapper.resolve(PositionProvider)
        except KeyError as error:
            # On the way out of a tree that an interrupt, or too deep a stack, leaves half done,
            # libcst looks for positions that are not there yet.
            raise _first(error) from None

    def span(self, node: libcst.CSTNode) -> Span:
        """Where a node of this tree stands, without its surrounding white space."""
        found = self._ranges[node]
        start, end = found.start, found.end
        return Span(
            start.line,
            start.column + self._dropped(start.line),
            end.line,
            end.column + self._dropped(end.line),
        )

    def _dropped(self, line: int) -> int:
        """Form feeds in front of a line that libcst leaves out and everybody else counts."""
        if "\f" not in self.text:
            return 0
        text, code = self._lines[line - 1], self._code_lines[line - 1]
        return len(text) - len(code) if text.endswith(code) else 0

    @cached_property
    def _lines(self) -> list[str]:
        return self.text.split("\n")

    @cached_property
    def _code_lines(self) -> list[str]:
        return self.module.code.split("\n")


def _first(error: BaseException) -> BaseException:
    """The exception that was on its way when others came."""
    while error.__context__ is not None:
        error = error.__context__
    return error
