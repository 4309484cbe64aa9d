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
        "numbers that reach nothing which is compared: a draw is reported wherever they go",
        Kind.FALSE,
        _of(*(f"NNX{n}" for n in (102, 103, 104, 106, 107, 201, 202, 203, 204, 205, 206))),
        _is_dead,
    ),
    Known(
        "numbers that reach nothing, of a copy or of a module that emits: its streams are let pass",
        Kind.FALSE,
        _of("NNX101"),
        lambda r: _is_dead(r) and (_samples(r) or _any(lambda n: _has(n, "clone"))(r)),
    ),
    Known(
        "a write that reaches nothing: purity is stricter than the guide, which forbids writes "
        "that affect the output",
        Kind.MISSED,
        _of("purity"),
        lambda r: (
            _any(lambda n: _has(n, "counted, unread"))(r)
            or (_is_dead(r) and _any(lambda n: _has(n, "batch normalisation", "counted"))(r))
        ),
    ),
    Known(
        "a carried counter folded into the module's key, without the env: the catalogue exempts it",
        Kind.MISSED,
        _of("independence"),
        _any(lambda n: n.advance == "stored key and counter"),
    ),
    Known(
        "one number or row for all envs in a sample that is replayed: no rule asks for a sample "
        "for each env",
        Kind.MISSED,
        _of("independence"),
        lambda r: _samples(r) and _any(lambda n: _has(n, *_SHARED, "attention with dropout"))(r),
    ),
    Known(
        "a sampler without noise whose extras are another action: samplers are judged by draws",
        Kind.MISSED,
        _of("lock", "replay", "purity", "lockstep"),
        _is_quiet,
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
        "raw keys: JAX's checker does not see them",
        Kind.FALSE,
        _of("NNX401", "NNX405"),
        _any(lambda n: _has(n, "raw", "a raw key in a Variable")),
    ),
    Known(
        "a used key comes back in the state of a child whose state is dropped",
        Kind.FALSE,
        _of("NNX401"),
        lambda r: "dropped" in r.shell and _any(lambda n: n.advance == "used one back")(r),
    ),
    Known(
        "the loss of each env with a mean over the batch in it: no matter of noise",
        Kind.MISSED,
        _of("replay"),
        lambda r: {"loss", "loss of the batch"} <= {n.sink for n in r.noises},
    ),
    Known(
        "a key that is folded into and split: JAX's checker takes fold_in for no use of it",
        Kind.FALSE,
        _of("NNX405"),
        _any(lambda n: n.advance == "folded and split" or _has(n, "places folded in")),
    ),
    Known(
        "a stored key that moves on in a loop is taken for the same key in every round",
        Kind.FALSE,
        _of("NNX401"),
        _any(lambda n: n.source in _STORED and _has(n, *_LOOPS)),
    ),
    Known(
        "a raw key that a sampler moves on: the oracle does not know it for RNG state",
        Kind.MISSED,
        _of("purity"),
        lambda r: _samples(r) and _any(lambda n: _has(n, "a raw key in a Variable"))(r),
    ),
    Known(
        "one key in every env, but a draw for all of them or the place folded in: rows differ",
        Kind.FALSE,
        _of("NNX202"),
        _any(lambda n: _has(n, *_BY_ONE, "places folded in")),
    ),
    Known(
        "a child's memory is lost in which there is no noise: no observable watches memory",
        Kind.FALSE,
        _of("NNX205"),
        lambda r: "dropped" in r.shell,
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
        "a stream that a sampler moves on under jit, cond, scan or checkpoint, or that stands in "
        "the file: it raises TraceContextError on the first run, and not in silence",
        Kind.MISSED,
        _of("trace"),
        lambda r: (
            _samples(r)
            and _any(lambda n: n.carried is None and _has(n, *_TRACED, "streams of the file"))(r)
        ),
    ),
    Known(
        "keys that are made in the pass, drawn from one after the other: the oracle cannot tell "
        "whose draw is whose",
        Kind.MISSED,
        _of("replay", "independence"),
        _any(lambda n: _has(n, *_IN_TURN) and (n.carried is None or not n.carried.key)),
    ),
    Known(
        "emitted noise that depends on the input, such as what dropout leaves of it, is taken for "
        "an action",
        Kind.MISSED,
        _of("lock", "purity"),
        lambda r: r.role == "sampler, noise kept" and _any(lambda n: _has(n, *_OF_INPUT))(r),
    ),
    Known(
        "a sampler that draws from a copy of its stream repeats its action: copies are not told "
        "from streams",
        Kind.MISSED,
        _of("freshness"),
        lambda r: _samples(r) and _any(lambda n: _has(n, "clone", "reseeded"))(r),
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
    Known(
        "two turns of the keys of all envs: the oracle's minibatch agrees by accident",
        Kind.FALSE,
        _of("NNX203"),
        _any(lambda n: n.steps.count("neighbour's key") + (n.advance == "neighbour's") > 0),
    ),
    Known(
        "a module that does as samplers do moves its key on: the write is exempt in samplers only",
        Kind.FALSE,
        _of("NNX103"),
        _samples,
    ),
)
"""In no order; the first that fits is given."""
