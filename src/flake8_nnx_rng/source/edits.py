"""Pieces of text and what comes in their place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Edit:
    """A piece of a document's text and what comes in its place.

    Attributes:
        start: Where the piece starts, in code points of `Document.text`.
        end: Where it ends, exclusive; equal to `start` for an insertion.
        text: What comes in its place, with line feeds for line ends.
    """

    start: int
    end: int
    text: str

    @property
    def is_insertion(self) -> bool:
        """Whether nothing is replaced."""
        return self.start == self.end


def in_order(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """The edits of one author from the first to the last, those insertions joined that meet.

    Raises:
        ValueError: Two of them replace the same text.
    """
    ordered: list[Edit] = []
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        last = ordered[-1] if ordered else Edit(-1, -1, "")
        if edit.is_insertion and last.is_insertion and edit.start == last.start:
            ordered[-1] = Edit(edit.start, edit.end, last.text + edit.text)
        elif edit == last or collide(last, edit):
            raise ValueError(f"overlapping edits at {last.start} and {edit.start}")
        else:
            ordered.append(edit)
    return tuple(ordered)


def collide(one: Edit, other: Edit) -> bool:
    """Whether two edits of different authors cannot both be made.

    Equal ones are one edit, such as the import that both need. An insertion comes before a piece
    that is replaced where it is; the order of two insertions at one place is not known.
    """
    if one == other:
        return False
    first, second = sorted((one, other))
    if first.start == second.start:
        return first.is_insertion == second.is_insertion
    return second.start < first.end


def applied(text: str, edits: Iterable[Edit], start: int = 0, end: int | None = None) -> str:
    """A text, or a piece of it, after edits in it, which are in order.

    >>> applied("f(x)", [Edit(2, 3, "key, x")])
    'f(key, x)'
    """
    parts, done = [], start
    for edit in edits:
        parts += [text[done : edit.start], edit.text]
        done = edit.end
    return "".join([*parts, text[done:end]])
