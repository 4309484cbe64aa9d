"""Whose axis is the first one: what in a function counts the envs, and what knows none of them.

Keys that one env owns can stand for a key of the whole batch only where it is certain which axis
of a draw counts the envs; whatever is not certain here is not rewritten.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

import libcst as cst

from flake8_nnx_rng.codemod.envs.expression_kinds import KINDS
from flake8_nnx_rng.codemod.envs.kinds import (
    ROWED,
    Kind,
    arithmetic,
    item,
    joined,
    unpacked,
)
from flake8_nnx_rng.codemod.envs.loops import Loop, argument_at, loop_around, loop_of
from flake8_nnx_rng.codemod.envs.parameter_kinds import parameter_kind
from flake8_nnx_rng.codemod.envs.references import References, is_own
from flake8_nnx_rng.codemod.text.tree import AnyFunction, Tree, all_parameters, parameters_of
from flake8_nnx_rng.project import ClassInfo

Path = tuple[int | None, ...]
"""The place of a part in what is unpacked, from the outside inwards."""

Place = tuple[AnyFunction, str]
"""A variable of a function, or what it returns."""

RETURNED = "return"

_MAX_ROUNDS = 8


@dataclass(eq=False)
class Rows:
    """Answers for the functions of a file.

    Attributes:
        tree: The file.
        references: Finds where they are called.
    """

    tree: Tree
    references: References
    _known: dict[Place, Kind | None] = field(default_factory=dict, init=False, repr=False)
    _assumed: dict[Place, Kind | None] = field(default_factory=dict, init=False, repr=False)
    _consulted: set[Place] = field(default_factory=set, init=False, repr=False)

    def kind(self, node: cst.CSTNode) -> Kind:
        """What an expression has to do with the envs."""
        return self.maybe(node) or Kind.UNKNOWN

    def is_rows(self, node: cst.CSTNode) -> bool:
        """Whether the first axis of an expression counts the envs."""
        return self.kind(node) in ROWED

    def maybe(self, node: cst.CSTNode) -> Kind | None:
        """The same; None while a value is being found that depends on itself."""
        meaning = KINDS.get(type(node))
        if meaning is not None:
            return meaning(self, node)
        if isinstance(node, (cst.Integer, cst.Float, cst.SimpleString, cst.FormattedString)):
            return Kind.FIXED
        if isinstance(node, (cst.Lambda, cst.Ellipsis)):
            return Kind.FIXED
        return Kind.UNKNOWN

    def all(self, nodes: Iterable[cst.CSTNode]) -> list[Kind | None]:
        """What several expressions have to do with them."""
        return [self.maybe(node) for node in nodes]

    def _solve(self, place: Place, find: Callable[[], Kind | None]) -> Kind | None:
        """The kind at a place, which may depend on itself: the least that agrees with itself."""
        if place in self._known:
            return self._known[place]
        if place in self._assumed:
            self._consulted.add(place)
            return self._assumed[place]
        outer, kind = self._consulted, None
        for _ in range(_MAX_ROUNDS):
            self._assumed[place], self._consulted = kind, set()
            found = find()
            if place not in self._consulted or found == kind:
                kind = found
                break
            kind = found
        else:
            kind = Kind.UNKNOWN
        del self._assumed[place]
        others = self._consulted - {place}
        self._consulted = outer | others
        if not others:
            self._known[place] = kind
        return kind

    def name(self, node: cst.Name) -> Kind | None:
        """What a variable is, by all that binds it."""
        function = self.tree.function(node)
        while function is not None:
            bound = list(self._bindings(function, node.value))
            if bound:
                return self._variable(function, node.value, bound)
            function = self.tree.function(function)
        return Kind.FIXED

    def _variable(
        self, function: AnyFunction, name: str, bound: Sequence[Callable[[], Kind | None]]
    ) -> Kind | None:
        return self._solve((function, name), lambda: joined(one() for one in bound))

    def _bindings(self, function: AnyFunction, name: str) -> Iterator[Callable[[], Kind | None]]:
        """For each place that binds a name, what it may be there."""
        for parameter in all_parameters(function):
            if parameter.name.value == name:
                yield partial(parameter_kind, self, function, parameter)
        for target, kind in self._assignments(function):
            for node, path in _targets(target):
                if isinstance(node, cst.Name) and node.value == name:
                    yield partial(kind, path)

    def _assignments(
        self, function: AnyFunction
    ) -> Iterator[tuple[cst.BaseExpression, Callable[[Path], Kind | None]]]:
        """The targets of a function, and what each part of one is."""
        for target, value in self._values(function):
            yield target, partial(self.part, value)
        for target, kind in self._kinds(function):
            yield target, lambda path, k=kind: unpacked(k(), path)  # type: ignore[misc]

    def _values(
        self, function: AnyFunction
    ) -> Iterator[tuple[cst.BaseExpression, cst.BaseExpression]]:
        for node in self.tree.nodes(function):
            match node:
                case cst.Assign(targets, value):
                    yield from ((target.target, value) for target in targets)
                case cst.AnnAssign(target, _, value) if value is not None:
                    yield target, value
                case cst.NamedExpr(target, value):
                    yield target, value

    def _kinds(
        self, function: AnyFunction
    ) -> Iterator[tuple[cst.BaseExpression, Callable[[], Kind | None]]]:
        for node in self.tree.nodes(function):
            match node:
                case cst.AugAssign(target, _, value):
                    yield (
                        target,
                        lambda t=target, v=value: arithmetic(self.all([t, v])),  # type: ignore[misc]
                    )
                case cst.For(target, source) | cst.CompFor(target, source):
                    yield target, lambda s=source: item(self.maybe(s))  # type: ignore[misc]
                case cst.WithItem(_, cst.AsName(target)) if isinstance(target, cst.Name):
                    yield target, lambda: Kind.UNKNOWN
                case cst.FunctionDef(name):
                    yield name, lambda: Kind.FIXED

    def part(self, node: cst.BaseExpression, path: Path) -> Kind | None:
        """What a part of an expression is, of one that is unpacked."""
        index = path[0] if path else None
        match node:
            case cst.Tuple(elements) | cst.List(elements) if index is not None:
                is_plain = not any(isinstance(e, cst.StarredElement) for e in elements)
                if is_plain and index < len(elements):
                    return self.part(elements[index].value, path[1:])
            case cst.Name(name) if path and (found := self._looped(node)) is not None:
                function, call, loop = found
                return self._solve(
                    (function, f"{name}{path}"), lambda: self.carried(call, loop, path)
                )
            case cst.Call() if (run := loop_of(node, self.tree)) is not None:
                if not run.has_outputs:
                    return self.carried(node, run, path)
                return self.carried(node, run, path[1:]) if index == 0 else Kind.UNKNOWN
        return unpacked(self.maybe(node), path)

    def carried(self, call: cst.Call, loop: Loop, path: Path = ()) -> Kind | None:
        """What a part of that is which goes from one round of a loop to the next."""
        start, body = (argument_at(call, at, self.tree) for at in (loop.start, loop.body))
        function = None if body is None else self._function(body)
        if start is None or function is None:
            return Kind.UNKNOWN
        inner = (0, *path) if loop.has_outputs else path
        return joined([self.part(start, path), self.returned(function, inner)])

    def _function(self, node: cst.BaseExpression) -> AnyFunction | None:
        return node if isinstance(node, cst.Lambda) else self.called(node)

    def _looped(self, node: cst.Name) -> tuple[AnyFunction, cst.Call, Loop] | None:
        """The body and the loop of which a name is the parameter that goes on."""
        function = self.tree.function(node)
        if function is None or len(list(self._bindings(function, node.value))) != 1:
            return None
        ordered = [parameter.name.value for parameter in parameters_of(function)]
        references = self.references.of(function)
        found = loop_around(references[0].node, self.tree) if len(references) == 1 else None
        if found is None or node.value not in ordered[found[1].carried : found[1].carried + 1]:
            return None
        return (function, *found)

    def called(self, func: cst.BaseExpression) -> AnyFunction | None:
        """The function of the file that a call names, if it is certain which."""
        if isinstance(func, cst.Attribute) and is_own(func):
            around = self.tree.around(func, cst.ClassDef)
            cls = None if around is None else self.tree.class_of(around)
            for ancestor in self.references.hierarchy.mro(cls) if cls is not None else ():
                if isinstance(ancestor, ClassInfo) and ancestor.member(func.attr.value):
                    method = ancestor.method(func.attr.value)
                    return method if method is not None and self.tree.holds(method) else None
            return None
        if isinstance(func, cst.Name):
            for function in self.tree.every(cst.FunctionDef):
                is_named = function.name.value == func.value
                if is_named and any(r.node is func for r in self.references.of(function)):
                    return function
        return None

    def returned(self, function: AnyFunction, path: Path = ()) -> Kind | None:
        """What a function returns, or a part of it."""

        def find() -> Kind | None:
            if isinstance(function, cst.Lambda):
                return self.part(function.body, path)
            found = [r.value for r in self.tree.own(function, cst.Return) if r.value is not None]
            return joined(self.part(one, path) for one in found) if found else Kind.FIXED

        return self._solve((function, f"{RETURNED}{path or ''}"), find)


def _targets(
    target: cst.BaseExpression, path: tuple[int | None, ...] = ()
) -> Iterator[tuple[cst.BaseExpression, tuple[int | None, ...]]]:
    """The parts of a target, each with its place in what is unpacked; None for a starred one."""
    if isinstance(target, (cst.Tuple, cst.List)):
        for index, element in enumerate(target.elements):
            is_star = isinstance(element, cst.StarredElement)
            yield from _targets(element.value, (*path, None if is_star else index))
    else:
        yield target, path
