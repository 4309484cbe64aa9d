"""Finds public names of the libraries that no table classifies, by looking at their sources.

A name counts if its code takes, keeps or moves random state: some identifier in it is spelled as
random state is (`rngs`, `RngStream`, `make_rng`, `jax.random`, `seed`). What only a constructor
hands on to initializers does not count, as construction may draw as it likes.
"""

from __future__ import annotations

import ast
import contextlib
import inspect
import re
import textwrap
import typing
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import flax.nnx as nnx

from flake8_nnx_rng.knowledge import functions, host, keys, layers, library, streams

INERT: dict[str, str] = {
    "flax.nnx.GRUCell": "its stream is kept for initialize_carry, which RNN calls",
    "flax.nnx.LSTMCell": "its stream is kept for initialize_carry, which RNN calls",
    "flax.nnx.OptimizedLSTMCell": "its stream is kept for initialize_carry, which RNN calls",
    "flax.nnx.SimpleCell": "its stream is kept for initialize_carry, which RNN calls",
    "flax.nnx.RNNCellBase": "the base class of the cells, whose initialize_carry is abstract",
    "flax.nnx.Sequential": "hands rngs on to its layers and has none itself",
    "flax.nnx.tabulate": "shows the streams of a module",
    "flax.nnx.bridge.Functional": "NNX behind an init/apply interface, for code outside modules",
    "flax.nnx.bridge.Module": "a base class for linen's style; what its make_rng gives is a key",
    "flax.nnx.bridge.Scope": "what a bridge.Module keeps while linen's style is in force",
    "flax.nnx.bridge.ToLinen": "a linen module, which NNX code does not call",
    "flax.nnx.bridge.to_linen": "makes a linen module, which NNX code does not call",
    "flax.nnx.bridge.linen_in_bridge_mdl": "the machinery of bridge.Module",
    "flax.nnx.bridge.nnx_in_bridge_mdl": "the machinery of bridge.Module",
    "flax.nnx.SplitBackups": "what split_rngs returns, to be restored",
}
"""Names that mention random state and draw nothing in a forward pass, each with the reason."""

_STATE = re.compile(r"(^|_)p?rngs?(_|$)|^Rng|random|(^|_)(re)?seed(_|$)|make_rng|prng_key")
_KEY = re.compile(r"^(.*_)?(p?rng|key|seed)$|^keys$")

CLASSIFIED: frozenset[str] = frozenset(
    {
        *layers.DRAWING_LAYERS,
        *layers.RECURRENT_CALLERS,
        *layers.WRITING_LAYERS,
        *streams.STREAM_TYPES,
        *streams.VARIABLE_TYPES,
        *streams.ADVANCE_FUNCTIONS,
        *streams.STATE_FILTERS,
        *keys.KEYED_FUNCTIONS,
        *functions.TRANSFORMS,
        *functions.PASS_THROUGH,
        *INERT,
    }
)
"""Every name of which some table says what it does."""


def random_functions(module: ModuleType) -> set[str]:
    """Public functions of `jax.random` that the table lacks."""
    return set(_callables(module)) - keys.RANDOM.keys()


def stream_methods(owner: Any) -> set[str]:
    """Public methods of a stream, or of a collection of streams, that the tables lack."""
    return {name for name in dir(owner) if not name.startswith("_")} - (
        streams.DRAW_METHODS
        | streams.INITIALIZER_METHODS
        | streams.ADVANCE_METHODS
        | streams.MAPPING_METHODS
    )


def initializers(module: ModuleType) -> set[str]:
    """Public names of `jax.nn.initializers` of which it is not known whether they draw."""
    drawing = keys.DRAWS | streams.INITIALIZER_METHODS  # streams have all of them as methods
    known = keys.SILENT_INITIALIZERS | keys.SILENT_FACTORIES | drawing
    public = {name for name in _callables(module) if inspect.isroutine(getattr(module, name))}
    return public - known


def flax_names(module: ModuleType) -> set[str]:
    """Public classes and functions of a module of Flax on random state that no table has."""
    public = {
        library.canonical(f"{module.__name__}.{name}"): value
        for name, value in vars(module).items()
        if not name.startswith("_") and (inspect.isclass(value) or inspect.isroutine(value))
    }
    handle = {name for name, value in public.items() if handles_random_state(value)}
    return handle - CLASSIFIED


def functions_taking(module: ModuleType) -> set[str]:
    """Public functions with a parameter that is called as keys and seeds are.

    What stands between a query and a value is a key of attention, and `rngs` of a lifted
    transform of linen are names of streams, so neither counts.
    """
    found = set()
    for name in _callables(module):
        with contextlib.suppress(TypeError, ValueError):  # some have no signature
            taken = set(inspect.signature(getattr(module, name)).parameters)
            attention = {"key"} if "query" in taken else set()
            if any(map(_KEY.search, taken - attention)):
                found.add(library.canonical(f"{module.__name__}.{name}"))
    return found


