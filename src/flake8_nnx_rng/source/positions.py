"""Positions of concrete nodes, computed once and only for a file with something to report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

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
    """Spans of the nodes of one concrete tree."""

    module: libcst.Module = field(repr=False)

    @cached_property
    def _ranges(self) -> Mapping[libcst.CSTNode, CodeRange]:
        from libcst.metadata import MetadataWrapper, PositionProvider

        # The tree was parsed by us and is never edited in place, so no defensive copy is needed.
        wrapper = MetadataWrapper(self.module, unsafe_skip_copy=True)
        return wrapper.resolve(PositionProvider)

    def span(self, node: libcst.CSTNode) -> Span:
        """Where a node of this tree stands, without its surrounding white space."""
        found = self._ranges[node]
        return Span(found.start.line, found.start.column, found.end.line, found.end.column)
