"""Draws for the batch as a whole from keys that are carried per env, made env by env."""

from __future__ import annotations

from dataclasses import dataclass, field

import libcst as cst

from flake8_nnx_rng.codemod.envs.axes import yields_several
from flake8_nnx_rng.codemod.envs.kinds import Kind, literal_int
from flake8_nnx_rng.codemod.envs.per_env import PerEnv, SharedError
from flake8_nnx_rng.codemod.envs.references import References
from flake8_nnx_rng.codemod.envs.rows import Rows
from flake8_nnx_rng.codemod.envs.variables import way_of
from flake8_nnx_rng.codemod.keys.consumers import SHARED, Consumers, key_and_others
from flake8_nnx_rng.codemod.keys.needs import Need
from flake8_nnx_rng.codemod.keys.parameters import Parameters
from flake8_nnx_rng.codemod.keys.sites import breached
from flake8_nnx_rng.codemod.keys.threads import Weaver
from flake8_nnx_rng.codemod.refusal import RefusedError
from flake8_nnx_rng.codemod.rewrite import Rewrite
from flake8_nnx_rng.codemod.state.carry import entry_of
from flake8_nnx_rng.codemod.text.bindings import loads
from flake8_nnx_rng.codemod.text.imports import add_imports, name_of_jax
from flake8_nnx_rng.codemod.text.names import fresh, names_in
from flake8_nnx_rng.codemod.text.sheet import Sheet
from flake8_nnx_rng.codemod.text.structure import assigning
from flake8_nnx_rng.codemod.text.tree import Tree, all_parameters
from flake8_nnx_rng.interpreter import Audit
from flake8_nnx_rng.knowledge.functions import SHIFTS
from flake8_nnx_rng.knowledge.keys import PREFIX
from flake8_nnx_rng.project import Hierarchy

CODE = "NNX203"


def rewrite_spread(audit: Audit, tree: Tree, hierarchy: Hierarchy) -> Rewrite | None:
    """The file in which a class uses its carried keys env by env; None if it does.

    Raises:
        RefusedError: It is not certain what of a draw counts the envs.
    """
    bad = breached(audit, (CODE,))
    if not bad:
        return None
    writer = _Writer(audit, tree, hierarchy)
    for node in bad:
        if not isinstance(node, cst.Call) or not tree.holds(node):
            raise RefusedError("it draws with another env's key in a way that is not seen")
        writer.add(node)
    return writer.write()


