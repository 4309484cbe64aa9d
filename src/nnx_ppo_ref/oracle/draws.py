"""Draws as they happen: what was drawn, where, for which environments, and what it depends on.

What a value depends on is an integer used as a set of bits, so that joining two sets costs one
`|`. The first bits are fixed; the ledger hands out the others.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import itertools
import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from nnx_ppo_ref.oracle import jaxprs

Dependencies = int

INPUT: Dependencies = 1
"""The value depends on an observation."""
CARRIED: Dependencies = 2
"""The value depends on the carry or on what the environment said."""
_FIRST_FREE = 2


def union(sets: Iterable[Dependencies]) -> Dependencies:
    """Everything that is in any of the sets."""
    return functools.reduce(operator.or_, sets, 0)


@dataclasses.dataclass(frozen=True)
class Draw:
    """One primitive's noise in one step.

    Attributes:
        step: The step of the pass, counted from 0.
        phase: `call` or `reset`.
        site: The path of the equation in the trace.
        primitive: The primitive's name, `host` for a constant drawn by the host.
        words: The noise, any shape.
        scopes: The modules in whose call it was drawn, outermost first.
        origin: The equation, for its file and line; None for a constant.
        bit: The bit that stands for this draw in dependencies.
        key: What the key depends on.
        looped: Whether it is in a `while`, whose number of turns depends on the batch.
        generator: The type of the key, such as `key<fry>`.
        env: The environment that it is for, if its key is a single one that comes from the carry.
    """

    step: int
    phase: str
    site: tuple[Any, ...]
    primitive: str
    words: np.ndarray
    scopes: tuple[str, ...]
    origin: Any
    bit: Dependencies
    key: Dependencies
    looped: bool
    generator: str = ""
    env: int | None = None

    @property
    def place(self) -> str:
        """File, line and function."""
        return "a constant" if self.origin is None else jaxprs.place(self.origin)

    @property
    def owner(self) -> str:
        """The innermost module, without the package."""
        return self.scopes[-1].rpartition(".")[2] if self.scopes else "the module"


class Ledger:
    """Hands out bits for dependencies; one for a whole check."""

    def __init__(self) -> None:
        self._free: Iterator[int] = itertools.count(_FIRST_FREE)

    def bit(self) -> Dependencies:
        """A bit that nobody else has."""
        return 1 << next(self._free)


Alteration = Callable[["Recorder", tuple[Any, ...], np.ndarray, int | None], np.ndarray]
"""Changes the noise of a site before it is used, given the environment that its key is from."""


_FOLD = "random_fold_in"
_FAMILIES = ("random_split", _FOLD)
"""The ways to make keys of a key, which must not be mixed."""


class Recorder:
    """Collects the draws of one pass, and what was done with each key.

    Attributes:
        ledger: Hands out bits for draws.
        alter: Changes noise.
        draws: The draws so far.
        step: The step that the pass is at.
        phase: `call` or `reset`.
        envs: The size of the batch; 0 if that is not known.
        roundings: How many sums were rounded.
        consumed: How often each key was used up, if that is to be counted.
    """

    def __init__(self, ledger: Ledger, alter: Alteration | None = None) -> None:
        self.ledger = ledger
        self.alter = alter
        self.draws: list[Draw] = []
        self.step = 0
        self.phase = "call"
        self.envs = 0
        self.roundings = 0
        self.consumed: collections.Counter[bytes] | None = None
        self._families: dict[str, set[bytes]] = collections.defaultdict(set)
        self._folded: collections.Counter[bytes] = collections.Counter()
        self._owners: dict[bytes, int | None] = {}

    @property
    def collisions(self) -> int:
        """How many keys were both folded into and split by calls.

        `fold_in(key, n)` is `split(key)[n]`. What a reset folds in is not counted: it is thrown
        away where no episode ended.
        """
        return len(set.intersection(*(self._families[name] for name in _FAMILIES)))

    @property
    def is_reused(self) -> bool:
        """Whether a key was used up more often than it was made, if that was counted.

        The same number folded into a key again makes a key again, as JAX's checker has it.
        """
        counted = self.consumed or collections.Counter[bytes]()
        return any(number > max(1, self._folded[key]) for key, number in counted.items())

    def begin(self, step: int) -> None:
        """Goes on to a step; whose keys are whose is said anew in each."""
        self.step, self.phase = step, "call"
        self._owners.clear()

    def claim(self, keys: np.ndarray) -> None:
        """Notes whose keys they are: those of one environment after another, `[B, ...]`."""
        for env, own in enumerate(keys):
            for key in own.reshape(-1):
                self._own(key.tobytes(), env)

    def derive(self, primitive: str, sources: np.ndarray, made: np.ndarray) -> None:
        """Notes that keys were made, of numbers or of keys, `[..., n]` of `[...]`.

        Those made of a key are the same environment's. Keys that are nobody's, one for each
        environment, are theirs from now on.
        """
        if primitive in _FAMILIES:
            if self.phase == "call":
                self._families[primitive].update(key.tobytes() for key in sources.reshape(-1))
            self._inherit(sources, made)
        if primitive == _FOLD:
            self._folded.update(key.tobytes() for key in made.reshape(-1))
        is_each = self.envs > 0 and made.shape[:1] == (self.envs,)
        is_made_once = primitive != "random_split" or not sources.ndim
        if is_each and is_made_once and not self._are_known(made):
            self.claim(made)

    def _inherit(self, keys: np.ndarray, made: np.ndarray) -> None:
        if not self._owners or made.shape[: keys.ndim] != keys.shape:
            return
        for index in np.ndindex(keys.shape):
            owner = self.owner(keys[index])
            if owner is not None:
                for key in made[index].reshape(-1):
                    self._own(key.tobytes(), owner)

    def _are_known(self, keys: np.ndarray) -> bool:
        return any(key.tobytes() in self._owners for key in keys.reshape(-1))

    def owner(self, key: np.ndarray) -> int | None:
        """The environment of a key; None if it is nobody's or that of several."""
        return self._owners.get(key.tobytes())

    def _own(self, key: bytes, env: int) -> None:
        self._owners[key] = env if self._owners.get(key, env) == env else None


def rows(words: np.ndarray, envs: int) -> Iterator[list[bytes]]:
    """The ways to read a draw as one row for each environment.

    The environments may lie on any axis; an axis of several times their number holds several
    elements for each, with the environment as the slower or the faster index.
    """
    for axis, size in enumerate(words.shape):
        if envs and size and size % envs == 0:
            lead = np.moveaxis(words, axis, 0)
            several = size // envs
            slow = lead.reshape(envs, several, *lead.shape[1:])
            yield [slow[env].tobytes() for env in range(envs)]
            if several > 1:
                fast = lead.reshape(several, envs, *lead.shape[1:])
                yield [np.ascontiguousarray(fast[:, env]).tobytes() for env in range(envs)]
