"""`jax.random`: deriving keys and drawing from them."""

from __future__ import annotations

import libcst as cst

from flake8_nnx_rng.interpreter.drawing import drew
from flake8_nnx_rng.interpreter.engine import Interpreter
from flake8_nnx_rng.interpreter.events import Constructed, Drew, DrewOnHost
from flake8_nnx_rng.interpreter.joins import join_all
from flake8_nnx_rng.interpreter.taint import (
    Asked,
    Drawn,
    Fixed,
    Host,
    Sample,
    Taint,
    is_threaded,
    merge,
)
from flake8_nnx_rng.interpreter.values import (
    Arguments,
    Key,
    Opaque,
    Stream,
    Value,
    options,
    taint_of,
)
from flake8_nnx_rng.knowledge.keys import KEY_PARAMETERS, PREFIX, RANDOM, KeyEffect

INITIALIZER = f"{PREFIX}<initializer>"
"""An initializer that was built and is called with a key: it draws like any other function."""


def call_random(it: Interpreter, name: str, arguments: Arguments, node: cst.CSTNode) -> Value:
    """The effect of `jax.random.<name>`; an unknown name is taken to draw."""
    effect = RANDOM.get(name, KeyEffect.DRAW)
    key = key_argument(arguments)
    others = merge(taint_of(v) for v in arguments.values() if v is not key)
    if effect is KeyEffect.CONSTRUCT:
        taint = taint_of(key) | others
        return Key(made_from(it, f"{PREFIX}{name}", taint, node, from_key=isinstance(key, Key)))
    if effect is KeyEffect.NEUTRAL:
        return Opaque()
    kind = Key if effect is KeyEffect.DERIVE else Opaque
    taints = [consume(it, option, node, effect) for option in options(key)]
    return join_all(kind(taint | others) for taint in taints)


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


def consume(it: Interpreter, key: Value, node: cst.CSTNode, effect: KeyEffect) -> Taint:
    """Uses a value as a key; what flows out of it.

    Something held of unknown type that was asked for this key has now shown to be a stream.
    """
    taint = taint_of(key)
    for asked in sorted((s for s in taint if isinstance(s, Asked)), key=lambda s: s.path):
        if not is_threaded(taint):
            it.emit(Drew(it.site(asked.node), Stream(taint, asked.path)))
            taint = taint - {asked} | {Drawn(asked.node), Sample(asked.node)}
    if effect is KeyEffect.DRAW:
        source = key if isinstance(key, (Key, Stream, Opaque)) else Opaque(taint)
        taint |= drew(it, source, taint, node)
    return taint


def _given_out(taint: Taint) -> bool:
    return any(isinstance(source, (Drawn, Sample)) for source in taint)
