"""Proposals become rewritten files, round by round, if nothing speaks against them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path

import pytest
from planning import (
    DRAW,
    MENDED,
    NOISY,
    SOUND,
    mend,
    mend_with_bases,
    mend_with_import,
    noisy,
    replacing,
    wanted_by_default,
    write,
)
from support import module

from flake8_nnx_rng.codemod.applying import fixing, judging
from flake8_nnx_rng.codemod.applying.fixing import Task, fix
from flake8_nnx_rng.codemod.applying.outcome import Outcome
from flake8_nnx_rng.codemod.proposal import Edit, Planner, Proposal, Safety
from flake8_nnx_rng.findings import Finding
from flake8_nnx_rng.lint import Settings
from flake8_nnx_rng.source import Disk, Document, Original, SourceError, absolute


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _fix(
    text: str, planner: Planner = mend, *, unsafe: bool = False, alone: bool = False
) -> Outcome:
    return fix(
        Original("a.py", text.encode()),
        Task(planner, wanted_by_default, unsafe=unsafe, alone=alone),
    )


def _text(outcome: Outcome) -> str:
    (change,) = outcome.changes
    return change.after.decode()


def test_a_class_is_rewritten() -> None:
    outcome = _fix(NOISY)
    assert _text(outcome) == SOUND
    (verdict,) = outcome.fixed
    assert (verdict.path, verdict.name, verdict.codes) == ("a.py", "Noisy", ("NNX101",))
    assert NOISY.splitlines()[verdict.line - 1] == "class Noisy(StatefulModule):"
    assert (outcome.left, outcome.error, outcome.has_failed) == ((), "", False)


def test_a_file_without_findings_is_not_planned() -> None:
    def planner(*_: object) -> list[Proposal]:
        raise AssertionError

    assert _fix(SOUND, planner) == Outcome("a.py")


def test_what_is_fixed_is_fixed_for_good() -> None:
    assert _fix(_text(_fix(NOISY))) == Outcome("a.py")


def test_a_file_that_is_no_python_is_an_error() -> None:
    with pytest.raises(SourceError, match="syntax error"):
        _fix(NOISY + "def f(:\n")


def test_all_classes_of_a_file_are_rewritten_at_once() -> None:
    names = [f"Noisy{number}" for number in range(12)]
    outcome = _fix(module(noisy(*names)))
    assert _text(outcome) == module(noisy(*names, draw=MENDED))
    assert [verdict.name for verdict in outcome.fixed] == names


def test_an_import_that_several_classes_need_is_added_once() -> None:
    outcome = _fix(module(noisy("A", "B", "C")), mend_with_import)
    assert _text(outcome) == "import math\n" + module(noisy("A", "B", "C", draw="math.pi"))
    assert len(outcome.fixed) == 3


def test_unsafe_rewrites_are_applied_only_if_asked_for() -> None:
    text = module(noisy("UnsafeOne", "Noisy"))
    outcome = _fix(text)
    assert _text(outcome) == module(noisy("UnsafeOne") + "\n\n" + noisy("Noisy", draw=MENDED))
    (verdict,) = outcome.left
    assert verdict.name == "UnsafeOne"
    assert verdict.reason == "the carry changes (unsafe: --unsafe-fixes applies it)"
    outcome = _fix(text, unsafe=True)
    assert (_text(outcome), outcome.left) == (
        module(noisy("UnsafeOne", "Noisy", draw=MENDED)),
        (),
    )


def test_a_class_that_cannot_be_rewritten_is_left_with_the_reason() -> None:
    outcome = _fix(module(noisy("Hopeless")), unsafe=True)
    assert (outcome.changes, outcome.fixed) == ((), ())
    assert [verdict.reason for verdict in outcome.left] == ["noise of weights is shared"]
    assert not outcome.has_failed


def test_a_finding_without_a_proposal_is_left() -> None:
    outcome = _fix(NOISY, lambda *_: [])
    (verdict,) = outcome.left
    assert (verdict.name, verdict.codes) == ("", ("NNX101",))
    assert DRAW in NOISY.splitlines()[verdict.line - 1]
    assert verdict.reason == "no rewrite is known for it"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"{DRAW} * 2", "the rewritten code would have NNX101 in Noisy of a.py; please report it"),
        (
            "np.random.rand()",
            "the rewritten code would have NNX107 in Noisy of a.py; please report it",
        ),
        ("(", "the rewritten code would not be Python: a.py:"),
    ],
    ids=["the finding is still there", "another finding comes", "a syntax error"],
)
def test_a_rewrite_that_fails_its_purpose_is_refused_and_the_others_are_made(
    text: str, reason: str
) -> None:
    def planner(
        document: Document, settings: Settings | None = None, disk: Disk | None = None
    ) -> list[Proposal]:
        bad = replacing(text)(document, settings, disk)
        good = mend(document, settings, disk)
        return [one if one.name == "Noisy" else two for one, two in zip(bad, good, strict=True)]

    outcome = _fix(module(noisy("A", "Noisy", "Z")), planner)
    parts = [noisy("A", draw=MENDED), noisy("Noisy"), noisy("Z", draw=MENDED)]
    assert _text(outcome) == module("\n\n".join(parts))
    (verdict,) = outcome.left
    assert verdict.reason.startswith(reason)
    assert {one.name for one in outcome.fixed} == {"A", "Z"}


def test_a_rewrite_of_other_files_alone_is_held_to_its_purpose_as_well(directory: Path) -> None:
    base = write(directory, "base.py", "# base\n")

    def planner(
        document: Document, settings: Settings | None = None, disk: Disk | None = None
    ) -> list[Proposal]:
        edits = {str(base): (Edit(0, 0, "# mended\n"),)}
        return [Proposal("a.py", 11, "Noisy", ("NNX101",), Safety.SAFE, "", edits)]

    outcome = _fix(NOISY, planner)
    assert outcome.changes == ()
    assert [one.reason for one in outcome.left] == [
        "the rewritten code would have NNX101 in Noisy of a.py; please report it"
    ]


def test_the_findings_of_other_classes_excuse_no_new_one() -> None:
    """A count over the file would be fooled."""

    def planner(
        document: Document, settings: Settings | None = None, disk: Disk | None = None
    ) -> list[Proposal]:
        at, other = document.text.index(DRAW), document.text.index("x + 0")
        edits = (Edit(at, at + len(DRAW), "1"), Edit(other, other + 5, f"x + {DRAW}"))
        own = str(absolute(document.path))
        return [Proposal("a.py", 11, "A", ("NNX101",), Safety.SAFE, "", {own: edits})]

    text = module(noisy("A") + "\n\n" + noisy("B", draw="0"))
    outcome = _fix(text, planner)
    assert [one.reason.partition(";")[0] for one in outcome.left] == [
        "the rewritten code would have NNX101 in B of a.py"
    ]


def test_overlapping_edits_come_in_later_rounds() -> None:
    """The second is planned anew, from the text that the first has left."""

    def planner(
        document: Document, settings: Settings | None = None, disk: Disk | None = None
    ) -> list[Proposal]:
        head = document.text.index("\n\nclass")
        return [
            dataclasses.replace(
                one,
                edits={path: (Edit(head, head, f"\n# {one.name}"), *edits)},
            )
            for one in mend(document, settings, disk)
            for path, edits in one.edits.items()
        ]

    outcome = _fix(module(noisy("A", "B")), planner)
    assert "\n# A\n# B\n\nclass A" in _text(outcome)
    assert [one.name for one in outcome.fixed] == ["A", "B"]


def test_two_rewrites_that_only_together_fail_are_made_one_after_the_other() -> None:
    """What is known of the first decides on the second."""

    def planner(
        document: Document, settings: Settings | None = None, disk: Disk | None = None
    ) -> list[Proposal]:
        is_first = "first = True" in document.text
        proposals = mend(document, settings, disk)
        mark = Edit(0, 0, "first = True\n" if not is_first else "second = True\n")
        return [
            dataclasses.replace(one, edits={p: (*e, mark) for p, e in one.edits.items()})
            if one.name == "A"
            else one
            for one in proposals
        ]

    text = module(noisy("A", "B"))
    real, seen = judging.objection, []

    def objection(*arguments: object) -> str:
        seen.append(arguments)
        return "together" if len(seen) == 1 else real(*arguments)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fixing, "objection", objection)
        outcome = _fix(text, planner)
    assert _text(outcome) == "first = True\n" + module(noisy("A", "B", draw=MENDED))
    assert [one.name for one in outcome.fixed] == ["A", "B"]


def test_rounds_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fixing, "ROUNDS", 1)

    def planner(
        document: Document, settings: Settings | None = None, disk: Disk | None = None
    ) -> list[Proposal]:
        return mend(document, settings, disk)[:1]

    outcome = _fix(module(noisy("A", "B")), planner)
    assert [one.name for one in outcome.fixed] == ["A"]
    assert [one.reason for one in outcome.left] == ["still changing after 1 rounds"]


def test_the_user_s_encoding_is_kept_and_what_it_cannot_hold_is_a_failure() -> None:
    data = "# coding: latin-1\r\n# é\r\n".encode("latin-1") + NOISY.encode()
    outcome = fix(Original("a.py", data), Task(mend, wanted_by_default))
    (change,) = outcome.changes
    assert change.after == data.replace(DRAW.encode(), MENDED.encode())
    outcome = fix(Original("a.py", data), Task(replacing("'乱'"), wanted_by_default))
    assert (outcome.changes, outcome.has_failed) == ((), True)
    (verdict,) = outcome.left
    assert "needs '\\u4e71', not in iso-8859-1" in verdict.reason


def test_findings_that_nobody_wants_are_not_fixed() -> None:
    def wanted(document: Document, findings: Iterable[Finding]) -> list[Finding]:
        first = document.text[: document.text.index("class B")].count("\n")
        return [each for each in wanted_by_default(document, findings) if each.span.line <= first]

    outcome = fix(Original("a.py", module(noisy("A", "B")).encode()), Task(mend, wanted))
    assert [one.name for one in outcome.fixed] == ["A"]
    assert outcome.left == ()


def test_a_proposal_may_name_its_findings() -> None:
    """Those of a helper stand outside of the class."""
    helped = "helper(self, x)"
    text = module(
        noisy("A", draw=helped)
        + "\n\n"
        + noisy("B")
        + f"\n\ndef helper(self, x):\n    return {DRAW}\n"
    )

    def planner(
        document: Document, settings: Settings | None = None, disk: Disk | None = None
    ) -> list[Proposal]:
        if f"x + {helped}" not in document.text:
            return []
        from flake8_nnx_rng.lint import lint

        found = [each for each in lint(document) if each.message.startswith("A.")]
        at = document.text.index(helped)
        own = {str(absolute(document.path)): (Edit(at, at + len(helped), "0"),)}
        codes = ("NNX101",)
        return [Proposal("a.py", 11, "A", codes, Safety.SAFE, "", own, findings=tuple(found))]

    outcome = _fix(text, planner)
    assert _text(outcome) == text.replace(helped, "0", 1)
    (verdict,) = outcome.left
    assert (verdict.name, verdict.codes) == ("", ("NNX101",))


def test_a_finding_where_nothing_is_proposed_belongs_to_the_classes_without_one_of_their_own() -> (
    None
):
    """Such as one in a mixin; both classes that share it change it once."""
    mixin = f"class Mixin:\n    def noise(self, x):\n        return {DRAW}\n"
    text = module(mixin + "\n\n" + noisy("A", "B", base="Mixin, StatefulModule"))
    text = text.replace(f"x + {DRAW}", "x + self.noise(x)") + "\n\n" + noisy("C")

    def planner(
        document: Document, settings: Settings | None = None, disk: Disk | None = None
    ) -> list[Proposal]:
        in_mixin, *own = mend(document, settings, disk)
        lines = document.text.splitlines()
        shared = [
            dataclasses.replace(in_mixin, name=name, line=lines.index(head) + 1)
            for name in "AB"
            for head in [f"class {name}(Mixin, StatefulModule):"]
        ]
        return [*shared, *own]

    outcome = _fix(text, planner)
    assert _text(outcome) == text.replace(DRAW, MENDED)
    assert [one.name for one in outcome.fixed] == ["A", "B", "C"]


def test_other_files_change_with_a_class(directory: Path) -> None:
    base = write(directory, "base.py", "# base\n")
    outcome = _fix(module(noisy("A", "B")), mend_with_bases)
    changes = {change.path.name: change for change in outcome.changes}
    assert changes["base.py"].after == b"# mended\n# base\n"
    assert changes["base.py"].name == "base.py"
    assert changes["a.py"].after.decode() == module(noisy("A", "B", draw=MENDED))
    assert base.resolve() in outcome.consulted
    assert base.read_text("utf-8") == "# base\n"


def test_what_earlier_rewrites_would_make_of_other_files_is_read(directory: Path) -> None:
    base = write(directory, "base.py", "# base\n").resolve()
    task = Task(mend_with_bases, wanted_by_default)
    outcome = fix(Original("a.py", NOISY.encode()), task, {base: b"# thought\n"})
    changes = {change.path.name: change.after for change in outcome.changes}
    assert changes["base.py"] == b"# mended\n# thought\n"


def test_a_new_finding_in_another_file_is_refused(directory: Path) -> None:
    """Each file that changes is looked at."""
    text = module("x = 1\n")
    write(directory, "base.py", text)

    def planner(
        document: Document, settings: Settings | None = None, disk: Disk | None = None
    ) -> list[Proposal]:
        base = str(absolute("base.py"))
        more = Edit(len(text), len(text), noisy("New"))
        return [
            dataclasses.replace(one, edits={**one.edits, base: (more,)})
            for one in mend(document, settings, disk)
        ]

    outcome = _fix(NOISY, planner)
    assert outcome.changes == ()
    assert [one.reason for one in outcome.left] == [
        "the rewritten code would have NNX101 in New of base.py; please report it"
    ]


def test_standing_alone_leaves_classes_that_change_other_files(directory: Path) -> None:
    write(directory, "base.py", "# base\n")
    outcome = _fix(NOISY, mend_with_bases, alone=True)
    assert outcome.changes == ()
    assert [one.reason for one in outcome.left] == [
        "other files must change with it; name the files to nnx-rng fix"
    ]
    assert _text(_fix(NOISY, alone=True)) == SOUND


def test_another_file_that_cannot_be_read_is_a_failure(directory: Path) -> None:
    (directory / "base.py").mkdir()

    def planner(
        document: Document, settings: Settings | None = None, disk: Disk | None = None
    ) -> list[Proposal]:
        edits = {str(directory / "base.py"): (Edit(0, 0, "x"),)}
        return [Proposal("a.py", 11, "Noisy", ("NNX101",), Safety.SAFE, "", edits)]

    outcome = _fix(NOISY, planner)
    assert outcome.has_failed
    assert [one.reason for one in outcome.left] == [
        "base.py: cannot be read; check its permissions"
    ]


def test_a_class_and_its_namesake_inside_another_are_told_apart() -> None:
    """And decorators belong to the class."""
    text = module("""
        class Outer:
            class Noisy(StatefulModule):
                def __call__(self, state, x, rollout_extras=None):
                    return StatefulModuleOutput(state, x + self.rngs(), 0.0, {})

                def __init__(self, rngs: nnx.Rngs):
                    self.rngs = rngs
    """)
    outcome = _fix(text + "\n\n@dataclasses.dataclass\n" + noisy("Noisy"))
    assert len(outcome.fixed) == 1
    assert len(outcome.left) == 1
