"""The methods that make the first state and the state after an episode."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from flake8_nnx_rng.codemod.refusal import RefusedError
from flake8_nnx_rng.codemod.state.carry import Carry, Kind, annotate, is_empty, method_of
from flake8_nnx_rng.codemod.text.blocks import opening_of, start_of
from flake8_nnx_rng.codemod.text.names import fresh, names_in
from flake8_nnx_rng.codemod.text.sheet import Sheet
from flake8_nnx_rng.codemod.text.tree import Tree, parameters_of
from flake8_nnx_rng.knowledge import library
from flake8_nnx_rng.project import Hierarchy

BATCH_SIZE, PREVIOUS = "batch_size", "prev_state"


@dataclass(frozen=True)
class States:
    """Writes both methods of a class.

    Attributes:
        carry: The plan for its state.
        tree: The file.
        hierarchy: Knows what is inherited.
        sheet: Where they are written.
        jax: What the file calls `jax`.
        seed: The expression of the key that the first keys are split off from.
    """

    carry: Carry
    tree: Tree
    hierarchy: Hierarchy
    sheet: Sheet
    jax: str
    seed: str

    def write(self) -> None:
        """Seeds the keys at the start and keeps them at a reset."""
        if self.carry.layout is not None:
            self.carry.layout.declare(self.jax, self.tree, self.sheet)
        new = [*self._initialize(), *self._reset()]
        if new:
            at, indentation = self._place()
            for lines in new:
                text = "\n".join(indentation + line for line in lines)
                self.sheet.insert(at, f"{text}\n\n")

    def write_own(self) -> None:
        """The same in the methods that the class itself has."""
        for name, change in (
            (library.INITIALIZE, self._seed_in),
            (library.RESET, self._keep_in),
        ):
            method = self.carry.cls.method(name)
            if method is not None:
                if "super" in names_in(method):
                    raise RefusedError(
                        f"`{self.carry.cls.name}` adds to what its base's {name} makes"
                    )
                change(method)

    def _initialize(self) -> list[list[str]]:
        method = self.carry.cls.method(library.INITIALIZE)
        if method is not None:
            self._seed_in(method)
            return []
        keys = self._keys(BATCH_SIZE)
        if self.carry.kind is Kind.SOME:
            keys = f"super().{library.INITIALIZE}({BATCH_SIZE}), {keys}"
        is_typed = self.carry.entry.returns is not None
        parameter = f"{BATCH_SIZE}: int" if is_typed else BATCH_SIZE
        arrow = f" -> {self.jax}.Array" if is_typed and self.carry.kind is Kind.NONE else ""
        return [
            [
                f"def {library.INITIALIZE}(self, {parameter}){arrow}:",
                f"{self._indent()}return {keys}",
            ]
        ]

    def _seed_in(self, method: cst.FunctionDef) -> None:
        ordered = parameters_of(method)
        if len(ordered) < 2:
            raise RefusedError(f"its {library.INITIALIZE} takes no batch size by name")
        keys = self._keys(ordered[1].name.value)
        for state in self._returned(method):
            if self.carry.kind is Kind.NONE:
                self.sheet.replace(*self.tree.span(state), keys)
            else:
                self._join(state, keys)
        annotate(method.returns, self.carry.kind, self.sheet, self.tree)
        self._keep_size(method, ordered[1].name.value)

    def _returned(self, method: cst.FunctionDef) -> Iterator[cst.BaseExpression]:
        """The states that a method returns."""
        for returned in self.tree.own(method, cst.Return):
            if returned.value is None:
                raise RefusedError(f"its {method.name.value} returns nothing")
            yield returned.value

    def _join(self, state: cst.BaseExpression, keys: str) -> None:
        """Puts keys into a state that there was: as a part of it, or beside it."""
        if self.carry.layout is not None:
            self.carry.layout.put(state, keys, self.tree, self.sheet)
            return
        start, end = self.tree.span(state)
        text = self.tree.item(state, self.sheet.between(start, end))
        self.sheet.replace(start, end, f"{text}, {keys}")

    def _keep_size(self, method: cst.FunctionDef, name: str) -> None:
        """The batch size is needed now."""
        for statement in self.tree.own(method, cst.Del):
            if name in names_in(statement):
                self.sheet.replace(*self.tree.lines(self.tree.statement(statement)), "")

    def _keys(self, size: str) -> str:
        return f"{self.jax}.random.split({self.seed}, {size})"

    def _reset(self) -> list[list[str]]:
        method = self.carry.cls.method(library.RESET)
        if method is not None:
            self._keep_in(method)
            return []
        inherited = method_of(self.carry.cls, library.RESET, self.hierarchy)
        if not inherited:
            return []
        if self.carry.kind is Kind.NONE:
            return [
                [f"def {library.RESET}(self, {PREVIOUS}):", f"{self._indent()}return {PREVIOUS}"]
            ]
        return [
            [
                f"def {library.RESET}(self, {PREVIOUS}):",
                f"{self._indent()}{PREVIOUS}, key = {PREVIOUS}",
                f"{self._indent()}return super().{library.RESET}({PREVIOUS}), key",
            ]
        ]

    def _keep_in(self, method: cst.FunctionDef) -> None:
        ordered = parameters_of(method)
        if len(ordered) < 2:
            raise RefusedError(f"its {library.RESET} takes no state by name")
        previous = ordered[1].name.value
        annotate(ordered[1].annotation, self.carry.kind, self.sheet, self.tree)
        annotate(method.returns, self.carry.kind, self.sheet, self.tree)
        key = fresh("key", names_in(method))
        layout = self.carry.layout
        for state in self._returned(method):
            is_kept = isinstance(state, cst.Name) and state.value == previous
            if self.carry.kind is Kind.SOME:
                self._join(state, key)
            elif is_kept:
                continue
            elif layout is not None:
                self._join(state, layout.read(previous))
            elif is_empty(state):
                self.sheet.replace(*self.tree.span(state), previous)
            else:
                raise RefusedError(f"its {library.RESET} makes a state where there was none")
        if self.carry.kind is Kind.SOME:
            opening = opening_of(method, self.tree, self.sheet)
            opening.insert(f"{previous}, {key} = {previous}")
        else:  # the previous state is needed now
            self._keep_size(method, previous)

    def _indent(self) -> str:
        entry = self.carry.entry
        outer = self.tree.indentation(self.tree.span(entry)[0])
        inner = opening_of(entry, self.tree, self.sheet).indentation
        return inner.removeprefix(outer)

    def _place(self) -> tuple[int, str]:
        """In front of the forward pass and the comments above it."""
        at = self.tree.line_start(start_of(self.carry.entry, self.tree))
        indentation = self.tree.indentation(at)
        text = self.tree.text
        while at > 0:
            above = self.tree.line_start(at - 1)
            if not text[above:at].strip().startswith("#"):
                break
            at = above
        return at, indentation
