"""Layers of Flax and modules of the project, when they are built and when they are called."""

from __future__ import annotations

import libcst as cst

from flake8_nnx_rng.interpreter import children, containers, inheritance, uses
from flake8_nnx_rng.interpreter.drawing import advance, drew
from flake8_nnx_rng.interpreter.drawing_layers import own_stream, passed_or_own, sources
from flake8_nnx_rng.interpreter.engine import Interpreter
from flake8_nnx_rng.interpreter.events import Use, Wrote
from flake8_nnx_rng.interpreter.joins import SEQUENTIAL, join_all
from flake8_nnx_rng.interpreter.taint import Learned, merge
from flake8_nnx_rng.interpreter.unknown import call_functions_in, unknown_call
from flake8_nnx_rng.interpreter.values import (
    NONE,
    Arguments,
    Const,
    Instance,
    Layer,
    Opaque,
    Stream,
    Value,
    blur,
    options,
)
from flake8_nnx_rng.knowledge import layers
from flake8_nnx_rng.knowledge.children import promise_of_library

_NNX = "flax.nnx."


def is_layer_class(name: str) -> bool:
    """Whether a canonical name is that of a class of Flax NNX."""
    return name.startswith(_NNX) and name.rpartition(".")[2][:1].isupper()


def construct_layer(it: Interpreter, name: str, arguments: Arguments, node: cst.CSTNode) -> Value:
    """A layer is built; its parameters are drawn from the stream that it is given."""
    given = arguments.get(layers.KEY_ARGUMENT)
    if given is None:
        return Layer(name, arguments)
    forked = join_all(
        advance(it, option, node) if isinstance(option, Stream) and option.path else option
        for option in options(given)
    )
    others = tuple((n, v) for n, v in arguments.keywords if n != layers.KEY_ARGUMENT)
    keywords = (*others, (layers.KEY_ARGUMENT, forked))
    return Layer(name, Arguments(arguments.positional, keywords, arguments.rest))


def call_layer(it: Interpreter, layer: Layer, arguments: Arguments, node: cst.CSTNode) -> Value:
    """A layer is called: it may draw, and so may the layers that it holds."""
    if promise_of_library(layer.name) is not None:
        return children.call_child(it, layer, arguments, node)
    result = blur(layer, *arguments.values())
    if layer.path is not None and layer.name not in layers.WITHOUT_PARAMETERS:
        result = Opaque(result.taint | {Learned(layer.path)})
    if layer.name == SEQUENTIAL:
        return _call_chain(it, layer, arguments, node)
    if layer.name in layers.RECURRENT_CALLERS:
        _ask_for_carry(it, layer, arguments, node)
    if layer.path is not None and _writes(layer, arguments):
        it.emit(Wrote(it.site(node), layer.path, layer, result))
    drawn_from = sources(layer, arguments)
    if not drawn_from:
        call_functions_in(it, arguments, node)
        return result
    uses.use(it, join_all(drawn_from), Use.DRAWN, node)
    shared = not (it.maps_envs or it.batches) and _has_one_mask(layer)
    drawn = (drew(it, s, s.taint, node, layer, shared=shared) for s in drawn_from)
    return Opaque(merge([result.taint, *drawn]))


def _has_one_mask(layer: Layer) -> bool:
    flag = layers.ONE_MASK.get(layer.name)
    return flag is not None and layer.arguments.get(flag) in (None, Const(True))


def call_layer_method(
    it: Interpreter, layer: Layer, name: str, arguments: Arguments, node: cst.CSTNode
) -> Value:
    """A method of a layer; asking a cell for a random carry draws from what is passed."""
    if name == "__call__":
        return call_layer(it, layer, arguments, node)
    if name in layers.RETURNING_SELF:
        return layer
    given = arguments.get(layers.KEY_ARGUMENT, 1)
    if given is None and name == layers.CARRY_METHOD and _has_random_carry(layer):
        own = own_stream(layer, "rngs")
        return Opaque(blur(layer).taint | drew(it, own, own.taint, node, layer))
    for option in options(given) if given is not None else ():
        if isinstance(option, Stream):
            advance(it, option, node)
    return blur(layer, *arguments.values())


def call_instance(
    it: Interpreter, instance: Instance, arguments: Arguments, node: cst.CSTNode
) -> Value:
    """A module of the project is called.

    A `StatefulModule` is checked by itself, and its draws are replayed through its own carry
    and extras, so its inside is not this module's business.
    """
    if it.hierarchy.is_stateful(instance.cls):
        return children.call_child(it, instance, arguments, node)
    function = inheritance.member(it, instance.cls, "__call__")
    if function is None and (part := inheritance.library_part(it, instance)) is not None:
        return it.call(part, arguments, node)
    if function is None:
        return unknown_call(it, instance.cls.name, instance, arguments, node)
    return it.call(inheritance.bind(it, function, instance, node), arguments, node)


def _call_chain(it: Interpreter, layer: Layer, arguments: Arguments, node: cst.CSTNode) -> Value:
    passed = arguments
    value: Value = blur(*arguments.values())
    for child in containers.children_of(layer):
        value = it.call(child, passed, node)
        passed = Arguments((value,), arguments.keywords)
    return value


def _ask_for_carry(it: Interpreter, layer: Layer, arguments: Arguments, node: cst.CSTNode) -> None:
    """Without `initial_carry` the cell makes one: random only if it was given a `carry_init`."""
    carry = arguments.get(layers.CARRY_ARGUMENT)
    if carry is not None and carry != NONE:
        return
    for cell in layer.arguments.values():
        for option in options(cell):
            if isinstance(option, Layer) and _has_random_carry(option):
                for source in passed_or_own(layer, layers.KEY_ARGUMENT, arguments):
                    drew(it, source, source.taint, node, layer)


def _has_random_carry(cell: Layer) -> bool:
    return cell.arguments.get(layers.CARRY_INITIALIZER) is not None


def _writes(layer: Layer, arguments: Arguments) -> bool:
    """Whether a call of a layer writes the state that the layer keeps."""
    writing = layers.WRITING_LAYERS.get(layer.name)
    if writing is None or writing.flag is None:
        return writing is not None
    said = arguments.get(writing.flag, writing.flag_position)
    if said in (None, NONE) and writing.hears_constructor:
        said = layer.arguments.get(writing.flag)
    if said is None:
        return writing.writes_unsaid
    return not (isinstance(said, Const) and said.value in writing.silent_values)
