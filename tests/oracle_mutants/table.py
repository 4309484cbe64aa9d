"""The breaks: at least one in everything that the oracle does to see an observable."""

from __future__ import annotations

from .breaks import Break
from .in_judging import JUDGING
from .in_passes import PASSES

BREAKS: dict[str, Break] = {each.name: each for each in (*PASSES, *JUDGING)}

ALWAYS = (
    "the replay skips the reset",
    "every step gets the same carry",
    "the replay starts with the keys of the rollout's start",
    "the replay takes the full batch",
    "extras are not given back",
    "parameters stay for the lock",
    "the checker of keys is off",
    "draws are not compared",
)
"""Those that are tried whenever slow tests run."""
