"""Modules with a fault from the idioms, the rules' examples and the mutants, and their rewrites."""

from __future__ import annotations

import functools
from pathlib import Path

from judging import read

import nnx_ppo_ref
from flake8_nnx_rng.codemod.planning.plan import proposals
from flake8_nnx_rng.codemod.proposal import Proposal
from flake8_nnx_rng.lint import Settings
from flake8_nnx_rng.rules import CATALOGUE
from flake8_nnx_rng.source import Document

from .rewriting import PATH, rewritten

LEFT_ALONE = {
    "10 noise on the weights": "noise is shared by the whole batch",
    "15 the streams as an argument of a function from elsewhere": "code that is not seen",
    "26 attention with dropout": "takes no key when it is called",
    "38 a key by name from the bridge": "hands a stream on",
    "49 a default stream in the constructor's parameters": "callers have to pass",
    "51 a random carry at a reset": "for more than the keys that it returns",
    "60 batch normalisation that trains": "keeps statistics",
    "NNX105 0": "code that is not seen",
    "NNX108 0": "keeps statistics",
    "NNX108 1": "is state that the output depends on",
    "NNX304 0": "for its author to say",
    "NNX404 0": "callers have to pass",
    "draw, a counter": "is state that the output depends on",
    "draw, batch normalisation": "keeps statistics",
    "draw, lazy layer": "is built in the forward pass",
    "draw, streams handed on": "code that is not seen",
}
"""By idiom, example or fault."""

ROOTED = Settings(roots=(str(Path(nnx_ppo_ref.__file__).parents[1]),))
"""Mutants of the reference use functions of its other files."""

EXAMPLES = {
    f"{code} {number}": example
    for code, rule in CATALOGUE.items()
    for number, example in enumerate(rule.invalid)
}


@functools.cache
def proposed(source: str) -> tuple[Proposal, ...]:
    return tuple(proposals(Document(PATH, source), ROOTED))


def rewrites(name: str, source: str, cls: str | None = None) -> str | None:
    """The rewritten file, or None for one that is left alone or has nothing to be rewritten."""
    found = [p for p in proposed(source) if cls in (None, p.name)]
    if not found:
        return None
    if not any(proposal.edits for proposal in found):
        assert name in LEFT_ALONE, f"{name}: {found[0].reason}"
        assert LEFT_ALONE[name] in found[0].reason
        return None
    assert name not in LEFT_ALONE
    after = source
    for _ in found:  # the class, and the implementation that it chooses
        left = [p for p in proposed(after) if p.edits and p.name == found[0].name]
        after = rewritten(after, left[0])
    assert not [p for p in proposed(after) if p.edits and p.name == found[0].name]
    return after


def is_clean(source: str, cls: str | None = None) -> bool:
    """Whether nothing is found in a file, or nothing that is about a class."""
    if cls is None:
        return read(source, ROOTED, PATH) == []
    return not any(proposal.name == cls for proposal in proposed(source))
