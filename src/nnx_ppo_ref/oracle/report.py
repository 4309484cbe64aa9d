"""What a check found: one result for each observable, and how it reads."""

from __future__ import annotations

import dataclasses
import enum
import textwrap

OBSERVABLES = (
    "replay",
    "freshness",
    "independence",
    "lock",
    "purity",
    "trace",
    "hygiene",
    "lockstep",
)
"""The names of the observables, in the order of a report."""


class Verdict(enum.Enum):
    """Whether an observable holds."""

    PASS = "pass"
    FAIL = "fail"
    NOT_APPLICABLE = "not applicable"


@dataclasses.dataclass(frozen=True)
class Figures:
    """Where a difference is largest, as far as it has a place.

    Attributes:
        difference: The largest absolute difference; None where only bits were compared.
        leaf: The path of the output or of the state that differs.
        step: The step, counted from 0.
        env: The environment, counted from 0 in the full batch.
    """

    difference: float | None = None
    leaf: str | None = None
    step: int | None = None
    env: int | None = None

    def __str__(self) -> str:
        parts = (
            self.leaf and f"at {self.leaf}",
            self.step is not None and f"step {self.step}",
            self.env is not None and f"env {self.env}",
            self.difference is not None and f"largest difference {self.difference:.3g}",
        )
        return ", ".join(part for part in parts if part)


@dataclasses.dataclass(frozen=True)
class Result:
    """One observable's verdict.

    Attributes:
        observable: Its name.
        verdict: Whether it holds.
        evidence: What was seen, or why the observable does not apply.
        figures: The difference, if there is one.
        cause: What that usually means.
    """

    observable: str
    verdict: Verdict
    evidence: str = ""
    figures: Figures = Figures()
    cause: str = ""

    @property
    def passed(self) -> bool:
        """Whether the observable holds."""
        return self.verdict is Verdict.PASS

    @property
    def failed(self) -> bool:
        """Whether the observable is broken."""
        return self.verdict is Verdict.FAIL

    def __str__(self) -> str:
        head = f"{self.observable:13}{self.verdict.value}"
        details = [text for text in (self.evidence, str(self.figures)) if text]
        if self.cause and self.failed:
            details.append(f"usually: {self.cause}")
        body = (
            textwrap.fill(
                text, 96, initial_indent="    ", subsequent_indent="      ", break_long_words=False
            )
            for text in details
        )
        return "\n".join((head, *body))


@dataclasses.dataclass(frozen=True)
class Report:
    """What was found about one module.

    Attributes:
        subject: The module's class.
        results: One for each observable, in the order of `OBSERVABLES`.
    """

    subject: str
    results: tuple[Result, ...]

    @property
    def failed(self) -> tuple[str, ...]:
        """The names of the observables that are broken."""
        return tuple(result.observable for result in self.results if result.failed)

    @property
    def ok(self) -> bool:
        """Whether no observable is broken."""
        return not self.failed

    def __getitem__(self, observable: str) -> Result:
        """The result of one observable.

        Raises:
            KeyError: If there is no observable of that name.
        """
        for result in self.results:
            if result.observable == observable:
                return result
        raise KeyError(f"{observable!r} is none of {', '.join(OBSERVABLES)}")

    def __str__(self) -> str:
        summary = f"broken: {', '.join(self.failed)}" if self.failed else "nothing is broken"
        return "\n".join((f"{self.subject}: {summary}", *map(str, self.results)))


def passed(observable: str, evidence: str = "") -> Result:
    """A result for an observable that holds."""
    return Result(observable, Verdict.PASS, evidence)


def broken(
    observable: str, evidence: str, cause: str = "", figures: Figures | None = None
) -> Result:
    """A result for an observable that is broken."""
    return Result(observable, Verdict.FAIL, evidence, figures or Figures(), cause)


def not_applicable(observable: str, reason: str) -> Result:
    """A result for an observable that says nothing about this module."""
    return Result(observable, Verdict.NOT_APPLICABLE, reason)
