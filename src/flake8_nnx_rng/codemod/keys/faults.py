"""What a rewrite of the draws of a class must change."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, auto

import libcst as cst


class Form(Enum):
    """What an expression is that a key of the carry takes the place of."""

    KEY = auto()  # a key
    METHOD = auto()  # numbers, by a method of a stream
    LAYER = auto()  # a call of a layer that draws by itself
    HOST = auto()  # numbers of the host


@dataclass(frozen=True)
class Site:
    """An expression that draws.

    Attributes:
        node: The expression.
        form: What it is.
    """

    node: cst.BaseExpression
    form: Form


@dataclass(frozen=True)
class Faults:
    """All that a rewrite of the draws of a class must change.

    Attributes:
        sites: Where keys of the carry are to be used.
        consumers: What takes those keys: draws, splits and folds.
        gone: Expressions and targets that move state and have to go.
        paths: The places of held keys that the sites read.
        counted: What reads other state that has to go; it may do so only where that goes too.
    """

    sites: tuple[Site, ...]
    consumers: tuple[cst.Call, ...]
    gone: tuple[cst.CSTNode, ...]
    paths: tuple[str, ...]
    counted: tuple[cst.BaseExpression, ...] = ()


def merged(every: Iterable[Faults]) -> Faults:
    """The faults of several classes; what they share is one."""
    found = list(every)
    return Faults(
        tuple(dict.fromkeys(site for one in found for site in one.sites)),
        tuple(dict.fromkeys(call for one in found for call in one.consumers)),
        tuple(dict.fromkeys(node for one in found for node in one.gone)),
        tuple(dict.fromkeys(path for one in found for path in one.paths)),
        tuple(dict.fromkeys(node for one in found for node in one.counted)),
    )
