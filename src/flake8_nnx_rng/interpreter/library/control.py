"""Functions that take functions: transforms, control flow, partial application."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial

import libcst as cst

from flake8_nnx_rng.interpreter import containers, envs, trees
from flake8_nnx_rng.interpreter.engine import Interpreter
from flake8_nnx_rng.interpreter.events import MappedOver
from flake8_nnx_rng.interpreter.joins import join, join_all
from flake8_nnx_rng.interpreter.library.handlers import Handler
from flake8_nnx_rng.interpreter.marks import marks
from flake8_nnx_rng.interpreter.rounds import going_over
from flake8_nnx_rng.interpreter.taint import counted, merge
from flake8_nnx_rng.interpreter.values import (
    NONE,
    Arguments,
    Bag,
    Choice,
    Const,
    External,
    Items,
    Opaque,
    Partial,
    Record,
    Table,
    Value,
    blur,
    taint_of,
)
from flake8_nnx_rng.knowledge import functions

ROUNDS = 4
"""Rounds in which a scanned carry must settle; it is blurred if it does not."""


def _transform(name: str) -> Handler:
    """`jit(f, ...)` is `f`; `jit(...)` without a function is a decorator."""

    def handler(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
        function = arguments.get("f") or arguments.get("fun") or arguments.get("", 0)
        if function is None:
            return Partial(External(name), Arguments())
        return function

    return handler


def _map_over(name: str) -> Handler:
    """`vmap(f, in_axes, out_axes)`: `f`, to be called with rows."""

    def handler(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
        function = arguments.get("f") or arguments.get("fun") or arguments.get("", 0)
        in_axes = arguments.get("in_axes", 1) or Const(0)
        out_axes = arguments.get("out_axes", 2) or Const(0)
        if function is None:
            return Partial(External(name), arguments)
        kind = envs.VECTORIZED if name in functions.VECTORIZING else envs.MAPPED
        return Partial(External(kind), Arguments((function, in_axes, out_axes)))

    return handler


def _mapped_call(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    """Calls a mapped function with one row of what is mapped over, which must have rows."""
    with it.at_once():
        return _call_with_rows(it, arguments, node)


def _vectorized_call(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    """Calls a mapped function with one row of what is mapped over, if it has rows."""
    with it.at_once():
        return _call_by_row(it, arguments, node)


def _call_with_rows(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    for key in envs.single_keys(Items(arguments.positional[3:])) if it.maps_envs else ():
        it.emit(MappedOver(it.site(node), key))
    return _call_by_row(it, arguments, node)


def _call_by_row(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    function, in_axes, out_axes, *given = arguments.positional
    axes = _axes(in_axes, len(given))
    is_mapped = [axis != NONE for axis in axes]
    over = [value for value, yes in zip(given, is_mapped, strict=True) if yes]
    over.extend(value for _, value in arguments.keywords)
    if arguments.rest is not None:
        over.append(arguments.rest)
    maps_envs = not it.maps_envs and any(envs.is_of_all(value) for value in over)
    rows = Arguments(
        tuple(envs.mapped(v) if yes else v for v, yes in zip(given, is_mapped, strict=True)),
        tuple((name, envs.mapped(value)) for name, value in arguments.keywords),
        None if arguments.rest is None else envs.mapped(arguments.rest),
    )
    if not maps_envs:
        return it.call(function, rows, node)
    it.maps_envs = True
    result = it.call(function, rows, node)
    it.maps_envs = False
    return _unmapped(result, out_axes)


def _unmapped(result: Value, out_axes: Value) -> Value:
    """The rows of all; the axes may be given for each item of what is returned."""
    axes, items = containers.known_items(out_axes), containers.known_items(result)
    if axes is None or items is None or len(axes) != len(items):
        return envs.unmapped(result, keys_first=out_axes == Const(1))
    return Items(tuple(_unmapped(item, axis) for item, axis in zip(items, axes, strict=True)))


def _axes(in_axes: Value, count: int) -> list[Value]:
    """The axis of each argument; None for one that is not mapped over."""
    known = containers.known_items(in_axes)
    if known is None or isinstance(in_axes, Record):
        return [in_axes] * count
    return [*known[:count], *[Const(0)] * (count - len(known))]


def _gradient(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    function = arguments.get("fun") or arguments.get("f") or arguments.get("", 0)
    return Partial(External(_BLURRED), Arguments(() if function is None else (function,)))


def _blurred_call(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    function, *given = arguments.positional or (Opaque(),)
    result = it.call(function, Arguments(tuple(given), arguments.keywords, arguments.rest), node)
    return blur(result)


def _partial(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    function, *given = arguments.positional or (Opaque(),)
    return Partial(function, Arguments(tuple(given), arguments.keywords, arguments.rest))


def _scan(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    """`scan(f, init, xs)`: `f(carry, x) -> (carry, y)` until the carry settles."""
    function = arguments.get("f", 0) or Opaque()
    carry = arguments.get("init", 1)
    if carry is None:  # nnx.scan(f, ...) is a transform
        return function
    x = trees.rebuilt(arguments.get("xs", 2) or Opaque(), containers.element)
    output: Value = Opaque()

    with going_over(it, x) as begin:

        def step(state: Value) -> Value:
            nonlocal output
            begin()
            result = it.call(function, Arguments((state, x)), node)
            output = containers.item(result, containers.SECOND)
            return containers.item(result, containers.FIRST)

        carry = _settle(it, step, carry)
    return Items((carry, Bag(output)))


def _settle(it: Interpreter, step: Callable[[Value], Value], start: Value) -> Value:
    """Repeats a step until nothing new comes of it, nor becomes of keys."""
    for _ in range(ROUNDS):
        used = marks(it)
        after = join(start, step(start))
        if after == start and marks(it) == used:
            return start
        start = after
    return blur(start)


def _while_loop(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    test = arguments.get("cond_fun", 0) or Opaque()
    body = arguments.get("body_fun", 1) or Opaque()
    start = arguments.get("init_val", 2) or Opaque()

    def step(state: Value) -> Value:
        it.call(test, Arguments((state,)), node)
        return it.call(body, Arguments((state,)), node)

    return _settle(it, step, start)


def _fori_loop(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    body = arguments.get("body_fun", 2) or Opaque()
    start = arguments.get("init_val", 3) or Opaque()
    bounds = (arguments.get("lower", 0), arguments.get("upper", 1))
    counter = Opaque(counted(merge(taint_of(bound) for bound in bounds if bound is not None)))
    return _settle(it, lambda s: it.call(body, Arguments((counter, s)), node), start)


def _cond(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    """`cond(pred, true_fun, false_fun, *operands)`: either arm."""
    pred = arguments.get("pred", 0) or Opaque()
    arms = [arguments.get("true_fun", 1), arguments.get("false_fun", 2)]
    operands = Arguments(arguments.positional[3:], (), arguments.rest)
    if (operand := arguments.get("operand")) is not None:
        operands = Arguments((operand,))
    return _either(it, pred, [arm or Opaque() for arm in arms], operands, node)


def _switch(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    """`switch(index, branches, *operands)`: any branch."""
    index = arguments.get("index", 0) or Opaque()
    branches = arguments.get("branches", 1) or Opaque()
    known = containers.known_items(branches)
    arms = [containers.element(branches)] if known is None else list(known)
    operands = Arguments(arguments.positional[2:], (), arguments.rest)
    return _either(it, index, arms, operands, node)


def _either(
    it: Interpreter, test: Value, arms: list[Value], operands: Arguments, node: cst.CSTNode
) -> Value:
    result = it.branch([partial(it.call, arm, operands, node) for arm in arms])
    decided = blur(test)
    return join(result, decided) if decided.taint else result


def _map(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    """`map(f, xs, ...)`: `f` on the elements."""
    function = arguments.get("", 0) or Opaque()
    elements = tuple(containers.element(v) for v in arguments.positional[1:])
    with going_over(it, Items(elements)) as begin:
        begin()
        return Bag(it.call(function, Arguments(elements, (), arguments.rest), node))


def _map_rows(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    """`lax.map(f, xs)`: `f` on the rows of a PyTree, one after the other unless in batches."""
    function, tree = arguments.get("f", 0) or Opaque(), arguments.get("xs", 1) or Opaque()
    is_in_turn = arguments.get("batch_size", 2) in (None, NONE)
    call = _call_with_rows if is_in_turn else _mapped_call
    return call(it, Arguments((function, Const(0), Const(0), tree)), node)


def _tree_map(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    """`tree.map(f, tree, *rest)`: `f` on each leaf and its counterparts."""
    function = arguments.get("f", 0) or Opaque()
    tree, *others = arguments.positional[1:] or (arguments.get("tree") or Opaque(),)

    numbers = itertools.count()

    def at(leaf: Value, rest: tuple[Value, ...]) -> Value:
        with it.round(next(numbers)):
            return it.call(function, Arguments((leaf, *rest), (), arguments.rest), node)

    return _over_leaves(tree, tuple(others), at)


def _over_leaves(
    tree: Value, others: tuple[Value, ...], at: Callable[[Value, tuple[Value, ...]], Value]
) -> Value:
    """The same collections with every leaf replaced by what comes of it and its counterparts."""

    def below(part: Value, index: Value) -> Value:
        return _over_leaves(part, tuple(containers.item(o, index) for o in others), at)

    match tree:
        case Items(items):
            return Items(tuple(below(item, Const(i)) for i, item in enumerate(items)))
        case Table(items, rest):
            table = tuple((key, below(item, Const(key))) for key, item in items)
            return Table(table, None if rest is None else below(rest, Opaque()))
        case Record(_, fields):
            return tree.with_values(below(v, Const(i)) for i, (_, v) in enumerate(fields))
        case Bag(element):
            return Bag(below(element, Opaque()))
        case Choice(alternatives):
            return join_all(_over_leaves(option, others, at) for option in alternatives)
        case Const(None):
            return tree
        case _:
            return at(tree, others)


def _reduce(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    """`reduce(f, xs, start)`: one item after the other if they are known."""
    function, collection = arguments.get("", 0) or Opaque(), arguments.get("", 1) or Opaque()
    start = arguments.get("", 2)
    items = containers.known_items(collection)
    if items is None:
        element = containers.element(collection)
        first = element if start is None else start
        return _settle(it, lambda s: it.call(function, Arguments((s, element)), node), first)
    rest = list(items) if start is not None else list(items[1:])
    value = start if start is not None else join_all(items[:1])
    for item in rest:
        value = it.call(function, Arguments((value, item)), node)
    return value


def _differentiated(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    """`vjp(f, *primals)` calls `f` at once, and returns something with its value first."""
    function, *primals = arguments.positional or (Opaque(),)
    given = [one for value in primals for one in containers.known_items(value) or (value,)]
    result = it.call(function, Arguments(tuple(given), (), arguments.rest), node)
    return Items((result, Partial(External(_BLURRED), Arguments((blur(result),)))))


def _callback(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    """`pure_callback(f, result_shape, *args)`: `f` on the arguments."""
    function, *given = arguments.positional or (Opaque(),)
    given = given[1:]
    return it.call(function, Arguments(tuple(given), arguments.keywords, arguments.rest), node)


_BLURRED = "flake8_nnx_rng.blurred"

HANDLERS: dict[str, Handler] = {
    **{name: _map_over(name) for name in functions.MAPS},
    envs.MAPPED: _mapped_call,
    envs.VECTORIZED: _vectorized_call,
    **{name: _transform(name) for name in functions.TRANSFORMS},
    **dict.fromkeys(functions.GRADIENTS, _gradient),
    _BLURRED: _blurred_call,
    **dict.fromkeys(functions.DIFFERENTIATED, _differentiated),
    "functools.reduce": _reduce,
    "functools.partial": _partial,
    "functools.partialmethod": _partial,
    "jax.tree_util.Partial": _partial,
    "jax.lax.scan": _scan,
    "flax.nnx.scan": _scan,
    "jax.lax.while_loop": _while_loop,
    "flax.nnx.while_loop": _while_loop,
    "jax.lax.fori_loop": _fori_loop,
    "flax.nnx.fori_loop": _fori_loop,
    "jax.lax.cond": _cond,
    "flax.nnx.cond": _cond,
    "jax.lax.switch": _switch,
    "flax.nnx.switch": _switch,
    "jax.lax.map": _map_rows,
    "builtins.map": _map,
    "jax.tree.map": _tree_map,
    "jax.tree_util.tree_map": _tree_map,
    "jax.tree_map": _tree_map,
    "jax.pure_callback": _callback,
    "jax.experimental.io_callback": _callback,
}
