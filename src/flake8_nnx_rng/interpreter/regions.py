"""Which keys of an array a value is, so that two uses of one key are told from uses of two."""

from __future__ import annotations

from dataclasses import dataclass, replace

ALL = "..."
"""An index that stands for every one."""

CURRENT = "*"
"""An index that stands for the one that a loop over the array is at, another in every round."""

UNKNOWN = "?"
"""A turn after which it is not known what stands where."""

ROWS = 0
"""The axis of an array that counts the envs."""


@dataclass(frozen=True, slots=True)
class Region:
    """Some keys of an array, or all of them.

    Attributes:
        array: The name of the array, or where it is held or carried.
        indices: Which row, of an array that has one for each env, and which of the keys that
            splits made; what no index is given for is there as a whole.
        turn: How what is along one of the axes was turned; nothing if it is as it was made.
        axis: That axis.
    """

    array: str
    indices: tuple[str, ...] = (ALL,)
    turn: str = ""
    axis: int = ROWS

    @property
    def is_current(self) -> bool:
        """Whether it is another one in every round of a loop."""
        return CURRENT in self.indices

    @property
    def is_one_row(self) -> bool:
        """Whether it is one row, the same wherever it is used."""
        return _is_one(self.indices[ROWS])

    @property
    def has_turned_rows(self) -> bool:
        """Whether it has all rows, in another order."""
        return bool(self.turn) and self.axis == ROWS and self.indices[ROWS] == ALL

    def settled(self) -> Region:
        """What a loop has been at once it has ended: every one."""
        return replace(self, indices=tuple(ALL if i == CURRENT else i for i in self.indices))

    def taken(self, index: str, *, is_row: bool = False) -> Region | None:
        """One row, or one of the keys that a split made; None if it is not known which one."""
        axis = ROWS if is_row else len(self.indices)
        if self.turn == UNKNOWN and self.axis == axis and _is_one(index):
            return None
        indices = (index, *self.indices[1:]) if is_row else (*self.indices, index)
        return replace(self, indices=indices)

    def turned(self, turn: str, *, is_row: bool = False) -> Region:
        """The same keys in another order."""
        axis = ROWS if is_row else len(self.indices)
        return replace(self, turn=UNKNOWN if self.turn else turn, axis=axis)

    def _place(self, axis: int) -> tuple[str, str]:
        return self.indices[axis], self.turn if self.axis == axis else ""


def meet(first: Region, second: Region) -> bool:
    """Whether a key is known to be in both."""
    if first.array != second.array:
        return False
    for axis, pair in enumerate(zip(first.indices, second.indices, strict=False)):
        if all(map(_is_one, pair)) and first._place(axis) != second._place(axis):
            return False
    return True


def _is_one(index: str) -> bool:
    return index not in (ALL, CURRENT)
