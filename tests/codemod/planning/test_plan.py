"""A document becomes proposals: relevant ones, in order, as edits of its lines."""

from __future__ import annotations

import pytest
from support import module

from flake8_nnx_rng.codemod.planning.plan import proposals
from flake8_nnx_rng.codemod.text.differences import edits_between
from flake8_nnx_rng.source import Document, SourceError, applied

from ..rewriting import PATH, noisy, one, proposed

DRAW = "return StatefulModuleOutput(state, x + self.rngs.normal(x.shape), 0.0, {})"


def test_a_file_that_cannot_matter_has_no_proposals() -> None:
    assert proposals(Document(PATH, "import random\nprint(random.random())\n")) == []


def test_what_is_no_python_is_said() -> None:
    with pytest.raises(SourceError):
        proposals(Document(PATH, "import nnx_ppo\nclass M(StatefulModule:\n"))


def test_classes_are_proposed_in_the_order_of_the_file_with_their_codes_and_lines() -> None:
    code = noisy(DRAW) + "\n\n" + noisy(DRAW).replace("class M", "class N")
    found = proposed(code)
    assert [(p.name, p.codes) for p in found] == [("M", ("NNX101",)), ("N", ("NNX101",))]
    lines = module(code).splitlines()
    assert [lines[p.line - 1] for p in found] == [
        "class M(StatefulModule):",
        "class N(StatefulModule):",
    ]


def test_edits_are_of_whole_lines_under_the_absolute_path() -> None:
    source = module(noisy(DRAW))
    proposal = one(source)
    ((path, edits),) = proposal.edits.items()
    assert path.endswith("module.py")
    assert path.startswith("/")
    for edit in edits:
        assert source[: edit.start].endswith("\n")
        assert edit.text.endswith("\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [("a\nb\nc\n", "a\nx\nc\n"), ("a\n", "b\na\n"), ("a\nb", "a\n"), ("", "a\n")],
)
def test_edits_turn_one_text_into_the_other(before: str, after: str) -> None:
    assert applied(before, edits_between(before, after)) == after