@dataclass(eq=False)
class _Writer:
    audit: Audit
    tree: Tree
    hierarchy: Hierarchy
    notes: dict[str, None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.references = References(self.tree, self.hierarchy)
        self.rows = Rows(self.tree, self.references)
        self.sheet = Sheet(self.tree.text)
        self.jax = name_of_jax(self.tree)
        self.weaver = Weaver(self.tree, self.references, frozenset({entry_of(self.audit.cls)}))
        per_env = PerEnv(self.rows, self.sheet, self.jax)
        self.consumers = Consumers(per_env, self.weaver, self.notes)
        self.wholes: dict[cst.BaseExpression, cst.BaseExpression] = {}
        self.captured: dict[cst.BaseExpression, cst.BaseExpression] = {}
        self.calls: list[cst.Call] = []

    def add(self, call: cst.Call) -> None:
        """Notes what has to change for a draw."""
        key, _ = key_and_others(call)
        found = False
        for load in way_of(key, self.references):
            whole = self._whole(load.node)
            if whole is None:
                continue
            found = True
            is_parameter = {p.name.value for p in all_parameters(load.function)}
            names = {n.value for n in self.tree.walk(whole, cst.Name)}
            if self.weaver.is_row(load.node) and not names & is_parameter:
                self.captured[load.node] = whole
            else:
                self.wholes[load.node] = whole
        if not self.weaver.is_row(call) or self.consumers.folds(call):
            self.calls.append(call)
        elif not found:
            raise RefusedError("it draws with another env's key in a way that is not seen")

    def write(self) -> Rewrite:
        """The file with all that was noted changed."""
        for node, whole in self.wholes.items():
            self.sheet.replace(*self.tree.span(node), self.tree.code(whole))
        if self.captured:
            self._pass_on()
        for call in sorted(self.calls, key=lambda c: len(self.tree.code(c))):
            try:
                self.consumers.consume(call)
            except SharedError:
                self._draw_apart(call)
        add_imports(self.tree, self.sheet)
        return Rewrite(self.sheet.result, tuple(self.notes))

    def _whole(self, node: cst.BaseExpression) -> cst.BaseExpression | None:
        """All keys of which an expression is one, or another order."""
        match node:
            case cst.Subscript(value, [cst.SubscriptElement(cst.Index(index))]):
                is_one = self.rows.kind(index) is Kind.FIXED and not self.rows.is_rows(node)
                return value if is_one and not self._is_of_several(value) else None
            case cst.Subscript(value, [cst.SubscriptElement(cst.Slice(step=step))]):
                return value if literal_int(step) == -1 else None
            case cst.Call(func, args) if self.tree.canonical(func) in SHIFTS and args:
                return args[0].value
            case _:
                return None

    def _is_of_several(self, node: cst.BaseExpression) -> bool:
        """Whether an index takes one of several arrays, or of the keys that are made of one."""
        function, made = self.tree.function(node), [node]
        if isinstance(node, cst.Name) and isinstance(function, cst.FunctionDef):
            made = [assign.value for assign in assigning(node.value, function, self.tree)]
        calls = [one.func for one in made if isinstance(one, cst.Call)]
        is_split = any(self.tree.canonical(func).startswith(PREFIX) for func in calls)
        is_several = any(yields_several(func, self.tree) for func in calls)
        return is_split or is_several or self.rows.kind(node) is Kind.FIXED

    def _pass_on(self) -> None:
        """Hands keys that a mapped function read from outside to it, one row at a time."""
        threads = self.weaver.plan([Need(node) for node in self.captured])
        bases = {self.tree.code(whole) for whole in self.captured.values()}
        is_direct = all(o.block in self.weaver.entries for o in threads.openings)
        if not is_direct or len(bases) != 1:
            raise RefusedError("a mapped function reads keys from outside of it")
        for node in self.captured:
            self.sheet.replace(*self.tree.span(node), threads.keys[node][0])
        base = bases.pop()
        given: dict[cst.CSTNode, tuple[str, ...]] = {c.node: (base,) for c in threads.calls}
        parameters = Parameters(self.tree, self.references, self.sheet, self.jax, threads, [])
        parameters.keys = {**threads.keys, **given}
        for call in threads.calls:
            parameters.give(call)
        for function in threads.parameters:
            parameters.take(function)

    def _draw_apart(self, call: cst.Call) -> None:
        """One draw for all becomes one for each where it meets what counts the envs."""
        if not self._meets_rows(call):
            raise SharedError("its noise is shared by the whole batch")
        key, others = key_and_others(call)
        text = self.consumers.per_env.text
        rest = [text(arg) for arg in others]
        one = fresh("k", names_in(*others))
        drawn = f"{text(call.func)}({', '.join([one, *rest])})"
        mapped = f"{self.jax}.vmap(lambda {one}: {drawn})({text(key)})"
        self.sheet.replace(*self.tree.span(call), mapped)
        self.notes[SHARED] = None

    def _meets_rows(self, node: cst.BaseExpression) -> bool:
        """Whether all that a value of one axis goes into is a sum or product with rows."""
        parent = self.tree.parent(node)
        if isinstance(parent, cst.Assign):
            target, function = parent.targets[0].target, self.tree.function(node)
            if not isinstance(target, cst.Name) or function is None:
                return False
            used = list(loads(function, target.value, self.tree))
            return bool(used) and all(self._meets_rows(load) for load in used)
        if not isinstance(parent, cst.BinaryOperation):
            return False
        if isinstance(parent.operator, cst.MatrixMultiply):
            return False
        other = parent.right if parent.left is node else parent.left
        return self.rows.is_rows(other)
