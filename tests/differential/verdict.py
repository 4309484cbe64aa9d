"""What the linter says of a module against what the oracle sees, before and after a rewrite."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING

from judging import PROMISED, STRICT, shown

from flake8_nnx_rng.codemod.applying.outcome import Outcome

from .project import Files, Project

if TYPE_CHECKING:
    from flake8_nnx_rng.findings import Finding

UNSEEN = frozenset({"NNX404", "NNX900"})
"""The rules of which nothing is seen at run time."""

ALSO: Mapping[str, frozenset[str]] = {
    code: frozenset(observables.split())
    for code, observables in {
        "NNX101": "independence freshness trace",
        "NNX102": "independence hygiene",
        "NNX104": "independence purity",
        "NNX106": "independence hygiene",
        "NNX107": "purity",
        "NNX108": "trace",
        "NNX201": "hygiene",
        "NNX203": "independence",
        "NNX205": "hygiene",
    }.items()
}
"""What a fault breaks beside what its rule promises, depending on what is done with the draw."""

NO_RULE = "no rule"


class Kind(Enum):
    """What a module counts as, for a rule and an observable."""

    AGREED = "agreed"
    MISSED = "missed"
    FALSE = "false"
    FIXED = "fixed"
    REFUSED = "refused"
    BAD_FIX = "bad fix"
    HIDDEN = "hidden"
    EXEMPT = "exempt"


DISAGREEMENTS = (Kind.MISSED, Kind.FALSE, Kind.BAD_FIX)


@dataclass(frozen=True, order=True)
class Count:
    """One cell of the table.

    Attributes:
        rule: The code; `NO_RULE` if none speaks.
        observable: What is broken or should be.
        kind: What the module counts as.
        why: What hides it, or why it is exempt.
    """

    rule: str
    observable: str
    kind: str
    why: str = ""

    @property
    def agrees(self) -> bool:
        """Whether what a rule says is seen."""
        return self.kind == Kind.AGREED.value

    @property
    def disagrees(self) -> bool:
        """Whether one side is wrong."""
        return any(self.kind == kind.value for kind in DISAGREEMENTS)

    @property
    def is_unseen(self) -> bool:
        """Whether a rule speaks, and what it promises is not seen to break."""
        return self.disagrees and self.rule != NO_RULE and bool(self.observable)


@dataclass(frozen=True)
class Sight:
    """What both sides say of one version of a module.

    Attributes:
        findings: What the linter says.
        broken: What the oracle sees.
        unjudged: What it cannot see, as the module does not run that far.
        text: Both as a person reads them.
    """

    findings: tuple[Finding, ...]
    broken: frozenset[str]
    unjudged: frozenset[str]
    text: str

    @property
    def codes(self) -> frozenset[str]:
        """The rules that speak."""
        return frozenset(finding.code for finding in self.findings)

    def counts(self) -> Iterator[Count]:
        """How the two compare."""
        explained: set[str] = set()
        for code in sorted(self.codes - UNSEEN):
            seen = (PROMISED[code] | ALSO.get(code, frozenset())) & self.broken
            explained |= seen
            if PROMISED[code] & self.unjudged:
                explained.add("trace")  # what stops the run keeps the rest from being seen
                seen = seen or PROMISED[code] & self.unjudged
            for observable in sorted(seen):
                yield Count(code, observable, Kind.AGREED.value)
            if not seen:
                yield Count(code, "/".join(sorted(PROMISED[code])), Kind.FALSE.value)
        default = self.broken - STRICT
        wanted = default if default and not default & explained else frozenset()
        strict = self.broken & STRICT
        if not default and not strict & explained:
            wanted |= strict
        for observable in sorted(wanted):
            yield Count(NO_RULE, observable, Kind.MISSED.value)


@dataclass(frozen=True)
class Verdict:
    """What became of a module.

    Attributes:
        before: What both sides say of it.
        after: What they say of the rewritten one, if it was rewritten.
        rewritten: Its files then.
        reasons: Why something was left as it was.
        faults: What is wrong with the rewrite.
    """

    before: Sight
    after: Sight | None = None
    rewritten: Files = field(default_factory=dict)
    reasons: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()

    def counts(self) -> Iterator[Count]:
        """The cells of the table that it counts in."""
        yield from self.before.counts()
        worse = list(self._worse())
        yield from worse
        is_bad = bool(self.faults) or any(count.kind == Kind.BAD_FIX.value for count in worse)
        left = frozenset() if self.after is None else self.after.codes
        for code in sorted(self.before.codes):
            if self.faults:
                yield Count(code, "", Kind.BAD_FIX.value)
            elif not is_bad:
                is_fixed = self.after is not None and code not in left
                yield Count(code, "", (Kind.FIXED if is_fixed else Kind.REFUSED).value)

    def _worse(self) -> Iterator[Count]:
        """What is wrong with the rewritten module, and what was missed before and is seen now."""
        for count in self.after.counts() if self.after is not None else ():
            if count.disagrees:
                is_old = _was_missed(count, self.before)
                yield count if is_old else replace(count, kind=Kind.BAD_FIX.value)

    @property
    def disagreements(self) -> list[Count]:
        """Where one side is wrong."""
        return [count for count in self.counts() if count.disagrees]


def judged(files: Files, project: Project) -> Verdict:
    """Reads and runs a module, rewrites it, and does so again."""
    before = seen(files, project)
    if not before.findings:
        return Verdict(before)
    outcomes = project.fixed()
    rewritten = project.files
    reasons = tuple(
        f"{verdict.name or ', '.join(verdict.codes)}: {verdict.reason}"
        for outcome in outcomes
        for verdict in outcome.left
    )
    faults = [f"the fix failed: {text}" for text in map(_failure, outcomes) if text]
    faults += ["a refusal has no reason" for reason in reasons if reason.endswith(": ")]
    if rewritten == files:
        if not reasons:
            faults.append("nothing was rewritten, and nothing says why")
        return Verdict(before, reasons=reasons, faults=tuple(faults))
    after = _seen(project)
    faults += _faults(before, after, bool(reasons))
    project.fixed()
    if project.files != rewritten:
        faults.append("a second fix changes it again")
    return Verdict(before, after, rewritten, reasons, tuple(faults))


def _failure(outcome: Outcome) -> str:
    failed = [verdict.reason for verdict in outcome.left if verdict.failed]
    return outcome.error or "; ".join(failed)


def _faults(before: Sight, after: Sight, is_partial: bool) -> Iterator[str]:
    """What is wrong with a rewrite."""
    new = after.codes - before.codes
    if new:
        yield f"the rewritten module has {', '.join(sorted(new))}, which it had not"
    if after.findings and not is_partial:
        yield f"the rewritten module is still reported: {', '.join(sorted(after.codes))}"


def _was_missed(count: Count, before: Sight) -> bool:
    """Whether what a rewritten module is missed for was missed before."""
    promised = frozenset().union(*(PROMISED[code] for code in before.codes))
    is_old = count.observable in before.broken and count.observable not in promised
    return count.kind == Kind.MISSED.value and is_old


def seen(files: Files, project: Project) -> Sight:
    """What both sides say of a module."""
    return _seen(project.holding(files))


def _seen(project: Project) -> Sight:
    findings = tuple(project.findings())
    report = project.report()
    judged_all = "trace" not in report.failed
    unjudged = (
        frozenset()
        if judged_all
        else frozenset(
            result.observable for result in report.results if not (result.passed or result.failed)
        )
    )
    return Sight(
        findings, frozenset(report.failed), unjudged, f"{shown(list(findings))}\n\n{report}"
    )


def as_text(files: Mapping[str, str]) -> str:
    """Files one after the other."""
    return "\n".join(f"# ---- {name}.py\n{text}" for name, text in files.items())
