"""Moves what a class draws from into its carry, together with the classes that share its code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import libcst as cst

from flake8_nnx_rng.codemod.envs.per_env import PerEnv
from flake8_nnx_rng.codemod.envs.references import References
from flake8_nnx_rng.codemod.envs.rows import Rows
from flake8_nnx_rng.codemod.keys.consumers import Consumers
from flake8_nnx_rng.codemod.keys.faults import Faults, merged
from flake8_nnx_rng.codemod.keys.handed import reads_of
from flake8_nnx_rng.codemod.keys.needs import Threads
from flake8_nnx_rng.codemod.keys.openings import write_count, write_opening
from flake8_nnx_rng.codemod.keys.parameters import Parameters
from flake8_nnx_rng.codemod.keys.seeding import keep, seed_of
from flake8_nnx_rng.codemod.keys.selection import Selection, select, take_away
from flake8_nnx_rng.codemod.keys.site_writer import SiteWriter
from flake8_nnx_rng.codemod.keys.sites import find_faults
from flake8_nnx_rng.codemod.keys.statements import is_inside
from flake8_nnx_rng.codemod.keys.threads import Weaver
from flake8_nnx_rng.codemod.refusal import RefusedError
from flake8_nnx_rng.codemod.rewrite import Rewrite
from flake8_nnx_rng.codemod.state.carry import Carry, Kind, plan_carry, write_entry, write_outputs
from flake8_nnx_rng.codemod.state.families import check_relatives, entries_of, heirs_of
from flake8_nnx_rng.codemod.state.layouts import Field
from flake8_nnx_rng.codemod.state.states import States
from flake8_nnx_rng.codemod.text.imports import add_imports, name_of_jax
from flake8_nnx_rng.codemod.text.names import names_in
from flake8_nnx_rng.codemod.text.sheet import Sheet
from flake8_nnx_rng.codemod.text.tree import AnyFunction, Tree, parameters_of
from flake8_nnx_rng.interpreter import Audit
from flake8_nnx_rng.project import Hierarchy

_SPLITS = frozenset({"flax.nnx.split_rngs", "flax.nnx.fork_rngs"})
VISIBLE = "callers see another state: what it was, and the keys"


def rewrite_draws(audits: Sequence[Audit], tree: Tree, hierarchy: Hierarchy) -> Rewrite | None:
    """The files with the draws of a family of classes from keys of its carry.

    Returns:
        None if there are none to move.

    Raises:
        RefusedError: No rewrite is certain to keep what the code means.
    """
    faults = merged(find_faults(audit, tree) for audit in audits)
    if not faults.sites and not faults.gone:
        return None
    return _Writer(audits, tree, hierarchy, faults).write()


@dataclass(eq=False)
class _Writer:
    audits: Sequence[Audit]
    tree: Tree
    hierarchy: Hierarchy
    faults: Faults
    notes: dict[str, None] = field(default_factory=dict)
    extended: list[cst.FunctionDef | cst.ClassDef] = field(default_factory=list)

    def write(self) -> Rewrite:
        tree = self.tree
        self.entries = entries_of(self.audits)
        self.references = References(tree, self.hierarchy)
        self.sheet = Sheet(tree.text)
        self.jax = name_of_jax(tree)
        weaver = Weaver(tree, self.references, frozenset(self.entries))
        selection = select(self.faults, weaver)
        take_away(selection, tree, self.sheet)
        if selection.needs:
            self._move(selection, weaver)
            add_imports(tree, self.sheet)
        return Rewrite(self.sheet.result, tuple(self.notes), tuple(self.extended))

    def _move(self, selection: Selection, weaver: Weaver) -> None:
        tree, sheet = self.tree, self.sheet
        threads = weaver.plan(selection.needs)
        carries = {
            entry: plan_carry(audit.cls, entry, tree, self.hierarchy)
            for entry, audit in self.entries.items()
            if entry in weaver.homes
        }
        check_relatives(carries.values(), self.audits, self.hierarchy, tree)
        self._check_tests(selection)
        self._write_places(selection, threads, weaver)
        for folded in {f.clause: f for f in threads.folded.values()}.values():
            write_count(folded, tree, sheet)
        for carry in carries.values():
            write_entry(carry, sheet, tree)
        for opening in threads.openings:
            block = opening.block
            carry_of = carries.get(block) if isinstance(block, cst.FunctionDef) else None
            write_opening(opening, carry_of, self.jax, tree, sheet)
        for entry, carry in carries.items():
            write_outputs(carry, sheet, tree)
            self._write_states(carry, self.entries[entry])
        for function in threads.parameters:
            name = self._public_name(function)
            if name and isinstance(function, cst.FunctionDef):
                self.notes[f"`{name}` takes a key now"] = None
                self.extended.append(function)

    def _check_tests(self, selection: Selection) -> None:
        """Sees that nothing draws only where extras are missing, which the replay has."""
        for site in selection.sites:
            entry = self.tree.function(site.node)
            if entry not in self.entries or len(parameters_of(entry)) < 4:
                continue
            extras = parameters_of(entry)[3].name.value
            for above in self.tree.above(site.node):
                if isinstance(above, (cst.If, cst.IfExp)) and extras in names_in(above.test):
                    raise RefusedError("it draws in the rollout alone, and does not store what")

    def _check_streams(self, node: cst.CSTNode, threads: Threads) -> None:
        """Sees that streams which are split no more are handed to nothing any more."""
        if isinstance(node, cst.Decorator) and self.tree.parent(node) not in threads.parameters:
            raise RefusedError("streams that it splits are needed by something else")
        function = self.tree.function(node)
        is_split = isinstance(node, cst.Call) and self.tree.canonical(node.func) in _SPLITS
        if not is_split or not isinstance(node, cst.Call) or function is None:
            return
        given = node.args[0].value if node.args else None
        start, end = self.tree.span(function.body)
        body = self.sheet.between(self.tree.line_start(start), end)
        if given is None or self.tree.code(given) in body:
            raise RefusedError("streams that it splits are needed by something else")

    def _public_name(self, function: AnyFunction) -> str:
        """What others may call a function that is no method of a `StatefulModule`."""
        if self.tree.function(function) is not None or isinstance(function, cst.Lambda):
            return ""
        owner = self.references.owner(function)
        if owner is None:
            return function.name.value
        is_known = self.hierarchy.is_stateful(owner)
        return "" if is_known else f"{owner.name}.{function.name.value}"

    def _write_places(self, selection: Selection, threads: Threads, weaver: Weaver) -> None:
        """Writes all that draws, takes keys or hands them on, from the inside outwards."""
        tree = self.tree
        rows = Rows(tree, self.references)
        per_env = PerEnv(rows, self.sheet, self.jax)
        consumers = Consumers(per_env, weaver, self.notes)
        sites = SiteWriter(per_env, consumers, threads, self.audits)
        parameters = Parameters(
            tree, self.references, self.sheet, self.jax, threads, selection.dead
        )
        jobs: list[tuple[cst.CSTNode, Callable[[], None]]] = []
        for site in selection.sites:
            jobs.append((site.node, partial(sites.write, site)))
            for read, name in reads_of(site.node, tree, self.references):
                if not is_inside(tree.span(read), selection.dead):
                    jobs.append((read, partial(self.sheet.replace, *tree.span(read), name)))
        for call in selection.consumers:
            if not weaver.is_row(call) or consumers.folds(call):
                jobs.append((call, partial(consumers.consume, call)))
        for reference in threads.calls:
            place = reference.call or reference.node
            jobs.append((place, partial(parameters.give, reference)))
        for _, job in sorted(jobs, key=lambda one: len(tree.code(one[0]))):
            job()
        for function in threads.parameters:
            parameters.take(function)
        for node in self.faults.gone:
            self._check_streams(node, threads)
        for one in selection.kept:
            names, given = ", ".join(one.names), ", ".join(threads.keys[one.site.node])
            self.sheet.replace(*tree.span(one.line), f"{names} = {given}")

    def _write_states(self, carry: Carry, audit: Audit) -> None:
        rows = Rows(self.tree, self.references)
        seed = seed_of(self.faults.sites, audit, rows, self.jax)
        states = States(carry, self.tree, self.hierarchy, self.sheet, self.jax, seed.text)
        states.write()
        for heir in heirs_of(carry, self.audits, self.hierarchy):
            replace(states, carry=replace(carry, cls=heir)).write_own()
        if seed.kept is not None:
            keep(seed.kept, audit.cls, self.tree, self.sheet)
        if seed.note:
            self.notes[seed.note] = None
        if carry.layout is not None:
            self.notes[f"the state holds keys under `{carry.layout.name}` too"] = None
            if isinstance(carry.layout, Field):
                self.extended.append(carry.layout.cls.node)
        elif carry.kind is Kind.SOME:
            self.notes[VISIBLE] = None
