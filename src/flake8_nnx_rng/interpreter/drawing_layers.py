"""From which streams a layer of Flax draws when it is called."""

from __future__ import annotations

from flake8_nnx_rng.interpreter.taint import CLEAN, Held
from flake8_nnx_rng.interpreter.values import (
    NONE,
    Arguments,
    Const,
    Key,
    Layer,
    Opaque,
    Stream,
    options,
    taint_of,
)
from flake8_nnx_rng.knowledge import layers


def sources(layer: Layer, arguments: Arguments) -> list[Stream | Key | Opaque]:
    """What a layer draws from when it is called; nothing if it is silent."""
    drawing = layers.DRAWING_LAYERS.get(layer.name)
    if drawing is None or _is_silent(drawing, layer, arguments):
        return []
    return passed_or_own(layer, drawing.stream, arguments)


def passed_or_own(
    layer: Layer, attribute: str, arguments: Arguments
) -> list[Stream | Key | Opaque]:
    """The key or stream that a call passes, else the stream that the layer keeps."""
    passed = arguments.get(layers.KEY_ARGUMENT)
    found: list[Stream | Key | Opaque] = []
    for option in options(NONE if passed is None else passed):
        if option == NONE:
            found.append(own_stream(layer, attribute))
        elif isinstance(option, (Stream, Key, Opaque)):
            found.append(option)
        else:
            found.append(Opaque(taint_of(option)))
    return found


def _is_silent(drawing: layers.DrawingLayer, layer: Layer, arguments: Arguments) -> bool:
    if arguments.get(layers.SILENT_FLAG) == Const(True):
        return True
    if drawing.rate is None:
        return False
    rate = layer.arguments.get(drawing.rate, drawing.rate_position)
    if rate is None:
        return not drawing.default_draws and layer.arguments.rest is None and layer.is_built
    return isinstance(rate, Const) and rate.value in drawing.silent_rates


def own_stream(layer: Layer, attribute: str) -> Stream:
    """The stream that a layer keeps; a layer built in the pass has the one that it was given."""
    if layer.path is None:
        given = layer.arguments.get(layers.KEY_ARGUMENT)
        return Stream(CLEAN if given is None else taint_of(given))
    path = f"{layer.path}.{attribute}"
    return Stream(frozenset({Held(path)}), path)
