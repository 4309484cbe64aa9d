"""What was counted, as text or as Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from .verdict import Count, Kind

HEADS = tuple(kind.value for kind in Kind)


def table(counts: Counter[Count], *, markdown: bool = False) -> str:
    """Rule by observable: how many modules count as what."""
    rows = [("rule", "observable", *HEADS), *_rows(counts)]
    if markdown:
        ruled = [rows[0], tuple("---" for _ in rows[0]), *rows[1:]]
        return "\n".join(f"| {' | '.join(row)} |" for row in ruled)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )


def apart(counts: Counter[Count]) -> str:
    """Why some are counted apart, the most frequent reason first."""
    reasons = Counter[tuple[str, str]]()
    for count, number in counts.items():
        if count.why:
            reasons[count.kind, count.why] += number
    return "\n".join(f"- {number} {kind}: {why}" for (kind, why), number in reasons.most_common())


def _rows(counts: Counter[Count]) -> Iterator[tuple[str, ...]]:
    sums = Counter[tuple[str, str, str]]()
    for count, number in counts.items():
        sums[count.rule, count.observable, count.kind] += number
    for rule, observable in sorted({(rule, observable) for rule, observable, _ in sums}):
        cells = (str(sums[rule, observable, head] or "") for head in HEADS)
        yield rule, observable or "(any)", *cells
    yield "all", "", *(str(sum(n for key, n in sums.items() if key[2] == h)) for h in HEADS)
