"""Whatever form code has, its rewrite is clean and sound, or it is left alone for a reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from judging import imported, read, run
from support import module

from flake8_nnx_rng.codemod.planning.plan import proposals
from flake8_nnx_rng.source import Document

from .forms import FORMS
from .rewriting import PATH, rewritten


def rewrite(source: str) -> str | None:
    """A file with the rewrite of its class `M`; None if that is left alone."""
    found = [proposal for proposal in proposals(Document(PATH, source)) if proposal.name == "M"]
    for proposal in found:
        if proposal.edits:
            return rewritten(source, proposal)
        assert proposal.reason
        assert "\n" not in proposal.reason
    return None


@pytest.mark.parametrize("form", FORMS)
def test_a_form_is_rewritten_so_that_nothing_is_found_any_more_or_not_at_all(form: str) -> None:
    after = rewrite(module(FORMS[form]))
    assert after is None or not any("M." in found.message for found in read(after, path=PATH))


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_a_rewritten_form_keeps_its_promises(form: str, tmp_path: Path) -> None:
    pytest.importorskip("nnx_ppo")
    np = pytest.importorskip("numpy")
    from flax import nnx

    after = rewrite(module(FORMS[form]))
    if after is not None:
        with imported(after, tmp_path) as file:
            make = file.M if hasattr(file, "M") else file.make
            report = run(make(nnx.Rngs(0)), np.zeros(3, np.float32))
        assert report.failed == ()
