"""Small planners for tests of what applies their proposals, and modules for them."""

from __future__ import annotations

import ast
import os
import signal
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from support import module

from flake8_nnx_rng.codemod.proposal import Edit, Planner, Proposal, Safety
from flake8_nnx_rng.findings import Finding
from flake8_nnx_rng.lint import Settings, on_by_default
from flake8_nnx_rng.source import Disk, Document, absolute

DRAW = "self.rngs.normal(x.shape)"
MENDED = "1.0"


def noisy(*names: str, base: str = "StatefulModule", draw: str = DRAW) -> str:
    """Classes with one NNX101 each."""
    return "\n\n".join(
        f"""class {name}({base}):
    def __init__(self, rngs: nnx.Rngs):
        self.rngs = rngs

    def __call__(self, state, x, rollout_extras=None):
        return StatefulModuleOutput(state, x + {draw}, 0.0, {{}})
"""
        for name in names
    )


NOISY = module(noisy("Noisy"))
SOUND = NOISY.replace(DRAW, MENDED)


def classes(document: Document) -> Iterator[tuple[ast.ClassDef, int]]:
    """The classes of a document that draw, and where their draw stands."""
    at = 0
    for node in ast.parse(document.text).body:
        segment = ast.get_source_segment(document.text, node) or ""
        at = document.text.index(segment, at)
        if isinstance(node, ast.ClassDef) and DRAW in segment:
            yield node, at + segment.index(DRAW)


def replacing(text: str) -> Planner:
    """A planner that puts a text in the place of every draw."""

    def planner(
        document: Document, settings: Settings | None = None, disk: Disk | None = None
    ) -> list[Proposal]:
        return [
            _proposal(document, node, [Edit(at, at + len(DRAW), text)])
            for node, at in classes(document)
        ]

    return planner


def mend(
    document: Document, settings: Settings | None = None, disk: Disk | None = None
) -> list[Proposal]:
    """Mends every class: safely, unless its name says otherwise."""
    return replacing(MENDED)(document, settings, disk)


def mend_with_bases(
    document: Document, settings: Settings | None = None, disk: Disk | None = None
) -> list[Proposal]:
    """Mends every class, and says so in the first line of `base.py` beside it, if there is one."""
    base = absolute(document.path).parent / "base.py"
    data = (disk or Disk()).read(base)
    note = {} if data is None else {str(base): (Edit(0, 0, "# mended\n"),)}
    return [
        _proposal(document, node, [Edit(at, at + len(DRAW), MENDED)], note)
        for node, at in classes(document)
    ]


def mend_with_import(
    document: Document, settings: Settings | None = None, disk: Disk | None = None
) -> list[Proposal]:
    """Mends every class with a name that is imported once for all of them."""
    new = () if "import math\n" in document.text else (Edit(0, 0, "import math\n"),)
    return [
        _proposal(document, node, [*new, Edit(at, at + len(DRAW), "math.pi")])
        for node, at in classes(document)
    ]


def upset(
    document: Document, settings: Settings | None = None, disk: Disk | None = None
) -> list[Proposal]:
    """Mends every class but one that upsets it."""
    if "class Upset" in document.text:
        raise ZeroDivisionError("by zero")
    return mend(document, settings, disk)


def dies(
    document: Document, settings: Settings | None = None, disk: Disk | None = None
) -> list[Proposal]:
    """Mends every class but those of one file, which kills its process."""
    if document.path == "file07.py":
        os.kill(os.getpid(), signal.SIGKILL)
    return mend(document, settings, disk)


def wanted_by_default(_: Document, findings: Iterable[Finding]) -> list[Finding]:
    """The findings of rules that are on by default."""
    return [found for found in findings if on_by_default(found.code)]


def _proposal(
    document: Document,
    node: ast.ClassDef,
    edits: list[Edit],
    others: Mapping[str, tuple[Edit, ...]] | None = None,
) -> Proposal:
    name = node.name
    safety = (
        Safety.UNSAFE
        if name.startswith("Unsafe")
        else Safety.NONE
        if name.startswith("Hopeless")
        else Safety.SAFE
    )
    reasons = {Safety.UNSAFE: "the carry changes", Safety.NONE: "noise of weights is shared"}
    own = {str(absolute(document.path)): tuple(edits)}
    return Proposal(
        document.path,
        node.lineno,
        name,
        ("NNX101",),
        safety,
        reasons.get(safety, ""),
        {} if safety is Safety.NONE else {**own, **(others or {})},
    )


def write(directory: Path, name: str, text: str) -> Path:
    """Writes a file with the newlines that its text has."""
    path = directory / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path
