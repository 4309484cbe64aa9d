"""Which draws of one pass are the other's too, bit for bit and environment by environment."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Iterable, Mapping, Sequence

from nnx_ppo_ref.oracle.draws import Dependencies, Draw, rows
from nnx_ppo_ref.oracle.passes import Pass


@dataclasses.dataclass(frozen=True)
class Pool:
    """The draws of a pass: for each step the whole ones, for each step and environment the rows."""

    whole: Mapping[int, set[bytes]]
    parts: Mapping[tuple[int, int], set[bytes]]

    @staticmethod
    def of(draws: Iterable[Draw], envs: int) -> Pool:
        """Pools draws under every way to read them as rows."""
        whole: dict[int, set[bytes]] = collections.defaultdict(set)
        parts: dict[tuple[int, int], set[bytes]] = collections.defaultdict(set)
        for draw in draws:
            whole[draw.step].add(draw.words.tobytes())
            for reading in rows(draw.words, envs):
                for env, row in enumerate(reading):
                    parts[draw.step, env].add(row)
        return Pool(whole, parts)

    def holds(self, draw: Draw, envs: int, pairs: Sequence[tuple[int, int]]) -> bool:
        """Whether a draw of the other pass is here.

        Args:
            draw: The draw.
            envs: The size of its batch.
            pairs: Environments that belong together: of its batch, and of this pool's.
        """
        if draw.words.tobytes() in self.whole.get(draw.step, ()):
            return True
        return any(
            all(reading[theirs] in self.parts.get((draw.step, ours), ()) for theirs, ours in pairs)
            for reading in rows(draw.words, envs)
        )


def missing(
    later: Pass, earlier: Pass, pairs: Sequence[tuple[int, int]], reach: Dependencies
) -> list[Draw]:
    """The draws of one pass that reach something and are not among the other's.

    Args:
        later: The pass whose draws are looked for.
        earlier: The pass that ought to have them.
        pairs: Environments that belong together: of `later`, and of `earlier`.
        reach: What the draws must reach.
    """
    pool = Pool.of(earlier.draws, earlier.envs)
    both = {None, *(ours for ours, _ in pairs)}
    return [
        draw
        for draw in later.draws
        if draw.bit & reach
        and draw.words.size
        and draw.env in both
        and not pool.holds(draw, later.envs, pairs)
    ]
