"""`# noqa` means to the command what it means to flake8."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from flake8_nnx_rng.adapters.noqa import without_ignored
from flake8_nnx_rng.findings import Finding
from flake8_nnx_rng.lint import lint
from flake8_nnx_rng.source import Document, Span, read_document

from .conftest import Run
from .samples import NOISY

DRAW = "x + self.rngs.normal(x.shape)"


def _comment(comment: str) -> str:
    """A comment on the line of the finding."""
    return NOISY.replace("0.0, {})", f"0.0, {{}})  {comment}")


def _file(comment: str) -> str:
    """A comment on a line of its own at the end."""
    return f"{NOISY}\n{comment}\n"


def _above(text: str) -> str:
    """A line above the class, and a comment that silences the finding."""
    return _comment("# noqa: NNX101").replace("\n\nclass", f"\n{text}\n\nclass")


SILENCED = {
    "bare": _comment("# noqa"),
    "upper case": _comment("# NOQA"),
    "no blank": _comment("#noqa"),
    "code": _comment("# noqa: NNX101"),
    "code without a blank": _comment("# noqa:NNX101"),
    "lower case code": _comment("# noqa: nnx101"),
    "prefix": _comment("# noqa: NNX1"),
    "plugin": _comment("# noqa: NNX"),
    "list": _comment("# noqa: E501,NNX101"),
    "list with blanks": _comment("# noqa: E501, NNX101"),
    "list without commas": _comment("# noqa: E501 NNX101"),
    "reason": _comment("# noqa: NNX101 we know"),
    "reason behind a dash": _comment("# noqa: NNX101 - we know"),
    "after another comment": _comment("# type: ignore  # noqa: NNX101"),
    "before another comment": _comment("# noqa: NNX101  # why"),
    "whole file": _file("# flake8: noqa"),
    "whole file, equal sign": _file("# flake8=noqa"),
    "end of several lines": NOISY.replace("0.0, {})", "0.0, {}, '''\n        ''')  # noqa: NNX101"),
    "form feed above": _above("\x0c"),
    "tab above": _above("#\t"),
    "line separator above": _above("# \u2028"),
    "next line above": _above("# \x85"),
    "form feed in a comment above": _above("# \x0c #"),
    "form feed in front": _above("\x0cx = 1"),
    "continued line": _comment("# noqa").replace("return Stateful", "return \\\n   Stateful"),
}
SHOWN = {
    "another code": _comment("# noqa: NNX102"),
    "longer code": _comment("# noqa: NNX1011"),
    "another plugin": _comment("# noqa: E"),
    "no comment": NOISY,
    "another word": _comment("# noqaa"),
    "in a string": NOISY.replace("0.0, {})", "0.0, {'noqa': 1})"),
    "line above": NOISY.replace("        return", "        # noqa\n        return"),
    "line below": _file("# noqa"),
    "whole file, code": _file("# flake8: noqa: NNX102"),
    "whole file, behind code": f"{NOISY}\nx = 1  # flake8: noqa\n",
    "empty list": _comment("# noqa:"),
    "no words": _comment("# noqa : NNX102"),
}


@pytest.fixture(scope="module")
def flake8_s(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The names of the files in which flake8 shows the finding."""
    directory = tmp_path_factory.mktemp("noqa")
    texts = {**SILENCED, **SHOWN}
    for number, text in enumerate(texts.values()):
        (directory / f"f{number}.py").write_text(text, encoding="utf-8", newline="")
    command = [sys.executable, "-m", "flake8", "--isolated", "--select=NNX", "--format=%(path)s"]
    done = subprocess.run([*command, "."], cwd=directory, capture_output=True, check=False)
    assert done.stderr == b""
    shown = {Path(line).name for line in done.stdout.decode().splitlines()}
    return {name for number, name in enumerate(texts) if f"f{number}.py" in shown}


def _ours(directory: Path, text: str) -> bool:
    path = directory / "noisy.py"
    path.write_text(text, encoding="utf-8", newline="")
    document = read_document(path)
    findings = lint(document)
    assert [finding.code for finding in findings] == ["NNX101"]
    return bool(without_ignored(document, findings))


@pytest.mark.parametrize("name", [*SILENCED, *SHOWN])
def test_a_comment_silences_exactly_what_it_silences_in_flake8(
    directory: Path, flake8_s: set[str], name: str
) -> None:
    text = {**SILENCED, **SHOWN}[name]
    assert _ours(directory, text) is (name in flake8_s)


def test_the_table_has_both_kinds(flake8_s: set[str]) -> None:
    assert len(SILENCED.keys() - flake8_s) > 10
    assert len(SHOWN.keys() & flake8_s) > 5


def test_a_comment_for_the_whole_file_with_a_code_silences_that_code(
    check: Run, directory: Path
) -> None:
    (directory / "noisy.py").write_text(_file("# flake8: noqa: NNX101"), encoding="utf-8")
    command = [sys.executable, "-m", "flake8", "--isolated", "--select=NNX", "noisy.py"]
    flake8 = subprocess.run(command, capture_output=True, check=False)
    assert check("noisy.py").places == flake8.stdout.decode().split("\n")[:-1]


def test_other_findings_are_kept_in_their_order() -> None:
    document = Document("a.py", "a\nb  # noqa\nc  # noqa: NNX2\n")
    findings = [
        Finding("a.py", Span(line, 0, line, 1), code, "message")
        for line, code in ((3, "NNX101"), (2, "NNX101"), (3, "NNX201"), (1, "NNX101"))
    ]
    assert without_ignored(document, findings) == [findings[0], findings[3]]


def test_comments_may_be_disabled() -> None:
    findings = [Finding("a.py", Span(1, 0, 1, 1), "NNX101", "message")]
    for text in ("a  # noqa\n", "a\n# flake8: noqa\n"):
        assert without_ignored(Document("a.py", text), findings) == []
        assert without_ignored(Document("a.py", text), findings, disabled=True) == findings


def test_a_file_without_findings_is_not_even_read() -> None:
    assert without_ignored(Document("a.py", "\0"), []) == []


def test_a_file_that_cannot_be_tokenised_still_has_its_comments() -> None:
    document = Document("a.py", "x = (\n'''\n")
    finding = Finding("a.py", Span(1, 0, 1, 1), "NNX900", "message")
    assert without_ignored(document, [finding]) == [finding]
