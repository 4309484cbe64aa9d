"""Modules in short, their proposals, and the lines that a rewrite changes."""

from __future__ import annotations

import difflib
import textwrap
from pathlib import Path

from support import PRELUDE, module

from flake8_nnx_rng.codemod.planning.plan import proposals
from flake8_nnx_rng.codemod.proposal import Proposal
from flake8_nnx_rng.source import Document, applied

PATH = str(Path(__file__).parent / "alone" / "module.py")
"""In a project without any other file."""


HELPER = """
class Base(StatefulModule):
    def __init__(self, rngs):
        self.rngs = rngs

    def initialize_state(self, batch_size):
        return ()

    def noise(self, x):
        return self.rngs.normal(x.shape)
"""

BASE = (
    HELPER
    + """
    def __call__(self, state, x, rollout_extras=None):
        return StatefulModuleOutput(state, x + self.noise(x), 0.0, {})
"""
)
"""A module with a helper that draws, and the same with a pass of its own that calls it."""


def proposed(snippet: str) -> list[Proposal]:
    """The proposals for a snippet, whose imports are those of the other tests."""
    return proposals(Document(PATH, module(snippet)))


def one(source: str) -> Proposal:
    """The only proposal for a file."""
    (proposal,) = proposals(Document(PATH, source))
    return proposal


def rewritten(source: str, proposal: Proposal) -> str:
    """A file with a proposal applied; as it is if there is none to apply."""
    for edits in proposal.edits.values():
        return applied(source, edits)
    return source


def fixed(snippet: str) -> str:
    """A snippet with its only proposal applied."""
    source = module(snippet)
    return rewritten(source, one(source)).removeprefix(PRELUDE).lstrip("\n")


def noisy(forward: str, *, init: str = "pass", members: str = "", before: str = "") -> str:
    """A module that holds streams, with a body for `__call__(self, state, x, rollout_extras)`."""
    parts = [
        _plain(before),
        "class M(StatefulModule):",
        "    def __init__(self, rngs: nnx.Rngs):",
        "        self.rngs = rngs",
        textwrap.indent(_plain(init), 8 * " "),
        textwrap.indent(_plain(members), 4 * " "),
        "    def __call__(self, state, x, rollout_extras=None):",
        textwrap.indent(_plain(forward), 8 * " "),
    ]
    return "\n".join(part for part in parts if part) + "\n"


def changes(snippet: str) -> str:
    """The lines that a rewrite takes out and puts in, those of the usual frame aside."""
    before = module(snippet)
    proposal = one(before)
    assert proposal.edits, proposal.reason
    after = rewritten(before, proposal)
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), "", "", "", "", 0)
    return "\n".join(
        line[0] + line[1:].strip()
        for line in lines
        if line[:2] not in ("--", "++", "@@") and line[1:].strip() and line[1:].strip() not in FRAME
    )


FRAME = frozenset(
    {
        "def initialize_state(self, batch_size):",
        "return jax.random.split(self.rngs(), batch_size)",
        "state, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(state)",
    }
)
"""The lines that the first key of a state brings."""


def _plain(code: str) -> str:
    return textwrap.dedent(code).strip("\n")
