"""Classes, their bases and the order in which Python looks up their members."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import libcst as cst

from flake8_nnx_rng.knowledge import library
from flake8_nnx_rng.project.scopes import Scope
from flake8_nnx_rng.project.symbols import (
    ClassSymbol,
    ExternalSymbol,
    FunctionSymbol,
    Symbol,
    dotted_names,
    imported,
)

if TYPE_CHECKING:
    from flake8_nnx_rng.project.file import SourceFile


@dataclass(frozen=True)
class LibraryClass:
    """A class outside the project, under its canonical dotted name."""

    name: str

    @property
    def is_known(self) -> bool:
        """Whether it is certain what this class is, so that nothing can hide behind it."""
        top = self.name.partition(".")[0]
        return (
            self.name in library.CLASSES
            or top in sys.stdlib_module_names
            or top in library.STATELESS_PACKAGES
        )


@dataclass(eq=False)
class ClassInfo:
    """A class of the project.

    Attributes:
        name: Its name within the file, such as `Outer.Inner`.
        node: Its definition.
        scope: The scope of its body.
    """

    name: str
    node: cst.ClassDef = field(repr=False)
    scope: Scope = field(repr=False)

    def member(self, name: str) -> tuple[Symbol, ...]:
        """What the class body itself binds a name to; empty if it does not."""
        return self.scope.bindings.get(name, ())

    def method(self, name: str) -> cst.FunctionDef | None:
        """The function that the class body binds a name to, if there is exactly one."""
        for symbol in self.member(name):
            if isinstance(symbol, FunctionSymbol):
                return symbol.node
        return None

    @cached_property
    def bases(self) -> tuple[AnyClass, ...]:
        """The direct bases that could be resolved; the others stand as library classes."""
        return tuple(_bases(self))


AnyClass = ClassInfo | LibraryClass


@dataclass(frozen=True)
class Hierarchy:
    """Answers questions about inheritance.

    Attributes:
        extra_bases: Classes that the user wants treated as `StatefulModule`.
        extra_samplers: Classes that the user wants treated as `ActionSampler`.
    """

    extra_bases: frozenset[AnyClass] = frozenset()
    extra_samplers: frozenset[AnyClass] = frozenset()
    _linear: dict[AnyClass, tuple[AnyClass, ...]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def mro(self, cls: AnyClass) -> tuple[AnyClass, ...]:
        """The C3 linearisation; bases that Python itself would refuse are taken in turn."""
        if cls not in self._linear:
            self._linear[cls] = tuple(_linearise(cls, (), self._linear))
        return self._linear[cls]

    def defines(self, cls: AnyClass, name: str) -> bool:
        """Whether a class of the project along the MRO binds a name."""
        return any(isinstance(c, ClassInfo) and c.member(name) for c in self.mro(cls))

    def is_stateful(self, cls: AnyClass) -> bool:
        """Whether PPO threads this class's carry: it derives from `StatefulModule`."""
        return self._derives(cls, library.STATEFUL, self.extra_bases | self.extra_samplers)

    def is_sampler(self, cls: AnyClass) -> bool:
        """Whether the class derives from `ActionSampler`."""
        return self._derives(cls, library.SAMPLER, self.extra_samplers)

    def is_module(self, cls: AnyClass) -> bool:
        """Whether the class derives from `flax.nnx.Module`."""
        return self._derives(cls, library.MODULE, frozenset())

    def unknown_bases(self, cls: AnyClass) -> list[LibraryClass]:
        """Ancestors of which nothing is known, so that a `StatefulModule` may hide behind."""
        known = self.extra_bases | self.extra_samplers
        return [
            ancestor
            for ancestor in self.mro(cls)
            if isinstance(ancestor, LibraryClass)
            and not ancestor.is_known
            and ancestor not in known
        ]

    def _derives(self, cls: AnyClass, canonical: str, extra: frozenset[AnyClass]) -> bool:
        mro = self.mro(cls)
        names = {c.name for c in mro if isinstance(c, LibraryClass)}
        if canonical in names or not extra.isdisjoint(mro):
            return True
        # A vendored copy of the library defines the root itself, on top of nnx.Module.
        short = canonical.rpartition(".")[2]
        return library.MODULE in names and any(
            isinstance(c, ClassInfo) and c.node.name.value == short for c in mro
        )


def classes_named(names: Iterable[str], file: SourceFile) -> frozenset[AnyClass]:
    """The classes that full names stand for in a file, whether or not they are in the project."""
    found: set[AnyClass] = set()
    for name in names:
        found.add(LibraryClass(library.canonical(name)))
        for symbol, home in imported(name, file.scope):
            if isinstance(symbol, ClassSymbol):
                found.add(home.file.class_of(symbol.node))
            elif isinstance(symbol, ExternalSymbol):
                found.add(LibraryClass(library.canonical(symbol.name)))
    return frozenset(found)


def _bases(cls: ClassInfo) -> Iterator[AnyClass]:
    enclosing = cls.scope.parent
    assert enclosing is not None  # a class body always stands in a scope
    for argument in cls.node.bases:
        for symbol, home in dotted_names(argument.value, enclosing):
            if isinstance(symbol, ClassSymbol) and symbol.node is not cls.node:
                yield home.file.class_of(symbol.node)
            elif isinstance(symbol, ExternalSymbol):
                yield LibraryClass(library.canonical(symbol.name))
            elif not isinstance(symbol, ClassSymbol):
                yield LibraryClass(f"?.{home.file.module.code_for_node(argument.value)}")


def _linearise(
    cls: AnyClass, seen: tuple[AnyClass, ...], known: dict[AnyClass, tuple[AnyClass, ...]]
) -> list[AnyClass]:
    if cls in known:
        return list(known[cls])
    if cls in seen:  # a cycle of aliases: Python would not run it, we must still end
        return []
    if isinstance(cls, LibraryClass):
        bases: Sequence[AnyClass] = [
            LibraryClass(base) for base in library.CLASSES.get(cls.name, ())
        ]
    else:
        bases = cls.bases
    parents = [_linearise(base, (*seen, cls), known) for base in bases]
    if len(parents) == 1 and parents[0]:  # a row of thousands has nothing to be merged
        linear = [cls, *parents[0]]
    else:
        linear = [cls, *_c3([*parents, list(bases)])]
    if not seen or not any(base in seen for base in bases):
        known[cls] = tuple(linear)
    return linear


def _c3(sequences: list[list[AnyClass]]) -> list[AnyClass]:
    """The classes of sequences in an order that agrees with all of them, as far as there is one.

    Takes time in proportion to the sequences: generated code has thousands of classes in a row.
    """
    merged: dict[AnyClass, None] = {}
    waiting = Counter(cls for sequence in sequences for cls in sequence[1:])
    rows = [sequence[::-1] for sequence in sequences if sequence]
    while rows:
        heads = (row[-1] for row in rows)
        merged[next((cls for cls in heads if not waiting[cls]), rows[0][-1])] = None
        for row in rows:
            while row and row[-1] in merged:
                row.pop()
                if row:
                    waiting[row[-1]] -= 1
        rows = [row for row in rows if row]
    return list(merged)
