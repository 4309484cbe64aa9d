"""A function of one env's row, and what it is mapped over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from flake8_nnx_rng.codemod.text.names import fresh


@dataclass(eq=False)
class Mapping:
    """Collects what a mapped function is called with.

    Attributes:
        taken: Names that the function's body uses for other things.
    """

    taken: set[str]
    _rows: dict[str, str] = field(default_factory=dict, init=False)

    def row_of(self, text: str, hint: str) -> str:
        """What the function calls its row of an expression."""
        if text not in self._rows:
            self._rows[text] = fresh(hint, {*self.taken, *self._rows.values(), self.key})
        return self._rows[text]

    @property
    def key(self) -> str:
        """What the function calls its key."""
        return fresh("k", self.taken)

    @property
    def rows(self) -> Sequence[str]:
        """What the function calls its rows."""
        return list(self._rows.values())

    @property
    def given(self) -> Sequence[str]:
        """What it is mapped over beside the keys."""
        return list(self._rows)

    def call(self, jax: str, body: str, keys: str) -> str:
        """The call of the mapped function."""
        parameters = ", ".join([self.key, *self._rows.values()])
        return f"{jax}.vmap(lambda {parameters}: {body})({', '.join([keys, *self._rows])})"
