"""What was counted, as a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

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


def _rows(counts: Counter[Count]) -> Iterator[tuple[str, ...]]:
    for rule, observable in sorted({(count.rule, count.observable) for count in counts}):
        yield rule, observable or "(any)", *_cells(counts, rule, observable)
    yield (
        "all",
        "",
        *(str(sum(n for count, n in counts.items() if count.kind == head)) for head in HEADS),
    )


def _cells(counts: Counter[Count], rule: str, observable: str) -> Iterable[str]:
    return (str(counts[Count(rule, observable, head)] or "") for head in HEADS)
