"""The kinds of disagreement that are left: what is the matter, and in which modules.

Whoever mends one takes its entry out.
"""

from __future__ import annotations

from collections.abc import Callable

from .dimensions_roles import ROLES
from .known import Known
from .recipe import Noise, Recipe
from .verdict import Kind

_DEAD = frozenset({"nothing", "metrics", "its shape", "memory, never read", "loss of the batch"})
_QUIET = frozenset({"no noise", "deterministic dropout", "dropout of rate zero", "a counter"})
_TRACED = frozenset({"jit", "checkpoint", "cond", "scan", "fori_loop"})
_BY_ONE = frozenset({"first env's", "split of the first env's", "first key", "last key"})
_OF_INPUT = frozenset(
    {
        "cond",
        "where",
        "early return",
        "try",
        "walrus",
        "match",
        "finally",
        "dropout per env",
        "one row",
        "categorical",
        "layer",
    }
    | {"dropout with the streams", "attention with dropout", "permutation"}
)
_IN_TURN = frozenset({"loop over envs", "map over envs"})
_LOOPS = frozenset({"for", "while", "scan", "fori_loop"})
_STORED = frozenset({"a key in a Variable", "an RngKey", "a key in an attribute"})
_SHARED = frozenset({"scalar", "one row", "permutation"})


def _any(test: Callable[[Noise], bool]) -> Callable[[Recipe], bool]:
    return lambda recipe: any(map(test, recipe.noises))


def _samples(recipe: Recipe) -> bool:
    return ROLES[recipe.role].samples


def _has(noise: Noise, *names: str) -> bool:
    used = {noise.source, noise.advance, noise.seed, noise.control, noise.reach, *noise.steps}
    return not used.isdisjoint(names)


def _is_dead(recipe: Recipe) -> bool:
    return any(
        noise.reach == "nothing"
        or (noise.sink in _DEAD and not (_samples(recipe) and noise is recipe.noises[0]))
        for noise in recipe.noises
    )


def _is_quiet(recipe: Recipe) -> bool:
    first = recipe.noises[0]
    return _samples(recipe) and (first.source in _QUIET or first.reach == "nothing")


def _of(*codes: str) -> frozenset[str]:
    return frozenset(codes)


KNOWN = (
    Known(
        "a carried counter folded into the module's key, without the env: the catalogue exempts it",
        Kind.MISSED,
        _of("independence"),
        _any(lambda n: n.advance == "stored key and counter"),
    ),
    Known(
        "a container around a child that emits but needs nothing back",
        Kind.FALSE,
        _of("NNX303"),
        lambda r: (
            _is_quiet(r)
            or (_samples(r) and (r.noises[0].carried is not None or r.noises[0].source in _STORED))
        ),
    ),
    Known(
        "a stored key that moves on in a loop is taken for the same key in every round",
        Kind.FALSE,
        _of("NNX401"),
        _any(lambda n: n.source in _STORED and _has(n, *_LOOPS)),
    ),
    Known(
        "keys of rbg whose sample is replayed, or that are drawn from one after the other",
        Kind.FALSE,
        _of("NNX206"),
        lambda r: (
            _samples(r) or _any(lambda n: n.seed == "of rbg" and _has(n, *_IN_TURN, *_BY_ONE))(r)
        ),
    ),
    Known(
        "keys that a Python loop takes out of an array, or that were turned, are told apart in "
        "each round, not from those of another",
        Kind.MISSED,
        _of("hygiene"),
        _any(
            lambda n: _has(
                n, "loop over envs", "neighbour's key", "neighbour's", "under a flag", "last key"
            )
        ),
    ),
)
"""In no order; the first that fits is given."""
