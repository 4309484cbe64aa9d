"""How keys get from the entry point to every place that needs one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import libcst as cst

from flake8_nnx_rng.codemod.envs.loops import loop_around, number_in
from flake8_nnx_rng.codemod.envs.references import Reference, References
from flake8_nnx_rng.codemod.keys.key_blocks import PARAMETER, KeyBlocks
from flake8_nnx_rng.codemod.keys.needs import Folded, Need, Opening, Threads
from flake8_nnx_rng.codemod.refusal import RefusedError
from flake8_nnx_rng.codemod.text.names import names_in
from flake8_nnx_rng.codemod.text.tree import AnyFunction, Tree, is_decorated
from flake8_nnx_rng.interpreter.functions import ENTRY
from flake8_nnx_rng.knowledge.functions import CALLED_ONCE


@dataclass(eq=False)
class Weaver:
    """Makes the plan.

    Attributes:
        tree: The file.
        references: Finds the calls.
        entries: The entry points.
    """

    tree: Tree
    references: References
    entries: frozenset[cst.FunctionDef]
    _needs: dict[AnyFunction, list[Need]] = field(default_factory=dict, init=False)
    _calls: dict[AnyFunction, list[Reference]] = field(default_factory=dict, init=False)
    _rows: set[AnyFunction] = field(default_factory=set, init=False)

    def plan(self, needs: Iterable[Need]) -> Threads:
        """The keys of all places.

        Raises:
            RefusedError: There is a place that no key can be brought to.
        """
        pending = [self._add(need) for need in needs]
        while pending:
            function = pending.pop()
            if function in self.entries or function in self._calls:
                continue
            calls = self._calls[function] = self._callers(function)
            width = 1 if isinstance(function, cst.FunctionDef) else self._width(function)
            for reference in calls:
                pending.append(self._add(Need(reference.node, (None,) * width)))
        self._find_rows()
        return self._named()

    @property
    def homes(self) -> frozenset[AnyFunction]:
        """The functions in which keys are made or taken."""
        return frozenset(self._needs)

    def is_row(self, node: cst.CSTNode) -> bool:
        """Whether a place is in a function that is called with the row of one env."""
        function = self.tree.function(node)
        while function is not None and function not in self.entries:
            if function in self._rows or any(r.is_mapped for r in self.references.of(function)):
                return True
            function = self.tree.function(function)
        return False

    def _width(self, function: AnyFunction) -> int:
        return sum(len(need.names) for need in self._needs[function])

    def _add(self, need: Need) -> AnyFunction:
        home = self._home(need.node)
        known = self._needs.setdefault(home, [])
        if need not in known:
            known.append(need)
            if isinstance(home, cst.Lambda) and home in self._calls:
                raise RefusedError("a lambda draws and calls itself")
        return home

    def _home(self, node: cst.CSTNode) -> AnyFunction:
        """The function in which the keys of a place are made or taken."""
        function = self.tree.function(node)
        if function is None:
            raise RefusedError("it draws where the class is defined")
        while function not in self.entries and self._is_called_here(function):
            outer = self.tree.function(function)
            assert outer is not None
            function = outer
        return function

    def _is_called_here(self, function: AnyFunction) -> bool:
        """Whether it is handed to something that calls it at once, so that it sees our keys."""
        if self.tree.function(function) is None:
            return False
        references = self.references.of(function)
        if len(references) != 1 or references[0].call is not None:
            return False
        argument = self.tree.parent(references[0].node)
        call = self.tree.parent(argument) if isinstance(argument, cst.Arg) else None
        is_once = isinstance(call, cst.Call) and self.tree.canonical(call.func) in CALLED_ONCE
        return is_once or number_in(function, self.tree) is not None

    def _callers(self, function: AnyFunction) -> list[Reference]:
        name = self._name(function)
        owner = self.references.owner(function)
        is_entry = isinstance(function, cst.FunctionDef) and function.name.value == ENTRY
        if is_entry and owner is not None and self.references.hierarchy.is_stateful(owner):
            raise RefusedError(f"`{owner.name}` draws by the same code")
        references = self.references.of(function)
        if not references:
            raise RefusedError(f"{name} draws, and who calls it is not seen")
        for reference in references:
            is_class = isinstance(reference.node, cst.Name) and owner is not None
            if is_entry and is_class and owner is not None:
                raise RefusedError(
                    f"objects of `{owner.name}` are held elsewhere than as attributes"
                )
            around = self.tree.function(reference.node)
            if around is None:
                raise RefusedError(f"{name} draws, and is used outside of the forward pass")
            if reference.call is None and not is_property(function):
                raise RefusedError(f"{name} draws, and {self._way_out(reference)}")
        return references

    def _way_out(self, reference: Reference) -> str:
        """Why a function that is no more than named gets no key."""
        found = loop_around(reference.node, self.tree)
        if found is None:
            return "is handed on as a function"
        loop = self.tree.code(found[0].func)
        return f"`{loop}` has no number for a round of it; let it carry a key"

    def _name(self, function: AnyFunction) -> str:
        return f"`{function.name.value}`" if isinstance(function, cst.FunctionDef) else "a lambda"

    def _find_rows(self) -> None:
        settled = False
        while not settled:
            before = set(self._rows)
            for function, calls in self._calls.items():
                if any(c.is_mapped or self.is_row(c.node) for c in calls):
                    self._rows.add(function)
            settled = before == self._rows
        for function in self._rows:
            if not all(c.is_mapped or self.is_row(c.node) for c in self._calls[function]):
                raise RefusedError(
                    f"{self._name(function)} is called for one env and for all of them"
                )

    def _named(self) -> Threads:
        keys: dict[cst.CSTNode, tuple[str, ...]] = {}
        folded: dict[cst.CSTNode, Folded] = {}
        openings: list[Opening] = []
        parameters: dict[AnyFunction, tuple[str, ...]] = {}
        for function, needs in self._needs.items():
            taken = names_in(function)
            taken.update(n for need in needs for n in need.names if n is not None)
            blocks = KeyBlocks(self.tree, function, taken, function in self._rows)
            if isinstance(function, cst.Lambda):
                found = blocks.flat(needs, PARAMETER)
                parameters[function] = tuple(name for names in found.values() for name in names)
            elif function in self.entries:
                found = blocks.opened(needs, None)
            else:
                parameter = blocks.parameter(needs)
                parameters[function] = (parameter,)
                found = blocks.opened(needs, parameter)
            keys.update(found)
            folded.update(blocks.folded)
            openings.extend(blocks.openings)
        calls = tuple(call for calls in self._calls.values() for call in calls)
        return Threads(keys, folded, tuple(openings), parameters, calls, frozenset(self._rows))


def is_property(function: AnyFunction) -> bool:
    """Whether reading an attribute calls it."""
    return is_decorated(function, "property")
