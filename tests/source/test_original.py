"""Edits of a text change the bytes of what they replace and no others."""

from __future__ import annotations

import codecs
from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from flake8_nnx_rng.source import Edit, Original, SourceError

NEWLINES = ("\n", "\r\n", "\r")
ENCODINGS = (
    ("", "utf-8", "é乱"),
    ("# -*- coding: utf-8 -*-", "utf-8", "é乱"),
    ("# coding: latin-1", "iso-8859-1", "é"),
    ("# vim: set fileencoding=cp1252 :", "cp1252", "é€"),
    ("# coding: koi8-r", "koi8-r", "ы"),
    ("# coding: gbk", "gbk", "乱"),
    ("# coding: shift_jis", "shift_jis", "乱ｱ"),
)


def _edit(text: str, old: str, new: str) -> Edit:
    start = text.index(old)
    return Edit(start, start + len(old), new)


@pytest.mark.parametrize(
    ("encoding", "newline", "mark", "final"),
    [
        case
        for case in product(ENCODINGS, NEWLINES, (b"", codecs.BOM_UTF8), (True, False))
        if case[0][1] == "utf-8" or (case[1] != "\r" and not case[2])  # else the cookie is not read
    ],
)
def test_only_the_bytes_of_what_is_replaced_change(
    encoding: tuple[str, str, str], newline: str, mark: bytes, final: bool
) -> None:
    cookie, codec, characters = encoding
    lines = [
        cookie,
        f"x = '{characters}'\t# {characters}",
        "\fclass A:",
        "\tkey = 1",
        "\t",
        "y = 2",
    ]
    text = newline.join(lines) + newline * final
    data = mark + text.encode(codec)
    original = Original("a.py", data)
    before = original.document.text
    edits = [
        _edit(before, "key = 1", f"key = '{characters}'\n\tnew = 3"),
        _edit(before, "y = 2", "y = 4"),
    ]
    expected = text.replace("key = 1", f"key = '{characters}'{newline}\tnew = 3")
    expected = expected.replace("y = 2", "y = 4")
    assert original.edited(edits).data == mark + expected.encode(codec)
    assert original.edited([]).data == data


patiently = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""On machines that are busy with other tests."""


@st.composite
def _lines(draw: st.DrawFn) -> list[tuple[str, str]]:
    """Lines, whose last character is no carriage return of another newline, and their newlines."""
    contents = st.text(st.sampled_from("ab é\t\f\v\x1c\x85\u2028"), min_size=1, max_size=4)
    ends = st.sampled_from(NEWLINES)
    return draw(st.lists(st.tuples(contents, ends), min_size=1, max_size=8))


@patiently
@given(_lines(), st.data())
def test_every_line_keeps_its_newline_and_a_new_one_takes_its_neighbour_s(
    lines: list[tuple[str, str]], data: st.DataObject
) -> None:
    final = data.draw(st.booleans())
    whole = "".join(map("".join, lines))
    raw = whole if final else whole.removesuffix(lines[-1][1])
    original = Original("a.py", raw.encode())
    chosen = data.draw(st.sets(st.sampled_from(range(len(lines)))))
    starts = [sum(len(text) + 1 for text, _ in lines[:index]) for index in range(len(lines))]
    edits, expected = [], []
    for index, (text, end) in enumerate(lines):
        is_last = index == len(lines) - 1
        if index in chosen:
            edits += [
                Edit(starts[index], starts[index], "new\n"),
                Edit(starts[index], starts[index] + len(text), "c"),
            ]
            own = lines[index - 1][1] if is_last and not final and index else end
            expected.append("new" + ("\n" if is_last and not final and not index else own))
        expected.append(("c" if index in chosen else text) + (end if final or not is_last else ""))
    assert original.edited(edits).data.decode() == "".join(expected)


@patiently
@given(_lines(), st.data())
def test_a_block_that_is_replaced_line_by_line_keeps_its_newlines(
    lines: list[tuple[str, str]], data: st.DataObject
) -> None:
    raw = "".join(map("".join, lines))
    original = Original("a.py", raw.encode())
    further = data.draw(st.integers(0, 2))
    text = original.document.text
    edit = Edit(0, len(text), "".join("d\n" for _ in range(len(lines) + further)))
    ends = [end for _, end in lines] + [lines[-1][1]] * further
    assert original.edited([edit]).data.decode() == "".join(f"d{end}" for end in ends)


def test_an_insertion_into_an_empty_file_has_line_feeds() -> None:
    assert Original("a.py", b"").edited([Edit(0, 0, "x\ny\n")]).data == b"x\ny\n"


def test_insertions_at_one_place_come_in_the_order_given() -> None:
    edits = [Edit(1, 1, "1"), Edit(1, 2, "B"), Edit(1, 1, "0"), Edit(1, 1, "1"), Edit(0, 1, "A")]
    assert Original("a.py", b"abc").edited(edits).data == b"A101Bc"


@pytest.mark.parametrize(
    "edits",
    [
        [Edit(0, 2, ""), Edit(1, 3, "")],
        [Edit(0, 3, ""), Edit(1, 1, "x")],
        [Edit(0, 1, "x"), Edit(0, 1, "x")],
        [Edit(0, 1, "x"), Edit(0, 2, "y")],
    ],
)
def test_edits_that_overlap_are_not_made(edits: list[Edit]) -> None:
    with pytest.raises(ValueError, match="overlapping edits"):
        Original("a.py", b"abc").edited(edits)


@pytest.mark.parametrize(
    ("data", "edit", "message"),
    [
        pytest.param(
            b"# coding: latin-1\nx = 1\n",
            Edit(22, 23, "'\u4e71'"),
            r"a.py: the rewritten code needs '\u4e71', not in iso-8859-1; save the file as UTF-8",
            id="a character that the encoding lacks",
        ),
        pytest.param(
            b"# coding: latin-1\nx = '\xe9'\n",
            Edit(0, 0, "\n\n"),
            "a.py: the rewritten code would be read with another encoding or newlines",
            id="a cookie that is moved to where nobody looks for it",
        ),
        pytest.param(
            b"a\rX\nb\n",
            Edit(2, 3, ""),
            "a.py: the rewritten code would be read with another encoding or newlines",
            id="two newlines that become one",
        ),
        pytest.param(
            b"# coding: utf-7\nx = +AGE-\n",
            Edit(0, 0, ""),
            "a.py: its bytes are not those that utf-7 gives its text",
            id="bytes that could be others",
        ),
    ],
)
def test_what_cannot_be_written_back_is_an_error(data: bytes, edit: Edit, message: str) -> None:
    with pytest.raises(SourceError) as caught:
        Original("a.py", data).edited([edit])
    assert str(caught.value).startswith(message)
