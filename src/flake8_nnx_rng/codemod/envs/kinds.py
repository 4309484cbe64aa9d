"""What a value has to do with the envs, and what comes of several such values."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum, auto

import libcst as cst


class Kind(Enum):
    """What a value has to do with the envs."""

    FIXED = auto()  # nothing: it is the same for all of them, or of one of them
    ROWS = auto()  # an array, or several, whose first axis counts them
    TREE = auto()  # the same; an index takes one of several arrays out
    SIZE = auto()  # how many there are
    SHAPE = auto()  # a shape that starts with their number
    MIXED = auto()  # fixed or rows, and fit for arithmetic alone
    UNKNOWN = auto()


ROWED = (Kind.ROWS, Kind.TREE)
NUMBERS = (Kind.FIXED, Kind.ROWS, Kind.TREE, Kind.MIXED)


def unpacked(kind: Kind | None, path: tuple[int | None, ...]) -> Kind | None:
    """What a target gets of what is unpacked, by its place in the pattern."""
    if not path or kind in (None, Kind.FIXED):
        return kind
    if kind is Kind.TREE:
        return Kind.ROWS
    if kind is Kind.SHAPE and len(path) == 1:
        return Kind.SIZE if path[0] == 0 else Kind.FIXED
    return Kind.UNKNOWN


def item(kind: Kind | None) -> Kind | None:
    """What iterating yields."""
    if kind is Kind.TREE:
        return Kind.ROWS
    return kind if kind in (None, Kind.FIXED) else Kind.UNKNOWN


def part_of_shape(node: cst.Subscript) -> Kind:
    """What an index or a slice takes out of a shape that starts with the number of envs."""
    part = node.slice[0].slice
    if isinstance(part, cst.Index):
        number = literal_int(part.value)
        return Kind.UNKNOWN if number is None else Kind.FIXED if number else Kind.SIZE
    assert isinstance(part, cst.Slice)
    lower = 0 if part.lower is None else literal_int(part.lower)
    if lower is None or part.step is not None:
        return Kind.UNKNOWN
    return Kind.FIXED if lower else Kind.SHAPE


def literal_int(node: cst.CSTNode | None) -> int | None:
    """The number that a literal is, or None."""
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
        number = literal_int(node.expression)
        return None if number is None else -number
    return node.evaluated_value if isinstance(node, cst.Integer) else None


def is_whole(part: cst.BaseSlice) -> bool:
    """Whether a slice is `:`."""
    return isinstance(part, cst.Slice) and (part.lower, part.upper, part.step) == (None,) * 3


def keeps_first(node: cst.Call, position: int, default: int | None) -> bool:
    """Whether a call leaves the first axis alone."""
    given: cst.BaseExpression | None = None
    for index, argument in enumerate(node.args):
        named = argument.keyword.value if argument.keyword is not None else None
        if named == "axis" or (named is None and index == position):
            given = argument.value
    axis = default if given is None else literal_int(given)
    return axis is not None and axis != 0


def of_layer(given: list[Kind]) -> Kind:
    """What a layer makes of its arguments: it keeps the first axis."""
    if any(kind not in NUMBERS for kind in given):
        return Kind.UNKNOWN
    return Kind.ROWS if any_rows(given) else Kind.FIXED


def filled(given: Iterable[Kind | None]) -> Kind | None:
    """What makes an array of a shape."""
    found = set(given)
    if found & {Kind.SHAPE, Kind.SIZE} and Kind.UNKNOWN not in found:
        return Kind.ROWS
    return arithmetic(found)


def any_rows(kinds: Iterable[Kind]) -> bool:
    """Whether the first axis of any of several values counts the envs."""
    return any(kind in ROWED for kind in kinds)


def arithmetic(kinds: Iterable[Kind | None]) -> Kind | None:
    """What comes of values by operations on their elements."""
    found = set(kinds)
    if not found:
        return Kind.FIXED
    if None in found:
        return None
    if not found <= set(NUMBERS):
        return Kind.UNKNOWN
    if found & set(ROWED):
        return Kind.ROWS
    return Kind.MIXED if Kind.MIXED in found else Kind.FIXED


def together(kinds: Iterable[Kind | None]) -> Kind | None:
    """Several values in one container."""
    found = set(kinds)
    if None in found:
        return None
    if found <= {Kind.FIXED}:
        return Kind.FIXED
    return Kind.TREE if found <= set(ROWED) else Kind.UNKNOWN


def joined(kinds: Iterable[Kind | None]) -> Kind | None:
    """One of several values."""
    found = {kind for kind in kinds if kind is not None}
    if len(found) <= 1:
        return next(iter(found), None)
    if found == set(ROWED):
        return Kind.ROWS
    return Kind.MIXED if found <= set(NUMBERS) else Kind.UNKNOWN
