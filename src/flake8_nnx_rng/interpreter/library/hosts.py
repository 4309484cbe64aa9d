"""Generators of the host: `numpy.random.Generator`, `random.Random` and their like."""

from __future__ import annotations

import libcst as cst

from flake8_nnx_rng.interpreter.engine import Interpreter
from flake8_nnx_rng.interpreter.events import DrewOnHost
from flake8_nnx_rng.interpreter.taint import Host
from flake8_nnx_rng.interpreter.values import Layer, Opaque, Value
from flake8_nnx_rng.knowledge import host


def is_generator(value: Layer) -> bool:
    """Whether an object of a library is a host generator."""
    return value.name in host.GENERATOR_FACTORIES


def call_generator(it: Interpreter, generator: Layer, name: str, node: cst.CSTNode) -> Value:
    """A method of a host generator draws, unless it only sets it up."""
    if name in host.GENERATOR_SILENT:
        return Opaque()
    drawn = f"{generator.path or generator.name}.{name}"
    it.emit(DrewOnHost(it.site(node), drawn))
    return Opaque(frozenset({Host(drawn, node)}))
