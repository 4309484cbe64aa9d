"""The module under test as plain data: its structure, its state, and the names of both."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import functools
import inspect
import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import jax
import numpy as np
from flax import nnx

from nnx_ppo_ref.oracle import jaxprs

Fingerprint = Any


@dataclasses.dataclass(frozen=True)
class Subject:
    """A module taken apart.

    Attributes:
        graph: Its structure, from `nnx.split`.
        leaves: The arrays of its state, Variables and plain attributes alike.
        names: Their paths, such as `layers.0.kernel`.
        kinds: Class names of their Variables; `array` for a plain attribute.
        trained: Whether they are parameters.
        takes_extras: Whether the module may be called with rollout extras.
        classes: The classes of the stateful modules in it.
        fingerprints: What its other attributes hold, by path.
    """

    graph: Any
    tree: Any
    leaves: tuple[Any, ...]
    names: tuple[str, ...]
    kinds: tuple[str, ...]
    trained: tuple[bool, ...]
    takes_extras: bool
    classes: tuple[type, ...]
    fingerprints: Mapping[str, Fingerprint]

    @staticmethod
    def of(module: Any) -> Subject:
        """Takes a module apart; the module is left alone.

        Raises:
            TypeError: If it has no `initialize_state`, `reset_state` and `__call__`.
        """
        if not _is_stateful(module):
            raise TypeError(
                f"{type(module).__name__} is not a stateful module: it needs __call__, "
                "initialize_state and reset_state; pass an instance or a function that makes one"
            )
        graph, state = nnx.split(module)
        found, tree = jax.tree.flatten(state)
        # A Variable may hold a Python number, which `jit` and `scan` turn into an array too.
        leaves = [leaf if hasattr(leaf, "dtype") else jax.numpy.asarray(leaf) for leaf in found]
        names, kinds, trained = _labels(state)
        nodes = [node for _, node in nnx.iter_graph(module)]
        classes = dict.fromkeys(type(node) for node in nodes if _is_stateful(node))
        return Subject(
            graph=graph,
            tree=tree,
            leaves=tuple(leaves),
            names=names,
            kinds=kinds,
            trained=trained,
            takes_extras=_takes_extras(module),
            classes=tuple(classes),
            fingerprints=_fingerprints(module),
        )

    @property
    def streams(self) -> tuple[int, ...]:
        """The positions of stream counters among the leaves."""
        return tuple(i for i, kind in enumerate(self.kinds) if kind == "RngCount")

    @property
    def parameters(self) -> tuple[int, ...]:
        """The positions of trainable arrays among the leaves."""
        return tuple(
            i
            for i, (trained, leaf) in enumerate(zip(self.trained, self.leaves, strict=True))
            if trained and jax.numpy.issubdtype(leaf.dtype, jax.numpy.floating)
        )

    def merge(self, leaves: Any) -> Any:
        """A module with this structure and other arrays."""
        state = jax.tree.unflatten(self.tree, list(leaves))
        return nnx.merge(self.graph, state, copy=True)

    def after(self, module: Any, before: Any) -> tuple[list[Any], list[str]]:
        """The arrays of a module that was merged and run, and what else changed in it.

        Returns:
            Arrays in the order of `names`, those of `before` where one is gone; and sentences.
        """
        _, state = nnx.split(module)
        names = _labels(state)[0]
        found = dict(zip(names, jax.tree.leaves(state), strict=True))
        leaves = [found.get(name, leaf) for name, leaf in zip(self.names, before, strict=True)]
        notes = [f"`{name}` appeared" for name in names if name not in set(self.names)]
        notes += [f"`{name}` disappeared" for name in self.names if name not in found]
        now = _fingerprints(module)
        for name in sorted(now.keys() | self.fingerprints.keys()):
            if name in found or name in self.names:
                continue
            if _holds_tracer(now.get(name)):
                notes.append(f"attribute `{name}` keeps a traced value: {LEAK}")
            # An attribute that is new, such as a cached property, tells the next step nothing yet.
            elif name in self.fingerprints and now.get(name) != self.fingerprints[name]:
                notes.append(f"attribute `{name}` changed")
        return leaves, notes


LEAK = "it outlives the trace"
"""Marks the note of a leak."""


def _is_stateful(node: Any) -> bool:
    return not isinstance(node, type) and all(
        callable(getattr(type(node), method, None))
        for method in ("__call__", "initialize_state", "reset_state")
    )


def _takes_extras(module: Any) -> bool:
    """Whether `module(state, obs, rollout_extras)` fits; the loss always calls it so."""
    try:
        inspect.signature(type(module).__call__).bind(module, None, None, None)
    except TypeError:
        return False
    except ValueError:  # no signature to be had
        return True
    return True


def _labels(state: Any) -> tuple[tuple[str, ...], tuple[str, ...], tuple[bool, ...]]:
    """Names and kinds of a state's leaves, and whether they are trained.

    Their order is that of `jax.tree.leaves`.
    """
    labels = []
    for path, entry in nnx.to_flat_state(state):
        variable = isinstance(entry, nnx.Variable)
        kind = type(entry).__name__ if variable else "array"
        value = entry.get_raw_value() if variable else entry
        for inner, _ in jax.tree_util.tree_flatten_with_path(value)[0]:
            name = ".".join(map(str, path)) + jax.tree_util.keystr(inner)
            labels.append((name, kind, isinstance(entry, nnx.Param)))
    names, kinds, trained = zip(*labels, strict=True) if labels else ((), (), ())
    return names, kinds, trained


def _fingerprints(module: Any) -> dict[str, Fingerprint]:
    """What the attributes hold that are neither arrays nor modules, by path."""
    found: dict[str, Fingerprint] = {}
    for path, node in nnx.iter_graph(module):
        if not isinstance(node, nnx.Pytree) or isinstance(node, nnx.Variable):
            continue
        for name, value in vars(node).items():
            if name.startswith(("_object__", "_pytree__", "_graph__")):
                continue
            if isinstance(value, (nnx.Module, nnx.Variable, jax.Array, nnx.Pytree)):
                continue
            found[".".join(map(str, (*path, name)))] = _fingerprint(value, 4)
    return found


def _fingerprint(value: Any, depth: int) -> Fingerprint:
    """A copy of what a mutable value holds, comparable with `==`; others stand for themselves."""
    if isinstance(value, jax.core.Tracer):
        return _TRACER
    if isinstance(value, (nnx.Module, nnx.Variable)):
        return None
    if isinstance(value, (np.ndarray, np.generic, jax.Array)):
        return (str(value.dtype), value.shape, jaxprs.to_numpy(value).tobytes())
    if isinstance(value, np.random.Generator):
        return repr(value.bit_generator.state)
    if isinstance(value, np.random.RandomState):
        return repr(value.get_state(legacy=False))
    if isinstance(value, random.Random):
        return value.getstate()
    if depth and isinstance(value, Mapping):
        return tuple((repr(key), _fingerprint(item, depth - 1)) for key, item in value.items())
    if depth and isinstance(value, (list, tuple, set, frozenset)):
        return (type(value).__name__, tuple(_fingerprint(item, depth - 1) for item in value))
    if isinstance(value, (int, float, complex, str, bytes, bool, type(None))):
        return repr(value)
    if depth and hasattr(value, "__dict__") and not callable(value):
        return (id(type(value)), _fingerprint(vars(value), depth - 1))
    return None


_TRACER = "a traced value"


def _holds_tracer(fingerprint: Fingerprint) -> bool:
    if isinstance(fingerprint, tuple):
        return any(map(_holds_tracer, fingerprint))
    return isinstance(fingerprint, str) and fingerprint is _TRACER


class Emissions:
    """Which classes of modules return rollout extras that they made themselves.

    A container hands on what its children emitted, perhaps as a copy, such as with its gradient
    stopped; what a module emits besides is its own.
    """

    def __init__(self) -> None:
        self._own: dict[str, bool] = {}
        self._open: list[list[Any]] = [[]]

    @property
    def emitters(self) -> frozenset[str]:
        """Names of classes whose every call emitted."""
        return frozenset(name for name, emits in self._own.items() if emits)

    @contextlib.contextmanager
    def scoped(self, classes: tuple[type, ...]) -> Iterator[None]:
        """Gives every call of these classes a named scope, and watches what it returns.

        The classes' `__call__` is replaced for the time of the context.
        """
        originals = {cls: vars(cls).get("__call__") for cls in classes}
        try:
            for cls in classes:
                setattr(cls, "__call__", self._watched(cls, getattr(cls, "__call__")))  # noqa: B010, B009, B004
            yield
        finally:
            for cls, original in originals.items():
                if original is None:
                    delattr(cls, "__call__")
                else:
                    setattr(cls, "__call__", original)  # noqa: B010

    def _watched(self, cls: type, original: Callable[..., Any]) -> Callable[..., Any]:
        name = f"{cls.__module__}.{cls.__qualname__}"

        @functools.wraps(original)
        def call(module: Any, *args: Any, **kwargs: Any) -> Any:
            if type(module) is not cls:
                return original(module, *args, **kwargs)
            self._open.append([])
            try:
                with jax.named_scope(jaxprs.MARK + name):
                    output = original(module, *args, **kwargs)
            finally:
                inner = self._open.pop()
            leaves = jax.tree.leaves(getattr(output, "rollout_extras", None))
            own = _adds(leaves, inner)
            self._own[name] = self._own.get(name, True) and own
            self._open[-1].extend((*inner, *leaves))
            return output

        return call


def _adds(leaves: list[Any], inner: list[Any]) -> bool:
    """Whether some leaves are neither among others nor like one of those that are left over."""
    kept = {id(leaf) for leaf in leaves}
    known = {id(leaf): leaf for leaf in inner}
    spare = collections.Counter(
        (np.shape(leaf), jax.dtypes.result_type(leaf))
        for identity, leaf in known.items()
        if identity not in kept
    )
    new = collections.Counter(
        (np.shape(leaf), jax.dtypes.result_type(leaf)) for leaf in leaves if id(leaf) not in known
    )
    return bool(new - spare)
