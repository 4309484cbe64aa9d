"""Hands on what children carry and emit, where a container drops it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import libcst as cst

from flake8_nnx_rng.codemod.keys.sites import breached
from flake8_nnx_rng.codemod.refusal import RefusedError
from flake8_nnx_rng.codemod.rewrite import Rewrite
from flake8_nnx_rng.codemod.state.carry import entry_of, next_states_of, state_and_extras
from flake8_nnx_rng.codemod.text.bindings import loads
from flake8_nnx_rng.codemod.text.names import names_in
from flake8_nnx_rng.codemod.text.outputs import field_of, outputs_of, set_field
from flake8_nnx_rng.codemod.text.sheet import Sheet
from flake8_nnx_rng.codemod.text.structure import assigning, parts_of, resolved
from flake8_nnx_rng.codemod.text.tree import Tree
from flake8_nnx_rng.interpreter import Audit
from flake8_nnx_rng.interpreter.carry import ROOT
from flake8_nnx_rng.knowledge import library
from flake8_nnx_rng.project import Hierarchy

CARRY, EXTRAS = "NNX205", "NNX303"
NEXT = "next_state"


def rewrite_container(audit: Audit, tree: Tree, hierarchy: Hierarchy) -> Rewrite | None:
    """The file in which a container drops nothing of its children's; None if it drops nothing.

    Raises:
        RefusedError: It is not certain what of the state or the extras is a child's.
    """
    bad = breached(audit, (CARRY, EXTRAS))
    if not bad:
        return None
    entry = entry_of(audit.cls)
    container = _Container(entry, tree)
    for node, code in bad.items():
        if not isinstance(node, cst.Call) or tree.function(node) is not entry:
            raise RefusedError("it calls its children in another function")
        if code == CARRY:
            container.return_state(node)
        else:
            container.pass_extras(node)
    return Rewrite(container.sheet.result)


@dataclass(eq=False)
class _Container:
    entry: cst.FunctionDef
    tree: Tree
    sheet: Sheet = field(init=False)

    def __post_init__(self) -> None:
        self.sheet = Sheet(self.tree.text)
        self.state, self.extras = state_and_extras(self.entry)

    # The state

    def return_state(self, call: cst.Call) -> None:
        """Returns a child's next state where its last one is handed on."""
        result = self._result(call)
        if not call.args or call.args[0].star:
            raise RefusedError("a child is not given its state by position")
        given = self.tree.code(call.args[0].value)
        places = [
            node
            for node in self._handed_on(call)
            if self.tree.code(node) == given and self.tree.span(node)[0] > self.tree.span(call)[1]
        ]
        for place in places:
            self.sheet.replace(*self.tree.span(place), f"{result}.{NEXT}")
        if not places:
            self._return_all(NEXT, library.EXTRAS)

    def _handed_on(self, call: cst.Call) -> Iterator[cst.BaseExpression]:
        """What is returned as a part of the state, or collected."""
        for node in next_states_of(self.entry, self.tree):
            for _, leaf in parts_of(resolved(node, self.entry, self.tree)):
                yield leaf
        for other in self.tree.own(self.entry, cst.Call):
            is_append = isinstance(other.func, cst.Attribute) and other.func.attr.value == "append"
            if is_append and len(other.args) == 1:
                yield other.args[0].value
        for assign in self.tree.own(self.entry, cst.Assign):
            if isinstance(assign.targets[0].target, cst.Subscript):
                yield assign.value

    # The extras

    def pass_extras(self, call: cst.Call) -> None:
        """Gives a child its extras, and returns what it emits."""
        extras = [a for a in call.args if a.keyword and a.keyword.value == library.EXTRAS]
        given = extras[0].value if extras else call.args[2].value if len(call.args) > 2 else None
        if given is None or (isinstance(given, cst.Name) and given.value == "None"):
            text = self._slice(call)
            if given is not None:
                self.sheet.replace(*self.tree.span(given), text)
            else:
                self.sheet.insert(self.tree.span(call.args[-1])[1], f", {text}")
        if not self._emits(call):
            self._return_extras(call)

    def _return_extras(self, call: cst.Call) -> None:
        """Returns what a child emits in its place, if there is one, or else what all emit."""
        place = self._place_of(call.args[0].value)
        for output in outputs_of(self.entry, self.tree):
            given = field_of(output, library.EXTRAS)
            parts = {} if given is None else dict(parts_of(resolved(given, self.entry, self.tree)))
            leaf = parts.get(f"{ROOT}{place}")
            if not place or leaf is None or self.tree.code(leaf) != "None":
                self._return_all(library.EXTRAS, NEXT)
                return
            self.sheet.replace(*self.tree.span(leaf), f"{self._result(call)}.{library.EXTRAS}")

    def _place_of(self, state: cst.BaseExpression) -> str | None:
        """What is behind the name of the whole state where a child's part is read."""
        if isinstance(state, cst.Subscript) and self.tree.code(state.value) == self.state:
            return self.tree.code(state)[len(self.state) :].replace('"', "'")
        return None

    def _slice(self, call: cst.Call) -> str:
        """A child's part of the extras, as the code names it already or as it takes the state."""
        unused = [name for name in self._derived(self.extras) if not self._is_read(name)]
        if len(unused) == 1:
            return unused[0]
        state = call.args[0].value
        if isinstance(state, cst.Name) and state.value == self.state:
            return self.extras
        index: str | None = None
        if isinstance(state, cst.Subscript) and self.tree.code(state.value) == self.state:
            index = self.tree.code(state)[len(self.state) :]
        elif isinstance(state, cst.Name):
            index = self._index_of(state)
        if index is None:
            raise RefusedError("it is not certain which part of rollout_extras is a child's")
        for name in self._derived(self.extras):
            if any(isinstance(self.tree.parent(n), cst.Subscript) for n in self._loads(name)):
                return f"{name}{index}"
        fitting = [n for n in unused if f"{self.extras}{index}" in self._values(n)]
        if len(fitting) == 1:
            return fitting[0]
        return f"None if {self.extras} is None else {self.extras}{index}"

    def _index_of(self, state: cst.Name) -> str | None:
        """The number of the child in a loop over all of them and their states."""
        loop = self.tree.around(state, cst.For)
        if loop is None or not isinstance(loop.target, cst.Tuple):
            return None
        is_counted = isinstance(loop.iter, cst.Call) and (
            self.tree.canonical(loop.iter.func) == "builtins.enumerate"
        )
        first = loop.target.elements[0].value
        return f"[{first.value}]" if is_counted and isinstance(first, cst.Name) else None

    def _emits(self, call: cst.Call) -> bool:
        """Whether what a child emits is in what is returned."""
        parent = self.tree.parent(call)
        target = parent.targets[0].target if isinstance(parent, cst.Assign) else None
        if not isinstance(target, cst.Name):
            return False
        wanted = f"{target.value}.{library.EXTRAS}"
        for output in outputs_of(self.entry, self.tree):
            given = field_of(output, library.EXTRAS)
            if given is None:
                return False
            text = self.tree.code(resolved(given, self.entry, self.tree))
            collected = isinstance(given, cst.Name) and wanted in self._collected(given.value)
            if wanted not in text and not collected:
                return False
        return True

    # Both

    def _return_all(self, name: str, like: str) -> None:
        """Returns all children's part of one kind: as it is collected, or as another kind is."""
        for output in outputs_of(self.entry, self.tree):
            set_field(output, name, self._all_of(output, name, like), self.tree, self.sheet)

    def _all_of(self, output: cst.Call, name: str, like: str) -> str:
        for target in sorted(names_in(self.entry)):
            if f".{name}" in self._collected(target) and not self._is_returned(target):
                return target
        model = field_of(output, like)
        if model is not None:
            text = self.tree.code(resolved(model, self.entry, self.tree))
            leaves = dict(parts_of(resolved(model, self.entry, self.tree)))
            if all(self.tree.code(leaf).endswith(f".{like}") for leaf in leaves.values()):
                return text.replace(f".{like}", f".{name}")
        raise RefusedError(f"it is not certain where the {name} of its children are")

    def _result(self, call: cst.Call) -> str:
        parent = self.tree.parent(call)
        target = parent.targets[0].target if isinstance(parent, cst.Assign) else None
        if not isinstance(target, cst.Name):
            raise RefusedError("what a child returns has no name")
        return target.value

    def _derived(self, source: str) -> list[str]:
        """The names that are assigned something made of a parameter."""
        found: dict[str, None] = {}
        for assign in self.tree.own(self.entry, cst.Assign):
            if source in names_in(assign.value):
                for target in assign.targets:
                    if isinstance(target.target, cst.Name):
                        found[target.target.value] = None
        return list(found)

    def _values(self, name: str) -> str:
        """The texts of all that a name is assigned."""
        assigns = assigning(name, self.entry, self.tree)
        return "\n".join(self.tree.code(assign.value) for assign in assigns)

    def _collected(self, name: str) -> str:
        """The texts of all that is put into a list or dict."""
        texts = []
        for load in self._loads(name):
            statement = self.tree.statement(load)
            parent = self.tree.parent(load)
            is_append = isinstance(parent, cst.Attribute) and parent.attr.value == "append"
            if is_append or isinstance(parent, cst.Subscript):
                texts.append(self.tree.code(statement))
        return "\n".join(texts)

    def _loads(self, name: str) -> list[cst.Name]:
        found = list(loads(self.entry, name, self.tree))
        for node in self.tree.own(self.entry, cst.Subscript):
            base = node.value
            if isinstance(base, cst.Name) and base.value == name and base not in found:
                found.append(base)
        return found

    def _is_read(self, name: str) -> bool:
        return any(loads(self.entry, name, self.tree))

    def _is_returned(self, name: str) -> bool:
        return any(name in names_in(output) for output in outputs_of(self.entry, self.tree))
