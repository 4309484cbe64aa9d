"""Files after a rewrite."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst


@dataclass(frozen=True)
class Rewrite:
    """What became of files.

    Attributes:
        text: The text of all of them, as in `Tree.text`.
        notes: What else than the random numbers is different.
        extended: Functions and records that take a key now, and that others may call.
    """

    text: str
    notes: tuple[str, ...] = ()
    extended: tuple[cst.FunctionDef | cst.ClassDef, ...] = ()
