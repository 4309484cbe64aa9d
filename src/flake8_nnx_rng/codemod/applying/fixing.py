"""Rewrites what can be rewritten in one file, round by round, in memory."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from flake8_nnx_rng.cache import Cache
from flake8_nnx_rng.codemod.applying.draft import (
    Draft,
    State,
    compatible,
    edits_of,
    merged,
    real,
    shown,
)
from flake8_nnx_rng.codemod.applying.judging import objection, with_findings
from flake8_nnx_rng.codemod.applying.outcome import Outcome, Verdict
from flake8_nnx_rng.codemod.proposal import Planner, Proposal, Safety
from flake8_nnx_rng.findings import Finding
from flake8_nnx_rng.lint import Settings, deep_stack, lint, lint_cached
from flake8_nnx_rng.source import (
    Disk,
    Document,
    Original,
    SourceError,
    absolute,
    behind_links,
    find_roots,
)

ROUNDS = 100
"""How often a file is looked at again; every round removes findings or refuses a proposal."""

Wanted = Callable[[Document, Iterable[Finding]], list[Finding]]


def _nothing(path: Path) -> bool:
    return False


@dataclass(frozen=True)
class Task:
    """What is to be fixed, and how.

    Attributes:
        planner: Proposes the rewrites.
        wanted: Those of a document's findings that the user wants to hear of.
        settings: What the user says about their project.
        unsafe: Whether unsafe proposals are applied.
        alone: Whether other files are left as they are.
        cache: Where findings are kept; nowhere if None.
        excluded: Tells which files, by real path, are left as they are.
        enclosed: Tells which files, by real path, may be changed although they are outside of the
            project of the file that is fixed.
    """

    planner: Planner
    wanted: Wanted
    settings: Settings = field(default_factory=Settings)
    unsafe: bool = False
    alone: bool = False
    cache: Cache | None = None
    excluded: Callable[[Path], bool] = _nothing
    enclosed: Callable[[Path], bool] = _nothing


@dataclass(frozen=True)
class _Refusal:
    """Why a proposal is not applied."""

    reason: str
    failed: bool = False


def fix(own: Original, task: Task, instead: Mapping[Path, bytes] | None = None) -> Outcome:
    """What would become of a file.

    Args:
        own: The file.
        task: What is to be fixed.
        instead: What files on the disk are thought to contain, by real path.

    Raises:
        SourceError: The file is not valid Python.
    """
    document = own.document
    found = lint(document, None, task.settings, Disk(instead)) if instead else None
    if found is None:
        found = lint_cached(document, None, task.settings, task.cache)
    if not task.wanted(document, found):
        return Outcome(own.name)
    return _Fixer(own.name, task).run(Draft(instead or {}).holding(own))


@dataclass(eq=False)
class _Fixer:
    """The rounds of one file."""

    name: str
    task: Task
    _refused: dict[Hashable, _Refusal] = field(default_factory=dict, init=False)
    _fixed: list[Proposal] = field(default_factory=list, init=False)
    _planned: dict[State, list[Proposal]] = field(default_factory=dict, init=False)
    _linted: dict[tuple[State, Path], list[Finding]] = field(default_factory=dict, init=False)
    _disks: list[Disk] = field(default_factory=list, init=False)

    @cached_property
    def path(self) -> Path:
        """The file itself, behind all links."""
        return real(self.name)

    def run(self, draft: Draft) -> Outcome:
        for _ in range(ROUNDS):
            wanted = self._wanted(draft)
            batch = compatible(one for one in wanted if self._obstacle(one) is None)
            if not batch:
                break
            draft = self._step(draft, batch)
        return Outcome(
            draft.before[self.path].name,
            draft.changes,
            tuple(_verdict(one) for one in self._fixed),
            tuple(self._left(draft)),
            frozenset(behind_links(path) for disk in self._disks for path in disk.consulted),
        )

    def _step(self, draft: Draft, batch: Sequence[Proposal]) -> Draft:
        """The draft after a batch; if something speaks against it, after none or one of it."""
        result = self._attempt(draft, batch)
        if isinstance(result, Draft):
            self._fixed += batch
            return result
        alone = {_key(one): self._attempt(draft, [one]) for one in batch}
        refused = {key: one for key, one in alone.items() if isinstance(one, _Refusal)}
        self._refused |= refused
        return draft if refused else self._step(draft, batch[:1])

    def _attempt(self, draft: Draft, batch: Sequence[Proposal]) -> Draft | _Refusal:
        try:
            result = draft.edited(merged(batch))
            expected = {found for one in batch for found in one.findings}
            reason = objection(draft, result, self.path, expected, self._lint)
        except SourceError as error:
            return _Refusal(str(error), failed=True)
        return _Refusal(reason) if reason else result

    def _obstacle(self, proposal: Proposal) -> _Refusal | None:
        """Why a proposal is not to be applied, if so."""
        if proposal.safety is Safety.NONE:
            return _Refusal(proposal.reason)
        if proposal.safety is Safety.UNSAFE and not self.task.unsafe:
            return _Refusal(f"{proposal.reason} (unsafe: --unsafe-fixes applies it)")
        changed = edits_of(proposal).keys()
        for path in sorted(changed):
            if not self._may_change(path):
                return _Refusal(self._outside(path), failed=path == self.path)
        others = changed - {self.path}
        if self.task.alone and others:
            return _Refusal("other files must change with it; name the files to nnx-rng fix")
        for path in filter(self.task.excluded, sorted(others)):
            return _Refusal(f"{shown(path)} must change with it, and is excluded")
        return self._refused.get(_key(proposal))

    def _may_change(self, path: Path) -> bool:
        """Whether a file is where the user wants files to be changed.

        Links and configurations may lead anywhere; who has written them is not always who runs
        the command.
        """
        return path.is_relative_to(self._project) or self.task.enclosed(path)

    def _outside(self, path: Path) -> str:
        if path == self.path:
            return f"it is a link to {path}, outside of the project; name that file itself"
        return f"{shown(path)} must change with it, and is outside of the project; name it too"

    @cached_property
    def _project(self) -> Path:
        """The directory of the project of the file, behind all links."""
        return behind_links(find_roots(Disk(), absolute(self.name)).project)

    def _wanted(self, draft: Draft) -> list[Proposal]:
        """The proposals about findings that the user wants to hear of."""
        found = self._lint(draft, self.path)
        wanted = set(self.task.wanted(draft.after[self.path].document, found))
        return [
            one
            for one in (self._proposals(draft, found) if wanted else ())
            if not wanted.isdisjoint(one.findings)
        ]

    def _left(self, draft: Draft) -> Iterable[Verdict]:
        proposals = self._wanted(draft)
        for one in proposals:
            obstacle = self._obstacle(one) or _Refusal(f"still changing after {ROUNDS} rounds")
            yield _verdict(one, obstacle)
        explained = {found for one in proposals for found in one.findings}
        document = draft.after[self.path].document
        for found in self.task.wanted(document, self._lint(draft, self.path)):
            if found not in explained:
                why = "no rewrite is known for it"
                yield Verdict(found.path, found.span.line, "", (found.code,), why)

    def _proposals(self, draft: Draft, found: list[Finding]) -> list[Proposal]:
        if draft.state not in self._planned:
            document = draft.after[self.path].document
            with deep_stack():
                planned = self.task.planner(document, self.task.settings, self._disk(draft))
            self._planned[draft.state] = with_findings(planned, document, found)
        return self._planned[draft.state]

    def _lint(self, draft: Draft, path: Path) -> list[Finding]:
        if (draft.state, path) not in self._linted:
            document = draft.after[path].document
            self._linted[draft.state, path] = lint(
                document, None, self.task.settings, self._disk(draft)
            )
        return self._linted[draft.state, path]

    def _disk(self, draft: Draft) -> Disk:
        self._disks.append(draft.disk)
        return self._disks[-1]


def _key(proposal: Proposal) -> Hashable:
    """Tells a proposal by what it does, wherever it has moved to."""
    edits = sorted(proposal.edits.items())
    return proposal.name, tuple((path, tuple(one.text for one in texts)) for path, texts in edits)


def _verdict(proposal: Proposal, refusal: _Refusal = _Refusal("")) -> Verdict:
    return Verdict(
        proposal.path,
        proposal.line,
        proposal.name,
        proposal.codes,
        refusal.reason,
        refusal.failed,
        proposal.others,
    )
