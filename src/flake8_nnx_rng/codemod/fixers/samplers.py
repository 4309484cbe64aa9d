"""Stores the raw action of a sampler in its extras, and takes it back in the replay."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import libcst as cst

from flake8_nnx_rng.codemod.keys.sites import breached
from flake8_nnx_rng.codemod.keys.statements import dead_names, is_inside, remove_line
from flake8_nnx_rng.codemod.refusal import RefusedError
from flake8_nnx_rng.codemod.rewrite import Rewrite
from flake8_nnx_rng.codemod.state.carry import entry_of, state_and_extras
from flake8_nnx_rng.codemod.text.bindings import is_binding
from flake8_nnx_rng.codemod.text.names import names_in
from flake8_nnx_rng.codemod.text.outputs import field_of, outputs_of, set_field
from flake8_nnx_rng.codemod.text.restored import restoring
from flake8_nnx_rng.codemod.text.sheet import Sheet
from flake8_nnx_rng.codemod.text.structure import assigning, resolved
from flake8_nnx_rng.codemod.text.tree import Tree
from flake8_nnx_rng.interpreter import Audit
from flake8_nnx_rng.knowledge import library
from flake8_nnx_rng.project import Hierarchy

CONTRACT, LOCKSTEP = ("NNX301", "NNX302"), ("NNX403",)


def rewrite_sampler(audit: Audit, tree: Tree, hierarchy: Hierarchy) -> Rewrite | None:
    """The file in which a sampler keeps its contract; None if it does.

    Raises:
        RefusedError: It is not certain what its raw action is.
    """
    is_broken = bool(breached(audit, CONTRACT))
    if not is_broken and not breached(audit, LOCKSTEP):
        return None
    sampler = _Sampler(audit, entry_of(audit.cls), tree)
    if is_broken:
        sampler.keep_action()
    else:
        sampler.draw_always()
    return Rewrite(sampler.sheet.result)


@dataclass(eq=False)
class _Sampler:
    audit: Audit
    entry: cst.FunctionDef
    tree: Tree
    sheet: Sheet = field(init=False)

    def __post_init__(self) -> None:
        self.sheet = Sheet(self.tree.text)
        _, self.extras = state_and_extras(self.entry)

    def keep_action(self) -> None:
        """Emits the raw action, and scores the emitted one in the replay."""
        raw = self._raw()
        restored = restoring(self.audit, self.entry, self.extras, self.tree)
        gone = [self.tree.span(statement) for statement in restored]
        for output in outputs_of(self.entry, self.tree):
            given = field_of(output, library.EXTRAS)
            if given is None or self.tree.code(given) != raw:
                set_field(output, library.EXTRAS, raw, self.tree, self.sheet)
                gone += [] if given is None or not restored else [self.tree.span(given)]
        self._take_back(raw, gone)
        for statement in [*restored, *dead_names([self.entry], gone, self.tree)]:
            remove_line(statement, self.tree, self.sheet)

    def draw_always(self) -> None:
        """Draws in the replay as well, so that streams stay in step."""
        tests = [node.test for node in self.tree.own(self.entry, cst.If)]
        tests += [node.test for node in self.tree.own(self.entry, cst.IfExp)]
        for test in tests:
            rest = self._without_extras(test)
            if rest is not None:
                self.sheet.replace(*self.tree.span(test), rest)
                return
        for statement in self.tree.own(self.entry, cst.If):
            name = self._tested(statement.test)
            if name in self._names_of_extras() and name and statement.orelse is None:
                self._unwrap(statement, name)
                return
            if self._tested(statement.test) == self.extras and statement.orelse is not None:
                self._draw_first(statement)
                return
        raise RefusedError("it is not certain why it draws in the rollout alone")

    def _draw_first(self, statement: cst.If) -> None:
        """Runs the rollout's branch in both passes, and the replay's after it."""
        orelse = statement.orelse
        if not isinstance(orelse, cst.Else):
            raise RefusedError("it is not certain why it draws in the rollout alone")
        drawing, taking = statement.body, orelse.body
        if not self._is_none(statement.test):
            drawing, taking = taking, drawing
        if self._bound(drawing) - self._bound(taking):
            raise RefusedError("the replay does not take back all that the rollout draws")
        at, end = self.tree.lines(statement)
        outer = self.tree.indentation(at)
        first = self._lines(drawing, outer)
        last = self._lines(taking, outer + self._step(taking, outer))
        self.sheet.replace(at, end, f"{first}{outer}if {self.extras} is not None:\n{last}")

    def _bound(self, block: cst.BaseSuite) -> set[str]:
        """The names that a block assigns."""
        return {
            name.value for name in self.tree.walk(block, cst.Name) if is_binding(name, self.tree)
        }

    def _step(self, block: cst.BaseSuite, outer: str) -> str:
        at = self.tree.line_start(self.tree.span(block.body[0])[0])
        return self.tree.indentation(at).removeprefix(outer)

    def _lines(self, block: cst.BaseSuite, indentation: str) -> str:
        """A block's text with another indentation."""
        if not isinstance(block, cst.IndentedBlock):
            raise RefusedError("a block stands in one line with its header")
        first = self.tree.line_start(self.tree.span(block.body[0])[0])
        end = self.tree.lines(block.body[-1])[1]
        inner = self.tree.indentation(first)
        lines = self.tree.text[first:end].splitlines(keepends=True)
        return "".join(
            indentation + line.removeprefix(inner) if line.strip() else line for line in lines
        )

    def _names_of_extras(self) -> set[str]:
        """What the extras are called."""
        found = {self.extras}
        for assign in self.tree.own(self.entry, cst.Assign):
            target, value = assign.targets[0].target, assign.value
            is_extras = isinstance(value, cst.Name) and value.value == self.extras
            if is_extras and isinstance(target, cst.Name):
                found.add(target.value)
        return found

    def _raw(self) -> str:
        """The name of the raw action."""
        for assign in self.tree.own(self.entry, cst.Assign):
            target = assign.targets[0].target
            if isinstance(target, cst.Name) and self._is_taken(assign.value):
                return target.value
        for output in outputs_of(self.entry, self.tree):
            made = field_of(output, "output")
            made = None if made is None else resolved(made, self.entry, self.tree)
            for element in made.elements if isinstance(made, cst.Dict) else ():
                key = element.key if isinstance(element, cst.DictElement) else None
                if isinstance(key, cst.SimpleString) and key.evaluated_value == "action":
                    return self._name_in(element.value)
        raise RefusedError("it is not certain what its raw action is")

    def _is_taken(self, value: cst.BaseExpression) -> bool:
        """Whether what is assigned is what the extras hold, in the replay."""
        if isinstance(value, cst.IfExp):
            return self._is_taken(value.body) or self._is_taken(value.orelse)
        if isinstance(value, cst.BinaryOperation):
            return self._is_taken(value.left) or self._is_taken(value.right)
        return isinstance(value, cst.Name) and value.value == self.extras

    def _name_in(self, action: cst.BaseExpression) -> str:
        """The name of what the action is made of, such as `raw` in `jnp.tanh(raw)`."""
        while isinstance(action, cst.Call) and len(action.args) == 1:
            action = action.args[0].value
        if not isinstance(action, cst.Name):
            raise RefusedError("its action has no name")
        return action.value

    def _take_back(self, raw: str, gone: Iterable[tuple[int, int]]) -> None:
        assigns = list(assigning(raw, self.entry, self.tree))
        if not assigns:
            raise RefusedError(f"`{raw}` is not assigned in its forward pass")
        reads = [name for name in self._reads() if not is_inside(self.tree.span(name), gone)]
        if any(name not in self._known(assigns) for name in reads):
            raise RefusedError("it does something else with rollout_extras")
        for assign in assigns:
            if isinstance(assign.value, cst.BinaryOperation) and self._is_taken(assign.value):
                self.sheet.replace(*self.tree.span(assign.value), self.extras)
        if any(self._is_taken(assign.value) for assign in assigns):
            return
        for assign in assigns:
            if self._is_of_replay(assign):
                self.sheet.replace(*self.tree.span(assign.value), self.extras)
                return
        self._insert(assigns, raw)

    def _insert(self, assigns: list[cst.Assign], raw: str) -> None:
        line = self.tree.statement(assigns[-1])
        if len(assigns) != 1 or self.tree.parent(line) is not self.entry.body:
            raise RefusedError(f"`{raw}` is assigned in a block")
        start, end = self.tree.span(line)
        outer = self.tree.indentation(start)
        self.sheet.insert(
            self.tree.line_end(end),
            f"{outer}if {self.extras} is not None:\n"
            f"{outer}{self._indent(outer)}{raw} = {self.extras}\n",
        )

    def _indent(self, inner: str) -> str:
        outer = self.tree.indentation(self.tree.span(self.entry)[0])
        return inner.removeprefix(outer)

    def _known(self, assigns: list[cst.Assign]) -> set[cst.Name]:
        """The reads of the extras that only ask for them, or take the action from them."""
        found: set[cst.Name] = set()
        for read in self._reads():
            parent = self.tree.parent(read)
            is_asked = isinstance(parent, (cst.Comparison, cst.ComparisonTarget))
            if is_asked or any(self.tree.is_within(read, assign) for assign in assigns):
                found.add(read)
            elif isinstance(parent, cst.Del):
                raise RefusedError("it deletes rollout_extras")
        return found

    def _reads(self) -> Iterator[cst.Name]:
        for name in self.tree.walk(self.entry.body, cst.Name):
            parent = self.tree.parent(name)
            is_keyword = isinstance(parent, cst.Arg) and parent.keyword is name
            is_attribute = isinstance(parent, cst.Attribute) and parent.attr is name
            if name.value == self.extras and not is_keyword and not is_attribute:
                yield name

    def _is_of_replay(self, assign: cst.Assign) -> bool:
        """Whether a statement runs only where extras are given."""
        below: cst.CSTNode = assign
        for above in self.tree.above(assign):
            if isinstance(above, cst.If) and self._tested(above.test) == self.extras:
                is_none = self._is_none(above.test)
                return below is (above.orelse if is_none else above.body)
            below = above
        return False

    def _tested(self, test: cst.BaseExpression) -> str | None:
        """The name of which a test asks whether it is None."""
        match test:
            case cst.Comparison(
                cst.Name(name), [cst.ComparisonTarget(cst.Is() | cst.IsNot(), cst.Name("None"))]
            ):
                return name
            case _:
                return None

    def _is_none(self, test: cst.BaseExpression) -> bool:
        return isinstance(test, cst.Comparison) and isinstance(test.comparisons[0].operator, cst.Is)

    def _without_extras(self, test: cst.BaseExpression) -> str | None:
        """A test without the part that asks for the extras; None if that is not a part of it."""
        if not isinstance(test, cst.BooleanOperation):
            return None
        is_or = isinstance(test.operator, cst.Or)
        for part, rest in ((test.left, test.right), (test.right, test.left)):
            if self._tested(part) == self.extras and self._is_none(part) is not is_or:
                return self.tree.code(rest)
        return None

    def _unwrap(self, statement: cst.If, name: str) -> None:
        """Runs what drew in the rollout in both passes, and takes the extras afterwards."""
        body = statement.body
        if not isinstance(body, cst.IndentedBlock) or not self._is_none(statement.test):
            raise RefusedError("it is not certain why it draws in the rollout alone")
        raw = name if name != self.extras else self._raw()
        at = self.tree.line_start(self.tree.span(statement)[0])
        outer = self.tree.indentation(at)
        end = self.tree.lines(body.body[-1])[1]
        moved = self._lines(body, outer)
        step = self._step(body, outer)
        moved += f"{outer}if {self.extras} is not None:\n{outer}{step}{raw} = {self.extras}\n"
        self.sheet.replace(at, end, moved)
        for assign in self.tree.own(self.entry, cst.Assign):
            line = self.tree.statement(assign)
            stop = self.tree.span(line)[1]
            is_first = isinstance(assign.value, cst.Name) and assign.value.value == self.extras
            if is_first and names_in(assign.targets[0].target) == {raw} and stop < at:
                self.sheet.replace(*self.tree.lines(line), "")
