"""What a compiled function is specialised to."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import jax

T = TypeVar("T")


class Static(Generic[T]):
    """An object as a static argument: equal only to itself, whatever its own `__eq__` says.

    So an environment need not be hashable, and the cache of compiled functions keeps it alive.
    """

    def __init__(self, value: T) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Static) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)


@jax.tree_util.register_static
class Definition:
    """An NNX module's structure and plain attributes; static, also as a part of a PyTree.

    Plain attributes need not be hashable: some layers keep dicts.
    """

    def __init__(self, graph: Any) -> None:
        self.graph = graph

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Definition) and bool(self.graph == other.graph)

    def __hash__(self) -> int:
        return hash(len(self.graph.nodes))
