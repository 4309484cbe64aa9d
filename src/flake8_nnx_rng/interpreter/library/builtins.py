"""Python's own functions, as far as they hand values on."""

from __future__ import annotations

import libcst as cst

from flake8_nnx_rng.interpreter import attributes, containers, envs, tests
from flake8_nnx_rng.interpreter.assignment import write_attribute
from flake8_nnx_rng.interpreter.engine import Interpreter
from flake8_nnx_rng.interpreter.joins import join, join_all
from flake8_nnx_rng.interpreter.library.handlers import Handler
from flake8_nnx_rng.interpreter.taint import Taint, counted, merge
from flake8_nnx_rng.interpreter.values import (
    NONE,
    Arguments,
    Bag,
    Class,
    Const,
    External,
    Instance,
    Items,
    Opaque,
    Partial,
    Stream,
    Table,
    Value,
    blur,
    options,
    taint_of,
)
from flake8_nnx_rng.knowledge import keys, streams

NONE_TYPE = External("types.NoneType")
KEY_TYPE = External(keys.KEY_TYPE)

MAX_KNOWN = 16
"""Numbers of a range that are told apart."""


def _zip(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    known = [containers.known_items(value) for value in arguments.positional]
    if known and all(items is not None for items in known):
        rows = zip(*(items for items in known if items is not None), strict=False)
        return Items(tuple(Items(row) for row in rows))
    return Bag(Items(tuple(containers.element(value) for value in arguments.positional)))


def _enumerate(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    collection = arguments.get("iterable", 0) or Opaque()
    known = containers.known_items(collection)
    if known is not None:
        return Items(tuple(Items((Const(i), value)) for i, value in enumerate(known)))
    return Bag(Items((Opaque(_places(it, collection)), containers.element(collection))))


def _places(it: Interpreter, collection: Value) -> Taint:
    """What flows into the places in a collection, such as the rows of a batch."""
    return counted(taint_of(containers.item(envs.shape(it, collection), containers.FIRST)))


def _collection(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    collection = arguments.get("", 0)
    if collection is None:
        return Items(())
    known = containers.known_items(collection)
    return Bag(containers.element(collection)) if known is None else Items(known)


def _reversed(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    known = containers.known_items(arguments.get("", 0) or Opaque())
    return _collection(it, arguments, node) if known is None else Items(known[::-1])


def _dict(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    table = Table(())
    if len(arguments.values()) == 1 and tests.is_fed_back(arguments.values()[0]):
        return arguments.values()[0]
    for value in arguments.positional:
        table = containers.with_all(table, value) if isinstance(value, Table) else _pairs(value)
    return containers.with_all(table, Table(arguments.keywords, arguments.rest))


def _pairs(value: Value) -> Table:
    """`dict(pairs)`: the values, under keys that are forgotten."""
    return Table((), containers.item(containers.element(value), containers.SECOND))


def _next(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    found = containers.element(arguments.get("", 0) or Opaque())
    default = arguments.get("", 1)
    return found if default is None else join(found, default)


def _range(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    """Numbers one after the other if they are literals; else one for each env, if that many."""
    given = [value.value for value in arguments.values() if isinstance(value, Const)]
    bounds = [number for number in given if isinstance(number, int)]
    if len(bounds) == len(arguments.values()):
        try:
            numbers = range(*bounds)
        except (TypeError, ValueError):  # an error of the user's
            return Bag(Opaque())
        if len(numbers) <= MAX_KNOWN:
            return Items(tuple(map(Const, numbers)))
    return Bag(Opaque(counted(merge(map(taint_of, arguments.values())))))


def _len(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    collection = arguments.get("", 0) or Opaque()
    known = containers.known_items(collection)
    if known is not None:
        return Const(len(known))
    return containers.item(envs.shape(it, collection), containers.FIRST)


def _getattr(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    target, name = arguments.get("", 0) or Opaque(), arguments.get("", 1)
    default = arguments.get("", 2)

    def found(value: Value) -> Value:
        if value == NONE and default is not None:
            return default
        if isinstance(name, Const) and isinstance(name.value, str):
            return attributes.attribute(it, value, name.value, node)
        if isinstance(value, Instance):
            prefix = _known_prefix(node)
            if prefix:
                return attributes.attributes_like(it, value, prefix, node)
            return attributes.every_attribute(it, value)
        if isinstance(value, Stream):
            return containers.named_stream(value, None, value.path)
        return attributes.attribute(it, value, attributes.COMPUTED, node)

    value = it.each(target, found)
    # A stream is always found, whatever its name: nnx.Rngs falls back to its default stream.
    if default is None or all(_is_found(option) for option in options(value)):
        return value
    return join(value, default)


def _known_prefix(node: cst.CSTNode) -> str:
    """The literal beginning of a computed name: `"_draw_" + kind` or `f"_draw_{kind}"`."""
    if not isinstance(node, cst.Call) or len(node.args) < 2:
        return ""
    computed = node.args[1].value
    if isinstance(computed, cst.BinaryOperation):
        computed = computed.left
    if isinstance(computed, cst.SimpleString):
        return str(computed.evaluated_value)
    if isinstance(computed, cst.FormattedString) and computed.parts:
        first = computed.parts[0]
        return first.value if isinstance(first, cst.FormattedStringText) else ""
    return ""


def _is_found(value: Value) -> bool:
    """Whether `getattr` finds it for certain: streams, and parts of what is fed back."""
    return isinstance(value, Stream) or tests.truth(value) is True


def _isinstance(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    """Decided for what may be None: whoever tests the extras' type has emitted that type.

    That a stream is of the type it is taken for is believed, that it is of none other is not.
    """
    value, kind = arguments.get("", 0) or Opaque(), arguments.get("", 1)
    if isinstance(value, Stream) and kind == External(_stream_type(value)):
        return Const(True)
    absent = tests.is_none(value)
    if absent is None or not (absent or tests.is_fed_back(value)):
        return Opaque()
    kinds = kind.items if isinstance(kind, Items) else (kind,)
    if NONE_TYPE in kinds:
        return Const(absent) if len(kinds) == 1 else Opaque()
    are_classes = all(isinstance(one, (Class, External)) for one in kinds)
    return Const(not absent) if are_classes else Opaque()


def _stream_type(stream: Stream) -> str:
    return streams.STREAM if stream.single else streams.RNGS


def _issubdtype(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    """Decided only for keys, by which a reset tells what to keep."""
    is_key = (arguments.get("arg1", 0), arguments.get("arg2", 1)) == (KEY_TYPE, KEY_TYPE)
    return Const(True) if is_key else Opaque()


def _bool(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    value = arguments.get("", 0) or Const(False)
    decided = tests.truth(value)
    return blur(value) if decided is None else Const(decided)


def _type(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    value = arguments.get("", 0) or Opaque()
    if value == NONE:
        return NONE_TYPE
    return join_all(Class(o.cls) for o in options(value) if isinstance(o, Instance))


def _filter(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    test, collection = arguments.get("", 0) or NONE, arguments.get("", 1) or Opaque()
    element = it.iterate(collection, node)
    if test != NONE:
        it.call(test, Arguments((element,)), node)
    return Bag(element)


def _chain(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    known = [containers.known_items(value) for value in arguments.positional]
    if all(items is not None for items in known):
        return Items(tuple(item for items in known for item in items or ()))
    return Bag(join_all(containers.element(value) for value in arguments.values()))


def _first_from(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    """The first argument that is not None (flax's helper for overrides)."""
    found: list[Value] = []
    for value in arguments.positional:
        if tests.is_none(value) is not True:
            found.append(value)
        if tests.is_none(value) is False:
            break
    return join_all(found)


def _setattr(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    target, name = arguments.get("", 0) or Opaque(), arguments.get("", 1)
    is_known = isinstance(name, Const)
    written = str(name.value) if isinstance(name, Const) else attributes.COMPUTED
    value = arguments.get("", 2) or Opaque()
    for option in options(target):
        write_attribute(it, option, written, value, node, is_certain=is_known)
    return NONE


def _vars(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    return it.each(
        arguments.get("", 0) or Opaque(), lambda v: attributes.attribute(it, v, "__dict__", node)
    )


def _made_method(name: str) -> Handler:
    def handler(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
        function = arguments.get("fget") or arguments.get("", 0) or Opaque()
        return Partial(External(name), Arguments((function,)))

    return handler


HANDLERS: dict[str, Handler] = {
    "builtins.property": _made_method("builtins.property"),
    "builtins.staticmethod": _made_method("builtins.staticmethod"),
    "builtins.zip": _zip,
    "builtins.enumerate": _enumerate,
    "builtins.list": _collection,
    "builtins.tuple": _collection,
    "builtins.iter": _collection,
    "builtins.sorted": _collection,
    "builtins.reversed": _reversed,
    "builtins.dict": _dict,
    "builtins.next": _next,
    "builtins.range": _range,
    "builtins.len": _len,
    "builtins.getattr": _getattr,
    "builtins.setattr": _setattr,
    "builtins.object.__setattr__": _setattr,
    "builtins.vars": _vars,
    "builtins.bool": _bool,
    "builtins.isinstance": _isinstance,
    "builtins.type": _type,
    "jax.dtypes.issubdtype": _issubdtype,
    "jax.numpy.issubdtype": _issubdtype,
    "builtins.filter": _filter,
    "builtins.set": _collection,
    "builtins.frozenset": _collection,
    "collections.deque": _collection,
    "itertools.chain": _chain,
    "itertools.cycle": _collection,
    "itertools.islice": _collection,
    "types.SimpleNamespace": _dict,
    "flax.nnx.Module": _dict,
    "flax.nnx.first_from": _first_from,
    "collections.OrderedDict": _dict,
    "flax.nnx.Dict": _dict,
    "flax.nnx.List": _collection,
}
