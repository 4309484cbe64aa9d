"""From a document to the rewrites of its classes, each one tried before it is proposed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from flake8_nnx_rng.codemod.fixers.built import rewrite_built
from flake8_nnx_rng.codemod.fixers.cells import rewrite_cells
from flake8_nnx_rng.codemod.fixers.containers import rewrite_container
from flake8_nnx_rng.codemod.fixers.draws import rewrite_draws
from flake8_nnx_rng.codemod.fixers.reuse import rewrite_reuse
from flake8_nnx_rng.codemod.fixers.samplers import rewrite_sampler
from flake8_nnx_rng.codemod.fixers.spread import rewrite_spread
from flake8_nnx_rng.codemod.fixers.starts import rewrite_reset, rewrite_start
from flake8_nnx_rng.codemod.planning.choices import other_choices
from flake8_nnx_rng.codemod.planning.relatives import family_of, heirs, user, with_relatives
from flake8_nnx_rng.codemod.planning.trial import check
from flake8_nnx_rng.codemod.planning.view import Desk, Texts, View
from flake8_nnx_rng.codemod.proposal import Proposal, Safety
from flake8_nnx_rng.codemod.refusal import RefusedError
from flake8_nnx_rng.codemod.rewrite import Rewrite
from flake8_nnx_rng.codemod.text.differences import edits_between
from flake8_nnx_rng.codemod.text.tree import Tree
from flake8_nnx_rng.findings import Finding
from flake8_nnx_rng.interpreter import Audit
from flake8_nnx_rng.lint import Settings, deep_stack, lint
from flake8_nnx_rng.project import ClassInfo, Hierarchy
from flake8_nnx_rng.source import Disk, Document, SourceError
from flake8_nnx_rng.standing import Standing

Fixer = Callable[[Audit, Tree, Hierarchy], Rewrite | None]

FIRST: tuple[Fixer, ...] = (
    rewrite_container,
    rewrite_built,
    rewrite_cells,
    rewrite_start,
    rewrite_reset,
    rewrite_sampler,
)
"""Before draws are moved into the carry."""

LAST: tuple[Fixer, ...] = (rewrite_spread, rewrite_reuse)
"""After that."""

_WHY = {
    "NNX105": "it hands a stream to code that is not seen",
    "NNX304": "what shape its sample is meant to have is for its author to say",
    "NNX404": "its callers have to pass streams of their own before a default can go",
}
"""Why there is no rewrite for a rule."""

ROUNDS = 6
"""How often the fixers may take turns in one class."""


def proposals(
    document: Document, settings: Settings | None = None, disk: Disk | None = None
) -> list[Proposal]:
    """The rewrites of the classes of a document that break rules, in the order of the file.

    Args:
        document: The file.
        settings: What the user says about their project.
        disk: Reads the other files of the project.

    Raises:
        SourceError: The document is not valid Python.
    """
    desk = Desk(document, settings or Settings(), disk or Disk())
    findings = lint(document, None, desk.settings, desk.disk)
    if not findings:
        return []
    with deep_stack():
        try:
            return sorted(_Planner(desk, findings).all(), key=lambda proposal: proposal.line)
        except (RecursionError, SourceError):  # NNX900 says that it cannot be analysed
            return []


@dataclass(frozen=True)
class _Rewritten:
    """What files say after a rewrite, and what else than the random numbers is different."""

    texts: Texts
    notes: tuple[str, ...]


@dataclass(frozen=True)
class _Planner:
    desk: Desk
    findings: Sequence[Finding]

    def all(self) -> Iterator[Proposal]:
        view = self.desk.view()
        yield from other_choices(view.own, self.findings)
        left = [cls for cls in view.stateful() if view.is_broken(cls)]
        while left:
            view, family, rewritten = self._rewritten(view, left[0])
            about = self._about(view, family)
            if about:
                yield self._proposal(view, family, about, rewritten)
            left = [cls for cls in left if cls not in family]

    def _about(self, view: View, family: Sequence[ClassInfo]) -> tuple[Finding, ...]:
        """The findings in the file that are about the classes of a family."""
        standing = Standing(view.auditor, view.project.resolver.roots.project)
        places = {
            (code, view.own.positions.span(node))
            for cls in family
            if cls.scope.file is view.own
            for code, breach in view.breaches(cls)
            if (node := standing.place(cls, code, breach.site)) is not None
        }
        return tuple(found for found in self.findings if (found.code, found.span) in places)

    def _proposal(
        self,
        view: View,
        family: Sequence[ClassInfo],
        about: tuple[Finding, ...],
        rewritten: _Rewritten | RefusedError,
    ) -> Proposal:
        path = self.desk.document.path
        first = next(cls for cls in family if cls.scope.file is view.own)
        line = view.own.positions.span(first.node.name).line
        codes = tuple(sorted({code for cls in family for code in view.codes(cls)}))
        others = tuple(cls.name for cls in family if cls is not first)
        made = partial(Proposal, path, line, first.name, codes, findings=about, others=others)
        if isinstance(rewritten, RefusedError):
            return made(Safety.NONE, str(rewritten))
        edits = {
            str(path): edits_between(before, rewritten.texts[path])
            for path, before in view.texts.items()
            if before != rewritten.texts[path]
        }
        safety = Safety.UNSAFE if rewritten.notes else Safety.SAFE
        return made(safety, "; ".join(rewritten.notes), edits)

    def _rewritten(
        self, view: View, cls: ClassInfo
    ) -> tuple[View, list[ClassInfo], _Rewritten | RefusedError]:
        """What becomes of a class, and the files and classes that change with it."""
        while True:
            view, family = _gathered(view, cls)
            try:
                after, notes = self._settled(view, family)
                changed = [one for one in view.stateful() if _has_changed(one, view, after)]
                wider = view.widened(heirs(view, changed))
                if wider.files == view.files:
                    check(self.desk, view, after, family)
                    return view, family, _Rewritten(after.texts, tuple(notes))
                view = wider
            except RefusedError as refusal:
                return view, family, refusal

    def _settled(self, first: View, family: Sequence[ClassInfo]) -> tuple[View, Sequence[str]]:
        """The version in which the classes break no rule, and what else is different in it.

        Raises:
            RefusedError: There is none.
        """
        view, notes = first, dict[str, None]()
        for _ in range(ROUNDS):
            classes = [one for cls in family if (one := view.same(cls, first)) is not None]
            if len(classes) < len(family):
                raise RefusedError("the rewrite loses the class")
            broken = [cls for cls in classes if view.is_broken(cls)]
            if not broken:
                return view, list(notes)
            left = sorted({code for cls in broken for code in view.codes(cls)})
            rewrite = self._round(view, broken, left)
            if rewrite.text == view.tree.text:
                raise RefusedError(f"the rewrite does not settle {', '.join(left)}")
            for definition in rewrite.extended:
                path = user(definition, view)
                if path is not None:
                    raise RefusedError(f"`{definition.name.value}` is used in {path.name} too")
            notes.update(dict.fromkeys(rewrite.notes))
            texts = {view.path(f): text for f, text in view.tree.texts(rewrite.text).items()}
            try:
                view = self.desk.view(texts)
            except SourceError as error:
                raise RefusedError("the rewrite is not valid Python") from error
        raise RefusedError("the rewrite does not come to an end")

    def _round(self, view: View, broken: Sequence[ClassInfo], left: Sequence[str]) -> Rewrite:
        hierarchy, tree = view.hierarchy, view.tree
        audits = [view.auditor.audit(cls) for cls in broken]
        family = [
            view.auditor.audit(cls)
            for cls in view.stateful()
            if any(cls in hierarchy.mro(one) or one in hierarchy.mro(cls) for one in broken)
        ]
        if not all(audit.is_complete for audit in family):
            raise RefusedError("its forward pass is too long to follow")
        turns: list[Callable[[], Rewrite | None]] = [
            *(partial(fixer, audit, tree, hierarchy) for fixer in FIRST for audit in audits),
            partial(rewrite_draws, family, tree, hierarchy),
            *(partial(fixer, audit, tree, hierarchy) for fixer in LAST for audit in audits),
        ]
        for turn in turns:
            rewrite = turn()
            if rewrite is not None:
                return rewrite
        raise RefusedError("; ".join(_WHY.get(code, f"{code} has no rewrite") for code in left))


def _gathered(view: View, cls: ClassInfo) -> tuple[View, list[ClassInfo]]:
    """The view with all files that belong to a class, and the classes that change with it."""
    family = [cls]
    while True:
        wider = with_relatives(view, family)
        broken = [one for one in wider.stateful() if wider.is_broken(one)]
        kin = family_of(cls, broken, wider)
        if wider.files == view.files and kin == family:
            return view, family
        view, family = wider, kin


def _has_changed(cls: ClassInfo, before: View, after: View) -> bool:
    """Whether the body of a class says something else."""
    other = after.same(cls, before)
    return other is None or before.tree.code(cls.node) != after.tree.code(other.node)
