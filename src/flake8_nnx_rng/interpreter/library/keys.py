"""`jax.random`: deriving keys and drawing from them."""

from __future__ import annotations

from dataclasses import replace

import libcst as cst

from flake8_nnx_rng.interpreter import containers, uses
from flake8_nnx_rng.interpreter.drawing import drew
from flake8_nnx_rng.interpreter.engine import Interpreter
from flake8_nnx_rng.interpreter.events import Constructed, Drew, DrewOnHost, Use
from flake8_nnx_rng.interpreter.joins import join_all
from flake8_nnx_rng.interpreter.shapes import is_shared
from flake8_nnx_rng.interpreter.taint import (
    EACH_ENV,
    Asked,
    Drawn,
    Fixed,
    Host,
    Sample,
    Spread,
    Taint,
    counted,
    is_threaded,
    merge,
    spread_as,
)
from flake8_nnx_rng.interpreter.values import (
    NONE,
    Arguments,
    Const,
    External,
    Key,
    Opaque,
    Stream,
    Value,
    options,
    taint_of,
)
from flake8_nnx_rng.knowledge import keys as key_table
from flake8_nnx_rng.knowledge.keys import KEY_PARAMETERS, PREFIX, RANDOM, KeyEffect

DEFAULT_COUNT = 2
"""The keys that `jax.random.split` makes if it is not told how many."""

_USES = {"split": Use.SPLIT, "fold_in": Use.FOLDED}

INITIALIZER = f"{PREFIX}<initializer>"
"""An initializer that was built and is called with a key: it draws like any other function."""


def call_random(it: Interpreter, name: str, arguments: Arguments, node: cst.CSTNode) -> Value:
    """The effect of `jax.random.<name>`; an unknown name is taken to draw."""
    effect = RANDOM.get(name, KeyEffect.DRAW)
    key = key_argument(arguments)
    others = merge(taint_of(v) for v in arguments.values() if v is not key)
    if effect is KeyEffect.CONSTRUCT:
        taint = taint_of(key) | others
        made = made_from(it, f"{PREFIX}{name}", taint, node, from_key=isinstance(key, Key))
        new = uses.make(it, made, node)
        return replace(key, taint=made, made=new.made) if isinstance(key, Key) else new
    if effect is KeyEffect.NEUTRAL:
        return Opaque()
    use = Use.DRAWN if effect is KeyEffect.DRAW else _USES.get(name)
    if use is not None:
        uses.use(it, key, use, node)
    if effect is KeyEffect.DRAW:
        drawn = []
        for option in options(key):
            shared = is_shared(it, name, arguments, option, behind_key=True)
            drawn.append(consume(it, option, node, effect, shared=shared))
        return join_all(Opaque(taint | counted(others)) for taint in drawn)
    return join_all(_derive(it, name, option, others, arguments, node) for option in options(key))


def _derive(
    it: Interpreter, name: str, key: Value, others: Taint, arguments: Arguments, node: cst.CSTNode
) -> Value:
    taint = consume(it, key, node, KeyEffect.DERIVE) | others
    use = _USES.get(name)
    if use is None:  # another form of the same key
        return (
            replace(key, made=uses.make(it, taint, node).made)
            if isinstance(key, Key)
            else Key(taint)
        )
    uses.derived(it, key, use, others, node)
    count = _count(arguments) if use is Use.SPLIT else None
    if not _is_literal(arguments, use):
        taint |= EACH_ENV  # one for each env, or one more of a kind of which there may be as many
    # A split of another env's key is reported there, what comes of it no more.
    return uses.make(it, spread_as(taint, lambda spread: Spread.OWN), node, count, key)


def _is_literal(arguments: Arguments, use: Use) -> bool:
    """Whether a split makes a number of keys that does not depend on the number of envs."""
    if use is Use.FOLDED:
        return True
    number = arguments.get("num", 1) or arguments.get("shape", 1) or NONE
    parts = containers.known_items(number) or (number,)
    return arguments.rest is None and all(isinstance(part, Const) for part in parts)


