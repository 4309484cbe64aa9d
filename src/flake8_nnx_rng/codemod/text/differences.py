"""What makes one text of another."""

from __future__ import annotations

import difflib
from itertools import accumulate

from flake8_nnx_rng.source import Edit


def edits_between(before: str, after: str) -> tuple[Edit, ...]:
    """The lines that differ, as edits of the first text."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    starts = list(accumulate(map(len, old), initial=0))
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return tuple(
        Edit(starts[i], starts[j], "".join(new[k:m]))
        for tag, i, j, k, m in matcher.get_opcodes()
        if tag != "equal"
    )