def writing_layers(module: ModuleType) -> set[str]:
    """Public layers whose call writes their own state, and that the table lacks."""
    public = {
        library.canonical(f"{module.__name__}.{name}"): value
        for name, value in vars(module).items()
        if inspect.isclass(value) and issubclass(value, nnx.Module)
    }
    writing = {name for name, value in public.items() if writes_state(value)}
    return writing - layers.WRITING_LAYERS.keys()


def host_functions(module: ModuleType, prefix: str) -> set[str]:
    """Functions of a module of host randomness that neither draw nor are known to be silent."""
    known = host.GENERATOR_SILENT | {n.rpartition(".")[2] for n in host.GENERATOR_FACTORIES}
    return {
        name
        for name in _callables(module)
        if not host.draws_on_host(f"{prefix}.{name}") and name not in known
    }


def handles_random_state(value: Any) -> bool:
    """Whether a class's methods, or a function, take, keep or move random state."""
    return any(
        _STATE.search(name)
        for definition in _definitions(value)
        for name in _identifiers(definition)
    )


def writes_state(layer: type) -> bool:
    """Whether a layer assigns to what it holds in a method that its call can reach."""
    methods = {node.name: node for node in _class_body(layer) if isinstance(node, ast.FunctionDef)}
    pending, reached = ["__call__"], set[str]()
    while pending:
        name = pending.pop()
        if name in methods and name not in reached:
            reached.add(name)
            pending.extend(
                node.attr for node in ast.walk(methods[name]) if isinstance(node, ast.Attribute)
            )
    return any(_writes(methods[name]) for name in reached)


def _writes(method: ast.FunctionDef) -> bool:
    """Whether a method assigns to the content of a Variable or to an attribute of its own."""
    for node in ast.walk(method):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in streams.WRITE_METHODS:
                return True
        elif isinstance(node, ast.Assign):
            if any(map(_is_own, node.targets)):
                return True
        elif isinstance(node, ast.AugAssign) and _is_own(node.target):
            return True
    return False


def _is_own(target: ast.expr) -> bool:
    if isinstance(target, ast.Subscript):
        return _is_ellipsis(target.slice)
    return isinstance(target, ast.Attribute) and _root(target) == "self"


def _is_ellipsis(index: ast.expr) -> bool:
    return isinstance(index, ast.Constant) and index.value is Ellipsis


def _root(node: ast.expr) -> str:
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _callables(module: ModuleType) -> Iterator[str]:
    """The functions of a module, classes and types such as `jax.random.Key` aside."""
    for name, value in vars(module).items():
        is_type = isinstance(value, (type, typing.NewType))
        if not name.startswith("_") and callable(value) and not is_type:
            yield name


def _definitions(value: Any) -> list[ast.stmt]:
    """What of a class or function runs when it is used; of a constructor, what it keeps."""
    if not inspect.isclass(value):
        tree = _parsed(value)
        return [] if tree is None else tree.body
    found: list[ast.stmt] = []
    for node in _class_body(value):
        if isinstance(node, ast.FunctionDef) and node.name == "__init__":
            found.extend(_kept(node))
        elif isinstance(node, ast.FunctionDef):
            found.append(node)
    return found


def _kept(constructor: ast.FunctionDef) -> Iterator[ast.stmt]:
    """Assignments of a constructor that keep what it was given, or a fork of it."""
    for node in ast.walk(constructor):
        if isinstance(node, ast.Assign) and any(_root(target) == "self" for target in node.targets):
            value = node.value
            while isinstance(value, ast.Call):
                value = value.func
            if _STATE.search(_root(value)):
                yield ast.Expr(value)


def _class_body(cls: type) -> Iterator[ast.stmt]:
    """The members of a class and of the layers of Flax that it derives from."""
    for ancestor in cls.__mro__:
        if ancestor not in nnx.Module.__mro__:
            for node in getattr(_parsed(ancestor), "body", []):
                yield from getattr(node, "body", [])


def _parsed(value: Any) -> ast.Module | None:
    """The syntax tree of a class or function; None for what is written in C."""
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(value))))
    except (OSError, TypeError, SyntaxError):
        return None


def _identifiers(tree: ast.AST) -> Iterator[str]:
    """The identifiers of a piece of code, its annotations aside."""
    for field, child in ast.iter_fields(tree):
        if field in ("annotation", "returns"):
            continue
        for one in child if isinstance(child, list) else [child]:
            if isinstance(one, ast.AST):
                yield from _identifiers(one)
            elif field in ("id", "attr", "arg", "name") and isinstance(one, str):
                yield one