def _count(arguments: Arguments) -> int | None:
    """How many keys a split makes, if its call says so."""
    number = arguments.get("num", 1) or Const(DEFAULT_COUNT)
    if arguments.rest is None and isinstance(number, Const) and isinstance(number.value, int):
        return number.value
    return None


def sample(
    it: Interpreter, key: Value, distribution: Value, arguments: Arguments, node: cst.CSTNode
) -> Value:
    """`distribution.sample(seed=key)`: a draw that depends on the parameters as well."""
    uses.use(it, key, Use.DRAWN, node)
    taints = [taint_of(distribution), *map(taint_of, arguments.values())]
    for option in (option for option in options(key) if option != NONE):
        seeded = Key(frozenset({Fixed(node)})) if isinstance(option, Const) else option
        taints.append(consume(it, seeded, node, KeyEffect.DRAW))
    return Opaque(merge(taints))


def initializer(name: str) -> Value:
    """What an initializer, or a factory of initializers, returns."""
    last = name.removeprefix(key_table.INITIALIZERS)
    if last in key_table.SILENT_INITIALIZERS:
        return Opaque()
    return External(key_table.ZEROS if last in key_table.SILENT_FACTORIES else INITIALIZER)


def call_keyed(it: Interpreter, name: str, arguments: Arguments, node: cst.CSTNode) -> Value:
    """A function of another module that draws from the key that it is given, if it is."""
    function = key_table.KEYED_FUNCTIONS[name]
    key = arguments.get(function.parameter, function.position) or NONE
    given = [] if _is_silent(function, arguments) else [o for o in options(key) if o != NONE]
    if given:
        uses.use(it, join_all(given), Use.DRAWN, node)
    drawn = [consume(it, option, node, KeyEffect.DRAW) for option in given]
    return Opaque(merge([*drawn, *map(taint_of, arguments.values())]))


def _is_silent(function: key_table.KeyedFunction, arguments: Arguments) -> bool:
    if function.silencer and arguments.get(*function.silencer) == Const(True):
        return True
    return function.rate is not None and arguments.get(*function.rate) in (None, Const(0.0))


def key_argument(arguments: Arguments) -> Value:
    """The key that a function of `jax.random` is given."""
    for name in KEY_PARAMETERS:
        if (value := arguments.get(name)) is not None:
            return value
    return arguments.get("", 0) or arguments.rest or Opaque()


def made_from(
    it: Interpreter, name: str, taint: Taint, node: cst.CSTNode, *, from_key: bool = False
) -> Taint:
    """The taint of a key or stream made from a seed.

    Under jit whatever PPO does not thread through both passes is a constant. What is made from
    a key rather than from a number is as that key is.
    """
    clocks = [source for source in taint if isinstance(source, Host)]
    for clock in clocks:
        it.emit(DrewOnHost(it.site(clock.node), clock.name))
    if not is_threaded(taint) and not clocks and not _given_out(taint) and not from_key:
        taint |= {Fixed(node)}
    it.emit(Constructed(it.site(node), name, taint))
    return taint


def consume(
    it: Interpreter, key: Value, node: cst.CSTNode, effect: KeyEffect, *, shared: bool = False
) -> Taint:
    """Uses a value as a key; what flows out of it.

    Something held of unknown type that was asked for this key has now shown to be a stream.
    """
    taint = taint_of(key)
    for asked in sorted((s for s in taint if isinstance(s, Asked)), key=lambda s: s.path):
        if not is_threaded(taint):
            it.emit(Drew(it.site(asked.node), Stream(taint, asked.path), is_batched=it.batches))
            taint = taint - {asked} | {Drawn(asked.node), Sample(asked.node)}
    if effect is KeyEffect.DRAW:
        source = key if isinstance(key, (Key, Stream, Opaque)) else Opaque(taint)
        taint |= drew(it, source, taint, node, shared=shared)
    return taint


def _given_out(taint: Taint) -> bool:
    return any(isinstance(source, (Drawn, Sample)) for source in taint)
