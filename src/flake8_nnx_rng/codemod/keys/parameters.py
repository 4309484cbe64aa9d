"""Functions that take keys, and the calls that give them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import libcst as cst

from flake8_nnx_rng.codemod.envs.axes import axes, map_named, mapped_first, splits
from flake8_nnx_rng.codemod.envs.kinds import literal_int
from flake8_nnx_rng.codemod.envs.references import Reference, References, argument_for
from flake8_nnx_rng.codemod.envs.rows import Rows
from flake8_nnx_rng.codemod.keys.needs import Threads
from flake8_nnx_rng.codemod.keys.openings import folded_key
from flake8_nnx_rng.codemod.keys.statements import is_inside
from flake8_nnx_rng.codemod.keys.threads import is_property
from flake8_nnx_rng.codemod.refusal import RefusedError
from flake8_nnx_rng.codemod.text.bindings import loads
from flake8_nnx_rng.codemod.text.sheet import Sheet
from flake8_nnx_rng.codemod.text.tree import (
    AnyFunction,
    Tree,
    all_parameters,
    parameters_of,
)
from flake8_nnx_rng.knowledge.functions import VECTORIZING

_HARMLESS = frozenset(
    {
        "builtins.property",
        "builtins.staticmethod",
        "builtins.classmethod",
        "jax.jit",
        "jax.checkpoint",
        "jax.named_call",
        "jax.vmap",
        "flax.nnx.jit",
        "flax.nnx.vmap",
        "typing.override",
        "typing.no_type_check",
    }
)
"""Decorators to which it is all the same how many arguments a function has."""

_STREAM_AXES = "flax.nnx.StateAxes"


@dataclass(eq=False)
class Parameters:
    """Writes them.

    Attributes:
        tree: The file.
        references: Finds the calls.
        sheet: Where they are written.
        jax: What the file calls `jax`.
        threads: The plan.
        keys: What is given, by the places of the calls.
        dead: Pieces of the text that go.
    """

    tree: Tree
    references: References
    sheet: Sheet
    jax: str
    threads: Threads
    dead: Sequence[tuple[int, int]]
    _reused: dict[AnyFunction, cst.Param | None] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self.keys = self.threads.keys

    def take(self, function: AnyFunction) -> None:
        """Adds the parameters to a function, in the place of one that it needs no more."""
        names = self.threads.parameters[function]
        self._check_decorators(function)
        reused = self._reusable(function)
        if reused is not None:
            end = self.tree.span(reused.default or reused.annotation or reused)[1]
            self.sheet.replace(self.tree.span(reused)[0], end, self._declared(function, names[0]))
            return
        text = ", ".join(self._declared(function, name) for name in names)
        ordered = parameters_of(function)
        if self.references.is_bound(function):
            self.sheet.insert(self.tree.span(ordered[0])[1], f", {text}")
        elif all_parameters(function) or isinstance(function.params.star_arg, cst.ParamStar):
            first = min(self.tree.span(p)[0] for p in all_parameters(function))
            star = function.params.star_arg
            if isinstance(star, (cst.Param, cst.ParamStar)):
                first = min(
                    first, self.tree.text.rfind("*", 0, first + 1) if not ordered else first
                )
            self.sheet.insert(first, f"{text}, ")
        elif isinstance(function, cst.Lambda):
            self.sheet.insert(self.tree.span(function)[0] + len("lambda"), f" {text}")
        else:
            name_end = self.tree.span(function.name)[1]
            self.sheet.insert(self.tree.text.index("(", name_end) + 1, text)

    def give(self, reference: Reference) -> None:
        """Adds the keys to a call."""
        keys = ", ".join(self._given(reference))
        function = self._function(reference)
        call = reference.call
        if call is None:
            start, end = self.tree.span(reference.node)
            self.sheet.replace(start, end, f"{self.sheet.between(start, end)}({keys})")
            return
        reused = self._reusable(function)
        if reference.mapping is not None:
            self._map_over(reference.mapping, call, reused is not None)
        if reused is not None:
            given = argument_for(function, reused, call, self.references.is_bound(function))
            assert given is not None
            self.sheet.replace(*self.tree.span(given), keys)
            arg = self.tree.parent(given)
            if isinstance(arg, cst.Arg) and arg.keyword is not None:
                name = self.threads.parameters[function][0]
                self.sheet.replace(*self.tree.span(arg.keyword), name)
            return
        if call.args:
            self.sheet.insert(self._start(call.args[0]), f"{keys}, ")
        else:
            self.sheet.insert(self.tree.span(call)[1] - 1, keys)

    def _given(self, reference: Reference) -> Iterator[str]:
        """The keys that a call gives; in a loop those of the round."""
        folded = self.threads.folded.get(reference.node)
        for name in self.keys[reference.node]:
            if folded is None:
                yield name
            else:
                yield folded_key(name, folded, self.jax, is_row=self._is_row(reference.node))

    def _is_row(self, node: cst.CSTNode) -> bool:
        """Whether a place is in a function that is called with the row of one env."""
        return any(
            above in self.threads.rows or any(r.is_mapped for r in self.references.of(above))
            for above in self.tree.above(node)
            if isinstance(above, (cst.FunctionDef, cst.Lambda))
        )

    def _start(self, arg: cst.Arg) -> int:
        return self.tree.span(arg)[0]

    def _map_over(self, mapping: cst.BaseExpression, call: cst.Call, is_reused: bool) -> None:
        """Maps over the keys too, if the envs are what is mapped over."""
        if map_named(mapping, self.tree) in VECTORIZING:
            raise RefusedError("a function that draws is vectorized over all axes")
        rows = Rows(self.tree, self.references)
        if not any(rows.is_rows(arg.value) for arg in mapped_first(call, mapping, self.tree)):
            raise RefusedError("a function that draws is mapped over something else than the envs")
        given = axes(mapping, "in_axes", self.tree)
        if given is None or literal_int(given) == 0:
            return
        if not isinstance(given, cst.Tuple) or not given.elements:
            raise RefusedError("a function that draws is mapped over axes that are not seen")
        if not is_reused:
            self.sheet.insert(self.tree.span(given.elements[0])[0], "0, ")
            return
        for element in given.elements:
            made = element.value
            if isinstance(made, cst.Call) and self.tree.canonical(made.func) == _STREAM_AXES:
                self.sheet.replace(*self.tree.span(made), "0")

    def _declared(self, function: AnyFunction, name: str) -> str:
        is_typed = any(p.annotation is not None for p in all_parameters(function))
        return f"{name}: {self.jax}.Array" if is_typed else name

    def _check_decorators(self, function: AnyFunction) -> None:
        if not isinstance(function, cst.FunctionDef):
            return
        for decorator in function.decorators:
            made = decorator.decorator
            is_map = bool(map_named(made, self.tree))
            if splits(made, self.tree):
                if self._reusable(function) is None:
                    raise RefusedError("streams that it splits are needed by something else")
            elif not is_map and self.tree.canonical(made) not in _HARMLESS:
                raise RefusedError(f"`{function.name.value}` draws, and is decorated")
            if is_property(function):
                self.sheet.replace(*self.tree.lines(decorator), "")

    def _function(self, reference: Reference) -> AnyFunction:
        for function in self.threads.parameters:
            if any(r.node is reference.node for r in self.references.of(function)):
                return function
        raise AssertionError("a call of no function")

    def _reusable(self, function: AnyFunction) -> cst.Param | None:
        """A parameter that brought a stream, if that is all that it was needed for."""
        if function not in self._reused:
            self._reused[function] = None
            self._reused[function] = self._find_reusable(function)
        return self._reused[function]

    def _goes(self, node: cst.Name) -> bool:
        """Whether a place is rewritten, or gives something for a parameter that is reused."""
        if is_inside(self.tree.span(node), self.dead):
            return True
        for function in self.threads.parameters:
            for reference in self.references.of(function):
                call, reused = reference.call, None
                if call is not None and self.tree.is_within(node, call):
                    reused = self._reusable(function)
                if reused is not None and call is not None:
                    bound = self.references.is_bound(function)
                    return argument_for(function, reused, call, bound) is node
        return False

    def _find_reusable(self, function: AnyFunction) -> cst.Param | None:
        if len(self.threads.parameters[function]) != 1:
            return None
        for parameter in parameters_of(function)[self.references.is_bound(function) :]:
            used = list(loads(function, parameter.name.value, self.tree))
            if not used or not all(self._goes(node) for node in used):
                continue
            given = [
                argument_for(function, parameter, r.call, self.references.is_bound(function))
                for r in self.references.of(function)
                if r.call is not None
            ]
            if given and all(isinstance(one, (cst.Name, cst.Attribute)) for one in given):
                return parameter
        return None
