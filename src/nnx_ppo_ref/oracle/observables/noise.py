"""Freshness and independence: whether noise comes twice, to one environment or to two.

Both are read from the run with the same input everywhere, in which every episode ends once. A row
of noise of 64 bits or more must be the only one of its kind in the whole run; of 32 bits or more,
at its place in the program, along time and along the batch; shorter rows may agree by chance and
are judged by their whole history.
"""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Iterator

from nnx_ppo_ref.oracle.draws import Draw
from nnx_ppo_ref.oracle.evidence import Evidence


@dataclasses.dataclass(frozen=True)
class Row:
    """A row of noise.

    Attributes:
        draw: The draw that it is from.
        turn: How often its site had drawn in this step.
        env: Its environment; None if it is for all.
        bits: The noise.
    """

    draw: Draw
    turn: int
    env: int | None
    bits: bytes

    @property
    def site(self) -> tuple[object, ...]:
        """Its place in the program."""
        return (self.draw.phase, self.draw.site, self.turn)


@dataclasses.dataclass(frozen=True)
class Repetition:
    """The same noise at two places.

    Attributes:
        first: Where it was.
        again: Where it came again.
    """

    first: Row
    again: Row


def all_rows(evidence: Evidence) -> list[Row]:
    """The rows of all noise in the run with equal inputs."""
    turns: collections.Counter[tuple[object, ...]] = collections.Counter()
    found = []
    for draw in evidence.noise:
        key = (draw.step, draw.phase, draw.site)
        rows = evidence.rows(draw)
        if rows is None:
            found.append(Row(draw, turns[key], draw.env, draw.words.tobytes()))
        else:
            found += [Row(draw, turns[key], env, bits) for env, bits in enumerate(rows)]
        turns[key] += 1
    return found


def along_time(rows: list[Row]) -> Repetition | None:
    """Noise of an environment that comes again at another step."""
    return next(
        (
            pair
            for pair in _repetitions(rows)
            if pair.first.env == pair.again.env and pair.first.draw.step != pair.again.draw.step
        ),
        None,
    )


def along_batch(rows: list[Row]) -> Repetition | None:
    """Noise of one environment that is another's too."""
    return next((pair for pair in _repetitions(rows) if pair.first.env != pair.again.env), None)


def _repetitions(rows: list[Row]) -> Iterator[Repetition]:
    # What may count as the same place: anywhere, the same site, or a whole history.
    anywhere: dict[object, Row] = {}
    for row in rows:
        size = 8 * len(row.bits)
        if size >= 64:
            first = anywhere.setdefault((row.bits, row.draw.generator), row)
            if (first.env, first.draw.step) != (row.env, row.draw.step):
                yield Repetition(first, row)
        if size >= 32:
            for key in (
                (row.site, "env", row.env, row.bits),
                (row.site, "step", row.draw.step, row.bits),
            ):
                first = anywhere.setdefault(key, row)
                if first is not row:
                    yield Repetition(first, row)
    yield from _histories([row for row in rows if 8 * len(row.bits) < 32])


def _histories(rows: list[Row]) -> Iterator[Repetition]:
    lines: dict[tuple[object, int | None], list[Row]] = collections.defaultdict(list)
    for row in rows:
        lines[row.site, row.env].append(row)
    seen: dict[object, Row] = {}
    for (site, _), line in lines.items():
        bits = [row.bits for row in line]
        if len(set(bits)) == 1 and 8 * len(bits[0]) * (len(bits) - 1) >= 32:
            yield Repetition(line[0], line[1])
        if 8 * sum(map(len, bits)) >= 32:
            first = seen.setdefault((site, tuple(bits)), line[0])
            if first is not line[0]:
                yield Repetition(first, line[0])
