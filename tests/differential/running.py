"""Judges many modules in a few processes."""

from __future__ import annotations

import functools
import tempfile
import traceback
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path

from .exempt import exempted
from .project import Project
from .recipe import Recipe
from .render import source
from .strategies import distinct
from .veils import lifted
from .verdict import Count, Kind, Sight, Verdict, as_text, judged, seen

CHUNK = 8
"""Modules that a process takes at once."""


@dataclass(frozen=True)
class Case:
    """One module and what came of it.

    Attributes:
        seed: Of its recipe.
        number: Among those of the seed.
        counts: The cells that it counts in.
        wrong: Whether something disagrees.
        text: Everything about it, if so.
    """

    seed: int
    number: int
    counts: tuple[Count, ...]
    wrong: bool
    text: str = ""


def cases(seed: int, count: int, jobs: int) -> Iterator[Case]:
    """The first distinct modules of a seed, judged, in their order."""
    numbered = enumerate(distinct(seed, count, lambda recipe: as_text(source(recipe))))
    work = functools.partial(_case, seed)
    if jobs < 2:
        yield from map(work, numbered)
        return
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        yield from pool.map(work, numbered, chunksize=CHUNK)


def _case(seed: int, numbered: tuple[int, Recipe]) -> Case:
    number, recipe = numbered
    try:
        verdict = in_directory(recipe)
    except Exception:  # whatever goes wrong with one must not hide the others
        text = f"{recipe}\n\n{as_text(source(recipe))}\n\n{traceback.format_exc()}"
        return Case(seed, number, (Count("error", "", Kind.BAD_FIX.value),), True, text)
    counts = tuple(counted(recipe, verdict))
    wrong = any(count.disagrees for count in counts)
    return Case(seed, number, counts, wrong, explained(recipe, verdict) if wrong else "")


def counted(recipe: Recipe, verdict: Verdict) -> Iterator[Count]:
    """The cells that a module counts in, with what is hidden, and what is exempt, apart."""
    for count in verdict.counts():
        if not count.disagrees:
            yield count
        elif (why := exempted(recipe, count)) is not None:
            yield replace(count, kind=Kind.EXEMPT.value, why=why)
        elif count.is_unseen and (why := _hidden(recipe, verdict, count)) is not None:
            yield replace(count, kind=Kind.HIDDEN.value, why=why)
        else:
            yield count


def _hidden(recipe: Recipe, verdict: Verdict, count: Count) -> str | None:
    """What hides that a rule is right; None if nothing does."""
    is_broken = bool(verdict.before.broken)
    for why, bare in lifted(recipe, count.rule, is_broken=is_broken):
        if any(one.rule == count.rule and one.agrees for one in _bare(bare).counts()):
            return why
    return None


@functools.lru_cache(maxsize=16)
def _bare(recipe: Recipe) -> Sight:
    with _project() as project:
        return seen(source(recipe), project)


def in_directory(recipe: Recipe) -> Verdict:
    """The verdict on a recipe, in a directory of its own."""
    with _project() as project:
        return judged(source(recipe), project)


@contextmanager
def _project() -> Iterator[Project]:
    with tempfile.TemporaryDirectory() as directory:
        yield Project(Path(directory).resolve() / "project")


def explained(recipe: Recipe, verdict: Verdict) -> str:
    """A recipe, its module, and what both sides say."""
    counts = "\n".join(
        f"{c.kind}: {c.rule} {c.observable}" for c in counted(recipe, verdict) if c.disagrees
    )
    parts = [
        f"{counts}\n{chr(10).join(verdict.faults)}".strip(),
        str(recipe),
        as_text(source(recipe)),
        verdict.before.text,
    ]
    if verdict.reasons:
        parts.append("left: " + "\n".join(verdict.reasons))
    if verdict.after is not None:
        parts += ["==== rewritten", as_text(verdict.rewritten), verdict.after.text]
    return "\n\n".join(parts) + "\n"
