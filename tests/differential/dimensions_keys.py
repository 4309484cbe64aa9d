"""Where keys live, and how they are read, derived and drawn from: tables of texts.

A source gives something of a kind; a step takes one kind and gives another, until it is noise of
the input's shape. `$h` stands for what a step takes, `$i` makes its names its own. No two sources
start from the same number, as that would make their noise the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """What an expression is."""

    STREAMS = "an nnx.Rngs"
    STREAM = "an nnx.RngStream"
    VARIABLE = "an nnx.Variable that holds a key"
    PLAIN = "an attribute that is a key"
    KEY = "one key"
    KEYS = "a key for each environment"
    LAYER = "a layer that may draw"
    COUNTER = "an nnx.Variable that holds a number"
    NOISE = "numbers of the input's shape"


@dataclass(frozen=True)
class Source:
    """Something that noise is made from.

    Attributes:
        kind: What it is.
        handle: How the forward pass names it.
        init: Statements of the constructor that make it.
        top: What stands in the file for it.
    """

    kind: Kind
    handle: str
    init: str = ""
    top: str = ""


@dataclass(frozen=True)
class Step:
    """One step from a source to noise.

    Attributes:
        takes: The kinds that it can do something with.
        gives: What it makes of them.
        expr: The expression for it.
        before: Statements in front of it.
        init: Statements of the constructor that it needs.
    """

    takes: frozenset[Kind]
    gives: Kind
    expr: str
    before: str = ""
    init: str = ""


def _step(
    takes: Kind | frozenset[Kind], gives: Kind, expr: str, before: str = "", **more: str
) -> Step:
    kinds = takes if isinstance(takes, frozenset) else frozenset({takes})
    return Step(kinds, gives, expr, before, **more)


_STREAMS, _STREAM, _VARIABLE, _PLAIN = Kind.STREAMS, Kind.STREAM, Kind.VARIABLE, Kind.PLAIN
_KEY, _KEYS, _LAYER, _NOISE = Kind.KEY, Kind.KEYS, Kind.LAYER, Kind.NOISE
_BOTH = frozenset({_STREAMS, _STREAM})

SOURCES: Mapping[str, Source] = {
    "streams": Source(_STREAMS, "self.rngs", "self.rngs = rngs"),
    "streams of its own": Source(_STREAMS, "self.noise", "self.noise = nnx.Rngs(21, noise=22)"),
    "forked streams": Source(_STREAMS, "self.rngs", "self.rngs = rngs.fork()"),
    "one stream": Source(_STREAM, "self.stream", "self.stream = rngs.noise"),
    "streams of the file": Source(_STREAMS, "RNGS", top="RNGS = nnx.Rngs(23)"),
    "constant streams": Source(_STREAMS, "nnx.Rngs(24)"),
    "a key in a Variable": Source(_VARIABLE, "self.key", "self.key = nnx.Variable(rngs())"),
    "an RngKey": Source(_VARIABLE, "self.key", "self.key = nnx.RngKey(rngs(), tag='noise')"),
    "a raw key in a Variable": Source(
        _VARIABLE, "self.key", "self.key = nnx.Variable(jax.random.PRNGKey(25))"
    ),
    "a key in an attribute": Source(_PLAIN, "self.key", "self.key = rngs()"),
    "a constant key in an attribute": Source(_PLAIN, "self.key", "self.key = jax.random.key(26)"),
    "a constant key": Source(_KEY, "jax.random.key(27)"),
    "a seed in an attribute": Source(_KEY, "jax.random.key(self.seed)", "self.seed = 28"),
    "a key of the file": Source(_KEY, "KEY", top="KEY = jax.random.key(29)"),
    "a constant of the file": Source(_KEY, "jax.random.key(SEED)", top="SEED = 30"),
    "a key from the input": Source(
        _KEYS,
        "jax.vmap(lambda row: jax.random.key(jnp.sum(1e6 * row).astype(jnp.int32)))(x)",
    ),
    "NumPy": Source(_NOISE, "np.random.normal(size=x.shape)"),
    "NumPy's generator": Source(
        _NOISE, "self.generator.normal(size=x.shape)", "self.generator = np.random.default_rng(0)"
    ),
    "secrets": Source(_NOISE, "x + secrets.randbelow(1000) / 1000"),
    "Python's random": Source(_NOISE, "jnp.full(x.shape, random.gauss(0.0, 1.0))"),
    "the time": Source(_KEY, "jax.random.key(time.time_ns() % 1000)"),
    "dropout": Source(_LAYER, "self.drop", "self.drop = nnx.Dropout(0.5, rngs=rngs)"),
    "deterministic dropout": Source(
        _NOISE,
        "self.drop(x, deterministic=True)",
        "self.drop = nnx.Dropout(0.5, rngs=rngs)",
    ),
    "dropout built deterministic": Source(
        _LAYER, "self.drop", "self.drop = nnx.Dropout(0.5, deterministic=True, rngs=rngs)"
    ),
    "dropout of rate zero": Source(_LAYER, "self.drop", "self.drop = nnx.Dropout(0.0, rngs=rngs)"),
    "dropout with the streams": Source(
        _NOISE,
        "self.drop(x, rngs=self.rngs)",
        "self.rngs = rngs\nself.drop = nnx.Dropout(0.5)",
    ),
    "attention with dropout": Source(
        _NOISE,
        "self.attend(x[:, None])[:, 0]",
        "self.attend = nnx.MultiHeadAttention(1, 2, dropout_rate=0.5, decode=False, rngs=rngs)",
    ),
    "batch normalisation": Source(_LAYER, "self.norm", "self.norm = nnx.BatchNorm(2, rngs=rngs)"),
    "a counter": Source(Kind.COUNTER, "self.count", "self.count = nnx.Variable(jnp.zeros(()))"),
    "no noise": Source(_NOISE, "jnp.tanh(x)"),
}
"""Those that the module itself holds, that are constant, or that come from elsewhere."""

STEPS: Mapping[str, Step] = {
    "call": _step(_BOTH, _KEY, "$h()"),
    "named": _step(_STREAMS, _KEY, "$h.noise()"),
    "subscript": _step(_STREAMS, _KEY, "$h['noise']()"),
    "subscript by attribute": _step(
        _STREAMS, _KEY, "$h[self.column]()", init="self.column = 'noise'"
    ),
    "getattr": _step(_STREAMS, _KEY, "getattr($h, 'noise')()"),
    "getattr with default": _step(_STREAMS, _KEY, "getattr($h, 'noise', $h.default)()"),
    "alias": _step(_BOTH, _KEY, "source$i()", "source$i = $h"),
    "alias of a stream": _step(_STREAMS, _KEY, "stream$i()", "stream$i = $h.noise"),
    "bound": _step(_STREAMS, _KEY, "draw$i()", "draw$i = $h.noise.__call__"),
    "key first": _step(_BOTH, _KEY, "key$i", "key$i = $h()"),
    "fork": _step(_STREAMS, _STREAMS, "$h.fork()"),
    "clone": _step(_STREAMS, _STREAMS, "nnx.clone($h)"),
    "split of streams": _step(
        _STREAMS, _KEYS, "many$i.default.key[...]", "many$i = $h.split(x.shape[0])"
    ),
    "broadcast": _step(_STREAMS, _KEY, "two$i.default.key[0]", "two$i = $h.broadcast(2)"),
    "reseeded": _step(_STREAMS, _KEY, "$h()", "nnx.reseed($h, default=0)"),
    "method normal": _step(_BOTH, _NOISE, "$h.normal(x.shape)"),
    "method uniform": _step(_BOTH, _NOISE, "$h.uniform(x.shape, minval=-1.0)"),
    "method of a stream": _step(_STREAMS, _NOISE, "$h.noise.gumbel(x.shape)"),
    "method bernoulli": _step(_BOTH, _NOISE, "$h.bernoulli(0.5, x.shape).astype(x.dtype)"),
    "read": _step(_VARIABLE, _KEY, "$h[...]"),
    "get_value": _step(_VARIABLE, _KEY, "$h.get_value()"),
    "value": _step(_VARIABLE, _KEY, "$h.value"),
    "advanced": _step(
        _VARIABLE,
        _KEY,
        "use$i",
        "following$i, use$i = jax.random.split($h[...])\n$h[...] = following$i",
    ),
    "advanced by set_value": _step(
        _VARIABLE,
        _KEY,
        "use$i",
        "following$i, use$i = jax.random.split($h.get_value())\n$h.set_value(following$i)",
    ),
    "attribute": _step(_PLAIN, _KEY, "$h"),
    "attribute, another name": _step(_PLAIN, _KEY, "key$i", "key$i = $h"),
    "attribute, advanced": _step(_PLAIN, _KEY, "use$i", "$h, use$i = jax.random.split($h)"),
    "layer": _step(_LAYER, _NOISE, "$h(x)"),
    "counted": _step(Kind.COUNTER, _NOISE, "jnp.full(x.shape, $h[...])", "$h[...] += 1.0"),
    "read only": _step(Kind.COUNTER, _NOISE, "x + $h[...]"),
    "counted, unread": _step(Kind.COUNTER, _NOISE, "jnp.tanh(x)", "$h[...] += 1.0"),
    "split in two": _step(_KEY, _KEY, "one$i", "one$i, other$i = jax.random.split($h)"),
    "split, first": _step(_KEY, _KEY, "jax.random.split($h, 3)[0]"),
    "fold": _step(_KEY, _KEY, "jax.random.fold_in($h, 5)"),
    "split for the batch": _step(_KEY, _KEYS, "jax.random.split($h, x.shape[0])"),
    "row numbers folded in": _step(
        _KEY,
        _KEYS,
        "jax.vmap(lambda i: jax.random.fold_in(base$i, i))(jnp.arange(x.shape[0]))",
        "base$i = $h",
    ),
    "local streams": _step(_KEY, _STREAMS, "local$i", "local$i = nnx.Rngs($h)"),
    "first key": _step(_KEYS, _KEY, "$h[0]"),
    "last key": _step(_KEYS, _KEY, "$h[-1]"),
    "neighbour's key": _step(_KEYS, _KEYS, "jnp.roll($h, 1, axis=0)"),
    "folded per env": _step(_KEYS, _KEYS, "jax.vmap(lambda k: jax.random.fold_in(k, 2))($h)"),
    "half per env": _step(_KEYS, _KEYS, "jax.vmap(lambda k: jax.random.split(k)[1])($h)"),
    "places folded in": _step(
        _KEYS,
        _KEYS,
        "jax.vmap(jax.random.fold_in)($h, jnp.arange(x.shape[0]))",
    ),
    "normal": _step(_KEY, _NOISE, "jax.random.normal($h, x.shape)"),
    "uniform": _step(_KEY, _NOISE, "jax.random.uniform($h, x.shape, minval=-1.0)"),
    "bernoulli": _step(_KEY, _NOISE, "jax.random.bernoulli($h, 0.5, x.shape).astype(x.dtype)"),
    "initializer": _step(_KEY, _NOISE, "nnx.initializers.normal(1.0)($h, x.shape)"),
    "gumbel": _step(_KEY, _NOISE, "jax.random.gumbel($h, x.shape, x.dtype)"),
    "permutation": _step(_KEY, _NOISE, "jax.random.permutation($h, x, axis=1)"),
    "scalar": _step(_KEY, _NOISE, "jnp.full(x.shape, jax.random.normal($h))"),
    "one row": _step(_KEY, _NOISE, "x * 0 + jax.random.normal($h, x.shape[1:])"),
    "draw of local streams": _step(_KEY, _NOISE, "nnx.Rngs($h).normal(x.shape)"),
    "categorical": _step(
        _KEY, _NOISE, "jax.nn.one_hot(jax.random.categorical($h, x), x.shape[-1])"
    ),
    "key by keyword": _step(_KEY, _NOISE, "jax.random.normal(key=$h, shape=x.shape)"),
    "normal per env": _step(
        _KEYS, _NOISE, "jax.vmap(lambda k, row: jax.random.normal(k, row.shape))($h, x)"
    ),
    "uniform per env": _step(
        _KEYS, _NOISE, "jax.vmap(lambda k: jax.random.uniform(k, x.shape[1:]))($h)"
    ),
    "partial per env": _step(
        _KEYS,
        _NOISE,
        "jax.vmap(functools.partial(jax.random.normal, shape=x.shape[1:]))($h)",
    ),
    "function per env": _step(
        _KEYS,
        _NOISE,
        "jax.vmap(one$i)($h, x)",
        "def one$i(k, row):\n    return jax.random.normal(k, row.shape)",
    ),
    "map over envs": _step(_KEYS, _NOISE, "jax.lax.map(lambda k: jax.random.normal(k, (2,)), $h)"),
    "local streams per env": _step(
        _KEYS, _NOISE, "jax.vmap(lambda k, row: nnx.Rngs(k).normal(row.shape))($h, x)"
    ),
    "loop over envs": _step(_KEYS, _NOISE, "jnp.stack([jax.random.normal(k, (2,)) for k in $h])"),
    "scalar per env": _step(
        _KEYS, _NOISE, "jnp.ones_like(x) * jax.vmap(jax.random.normal)($h)[:, None]"
    ),
    "dropout per env": Step(
        frozenset({_KEYS}),
        _NOISE,
        "jax.vmap(lambda k, row: self.drop$i(row, rngs=k))($h, x)",
        init="self.drop$i = nnx.Dropout(0.5)",
    ),
}
"""By name."""


def steps_from(kind: Kind) -> list[str]:
    """The steps that take a kind."""
    return [name for name, step in STEPS.items() if kind in step.takes]
