"""Findings as text with their lines of code."""

from __future__ import annotations

import pytest

from flake8_nnx_rng.adapters.render import one_line, summary, with_frame
from flake8_nnx_rng.findings import Finding
from flake8_nnx_rng.source import Document, Span


def _finding(span: Span) -> Finding:
    return Finding("a.py", span, "NNX101", "message")


def _framed(text: str, span: Span) -> list[str]:
    """The frame below the head."""
    head, *frame = with_frame(_finding(span), Document("a.py", text)).split("\n")
    assert head == f"a.py:{span.line}:{span.column + 1}: NNX101 message"
    return frame


def test_one_line_has_flake8_s_form_with_the_column_from_1() -> None:
    assert one_line(_finding(Span(3, 4, 3, 8))) == "a.py:3:5: NNX101 message"


@pytest.mark.parametrize(
    ("text", "span", "frame"),
    [
        pytest.param(
            "x = draw()\n", Span(1, 4, 1, 10), ["1 | x = draw()", "  |     ^^^^^^"], id="1"
        ),
        pytest.param(
            "a\nx = draw()\nb\n",
            Span(2, 4, 2, 10),
            ["1 | a", "2 | x = draw()", "  |     ^^^^^^"],
            id="second line of a file",
        ),
        pytest.param(
            "a\nb\nc\nx = draw()\n",
            Span(4, 4, 4, 10),
            ["2 | b", "3 | c", "4 | x = draw()", "  |     ^^^^^^"],
            id="two lines of context",
        ),
        pytest.param(
            "\n" * 8 + "a\nx\n",
            Span(10, 0, 10, 1),
            [" 8 |", " 9 | a", "10 | x", "   | ^"],
            id="numbers are aligned and empty lines have no blank at their end",
        ),
        pytest.param(
            "\tx = d()", Span(1, 5, 1, 8), ["1 |     x = d()", "  |         ^^^"], id="tab"
        ),
        pytest.param(
            "x\t= d()", Span(1, 4, 1, 7), ["1 | x    = d()", "  |        ^^^"], id="tab inside"
        ),
        pytest.param("乱 = d()", Span(1, 4, 1, 7), ["1 | 乱 = d()", "  |      ^^^"], id="wide"),
        pytest.param("d('乱')", Span(1, 0, 1, 6), ["1 | d('乱')", "  | ^^^^^^^"], id="wide in it"),
        pytest.param(
            "s = 'e\u0301', d()",
            Span(1, 10, 1, 13),
            ["1 | s = 'e\u0301', d()", "  |          ^^^"],
            id="combining",
        ),
        pytest.param(
            "\x0cx = d()", Span(1, 5, 1, 8), ["1 | x = d()", "  |     ^^^"], id="form feed"
        ),
        pytest.param(
            "x = d(\n  1,\n)\n", Span(1, 4, 3, 1), ["1 | x = d(", "  |     ^^"], id="several lines"
        ),
        pytest.param(
            "x = d(   \n  1)\n",
            Span(1, 4, 2, 4),
            ["1 | x = d(", "  |     ^^"],
            id="trailing blanks",
        ),
        pytest.param("x\n", Span(1, 0, 1, 0), ["1 | x", "  | ^"], id="empty span"),
        pytest.param("", Span(1, 0, 1, 0), ["1 |", "  | ^"], id="empty file"),
        pytest.param("x", Span(4, 0, 4, 0), ["  | ^"], id="line behind the end"),
    ],
)
def test_the_carets_stand_below_the_code(text: str, span: Span, frame: list[str]) -> None:
    assert _framed(text, span) == frame


def test_colours_are_around_the_text_and_change_nothing_else() -> None:
    finding = _finding(Span(2, 4, 2, 10))
    document = Document("a.py", "a\nx = draw()\n")
    coloured = with_frame(finding, document, colour=True)
    assert "\x1b[1ma.py:2:5\x1b[0m: \x1b[31mNNX101\x1b[0m message" in coloured
    assert "\x1b[31m^^^^^^\x1b[0m" in coloured
    plain = coloured
    for code in ("\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[31m"):
        plain = plain.replace(code, "")
    assert plain == with_frame(finding, document)


@pytest.mark.parametrize(
    ("findings", "files", "line"),
    [
        (0, 0, "no findings in 0 files"),
        (0, 1, "no findings in 1 file"),
        (1, 1, "1 finding in 1 file"),
        (2, 3, "2 findings in 3 files"),
    ],
)
def test_the_closing_line_counts(findings: int, files: int, line: str) -> None:
    assert summary(findings, files) == line
