"""What a run of the codemod did, as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from flake8_nnx_rng.adapters.render import count, printable
from flake8_nnx_rng.codemod.applying.outcome import Outcome, Verdict


def line(verdict: Verdict, *, is_dry: bool = False) -> str:
    """What became of a class and those that change with it: `path:line: class: what`."""
    name = f"{', '.join((verdict.name, *verdict.others))}: " if verdict.name else ""
    codes = ", ".join(verdict.codes)
    what = f"left {codes}: {verdict.reason}" if verdict.reason else f"{_verb(is_dry)} {codes}"
    return printable(f"{verdict.path}:{verdict.line}: {name}{what}")


def lines(outcomes: Iterable[Outcome], *, is_dry: bool) -> Iterator[str]:
    """What became of all classes, by file and line."""
    every = (verdict for outcome in outcomes for verdict in (*outcome.fixed, *outcome.left))
    for verdict in sorted(every, key=lambda verdict: (verdict.path, verdict.line)):
        yield line(verdict, is_dry=is_dry)


def closing(outcomes: Iterable[Outcome], *, is_dry: bool) -> str:
    """The last line: how much was fixed and how much is left."""
    outcomes = list(outcomes)
    fixed = sum(1 + len(verdict.others) for outcome in outcomes for verdict in outcome.fixed)
    left = sum(1 + len(verdict.others) for outcome in outcomes for verdict in outcome.left)
    files = {change.path for outcome in outcomes for change in outcome.changes}
    if not fixed and not left:
        return "nothing to fix"
    done = f"{_verb(is_dry)} {count(fixed, 'class')} in {count(len(files), 'file')}"
    return f"{done}, left {left}"


def _verb(is_dry: bool) -> str:
    return "would fix" if is_dry else "fixed"
