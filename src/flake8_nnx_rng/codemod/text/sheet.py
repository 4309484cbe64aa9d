"""A text and the changes made to it so far, so that an outer change keeps the inner ones."""

from __future__ import annotations

from dataclasses import dataclass, field

from flake8_nnx_rng.source import Edit, applied


@dataclass(eq=False)
class Sheet:
    """Collects edits of one text.

    Attributes:
        text: The text before all edits.
    """

    text: str
    _edits: list[Edit] = field(default_factory=list, init=False)

    @property
    def edits(self) -> tuple[Edit, ...]:
        """What was changed, in order; insertions at one place in the order in which they came."""
        return tuple(sorted(self._edits, key=lambda edit: (edit.start, edit.end)))

    @property
    def result(self) -> str:
        """The text after all edits."""
        return self.between(0, len(self.text))

    def copy(self) -> Sheet:
        """The same text with the same changes."""
        other = Sheet(self.text)
        other._edits = list(self._edits)
        return other

    def between(self, start: int, end: int) -> str:
        """A piece of the text as it is by now."""
        inside = (e for e in self.edits if start <= e.start and e.end <= end)
        return applied(self.text, inside, start, end)

    def replace(self, start: int, end: int, text: str) -> None:
        """Puts a text in a piece's place; changes inside of the piece go with it."""
        self._edits = [e for e in self._edits if not (start <= e.start and e.end <= end)]
        self._edits.append(Edit(start, end, text))

    def insert(self, at: int, text: str) -> None:
        """Adds a text between two characters, behind what was inserted there before."""
        self._edits.append(Edit(at, at, text))
