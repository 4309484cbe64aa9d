"""Bytes become text as the interpreter itself would decode them."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest

from flake8_nnx_rng.source import Document, SourceError, decode, read_document


@pytest.mark.parametrize(
    ("data", "text"),
    [
        pytest.param(b"", "", id="empty"),
        pytest.param(codecs.BOM_UTF8, "", id="only a byte order mark"),
        pytest.param(codecs.BOM_UTF8 + b"x = 1\n", "x = 1\n", id="byte order mark"),
        pytest.param("s = 'é'\n".encode(), "s = 'é'\n", id="UTF-8 without a cookie"),
        pytest.param(
            "# coding: latin-1\ns = 'é'\n".encode("latin-1"),
            "# coding: latin-1\ns = 'é'\n",
            id="latin-1 cookie",
        ),
        pytest.param(
            "#!python\n# -*- coding: cp1252 -*-\ns = '€'\n".encode("cp1252"),
            "#!python\n# -*- coding: cp1252 -*-\ns = '€'\n",
            id="cookie on the second line",
        ),
        pytest.param(
            codecs.BOM_UTF8 + "# coding: utf-8\ns = 'é'\n".encode(),
            "# coding: utf-8\ns = 'é'\n",
            id="byte order mark and cookie that agree",
        ),
        pytest.param(
            "\n\n# coding: latin-1\ns = 'é'\n".encode(),
            "\n\n# coding: latin-1\ns = 'é'\n",
            id="a cookie below the second line is a comment",
        ),
        pytest.param(b"x = 1\r\ny = 2\r\n", "x = 1\ny = 2\n", id="CRLF"),
        pytest.param(b"x = 1\ry = 2\r", "x = 1\ny = 2\n", id="CR"),
        pytest.param(b"a\r\nb\nc\rd", "a\nb\nc\nd", id="mixed line ends"),
        pytest.param(b"a\n\r\nb\r\r\n", "a\n\nb\n\n", id="empty lines"),
        pytest.param(b"x = '\x0c\x0b'\n", "x = '\x0c\x0b'\n", id="form feeds are no line ends"),
        pytest.param(b"x = 1", "x = 1", id="no line end at the end"),
    ],
)
def test_bytes_become_text_with_universal_newlines(data: bytes, text: str) -> None:
    assert decode(data, "a.py") == Document("a.py", text)


@pytest.mark.parametrize(
    ("data", "line", "problem"),
    [
        pytest.param(b"# coding: klingon\nx = 1\n", 1, "unknown encoding", id="unknown codec"),
        pytest.param(b"#\n# coding: klingon\nx = 1\n", 1, "klingon", id="on the second line"),
        pytest.param(b"# coding: rot13\nk = 1\n", 1, "not a text encoding", id="rot13"),
        pytest.param(b"# coding: zip\nx = 1\n", 1, "not a text encoding", id="zip"),
        pytest.param(b"# coding: hex\nx = 1\n", 1, "not a text encoding", id="hex"),
        pytest.param(
            codecs.BOM_UTF8 + b"# coding: latin-1\n", 1, "utf-8", id="cookie against the mark"
        ),
        pytest.param("x = 1\n".encode("utf-16"), 1, "encoding", id="UTF-16"),
        pytest.param(b"# \xff\n", 1, "encoding", id="undecodable first line"),
        pytest.param(b"x = 1\ny = 2\n\n# \xff\n", 4, "byte 0xff is not utf-8", id="later line"),
        pytest.param(b"x = 1\r\ny = 2\r\n# \xff\r\n", 3, "is not utf-8", id="later line, CRLF"),
        pytest.param(b"# coding: ascii\n\ns = '\xe9'\n", 3, "is not ascii", id="wrong cookie"),
        pytest.param(b"#\n#\ns = '\xc3'\n", 3, "is not utf-8", id="half of a character"),
    ],
)
def test_bytes_in_another_encoding_are_refused_with_file_line_and_remedy(
    data: bytes, line: int, problem: str
) -> None:
    with pytest.raises(SourceError) as caught:
        decode(data, "some/a.py")
    error = caught.value
    assert (error.path, error.line) == ("some/a.py", line)
    assert str(error).startswith(f"some/a.py:{line}: ")
    assert problem in str(error)
    assert str(error).endswith(error.remedy)
    assert "UTF-8" in error.remedy


@pytest.mark.parametrize("codec", ["undefined", "punycode"])
def test_a_codec_that_fails_in_its_own_way_is_refused_too(codec: str) -> None:
    with pytest.raises(SourceError, match=r"^a\.py:1: "):
        decode(f"# coding: {codec}\nx = 1\n".encode(), "a.py")


def test_a_byte_order_mark_does_not_shift_the_line_of_an_undecodable_byte() -> None:
    with pytest.raises(SourceError, match=r"^a\.py:3: "):
        decode(codecs.BOM_UTF8 + b"x = 1\ny\n\xff\n", "a.py")


def test_a_file_is_known_by_its_path_or_by_the_name_that_it_is_given(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"# coding: latin-1\r\ns = '\xe9'\r\n")
    text = "# coding: latin-1\ns = 'é'\n"
    assert read_document(path) == Document(str(path), text)
    assert read_document(path, "shown.py") == Document("shown.py", text)


def test_a_missing_file_is_said_with_its_name_and_a_remedy(tmp_path: Path) -> None:
    with pytest.raises(SourceError) as caught:
        read_document(tmp_path / "a.py", "a.py")
    assert str(caught.value) == (
        "a.py: cannot be read: No such file or directory; check the path and its permissions"
    )
    assert caught.value.line is None


def test_a_directory_is_not_read_as_a_file(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"cannot be read: .*; check the path"):
        read_document(tmp_path)


@pytest.mark.parametrize(
    ("error", "problem"),
    [
        pytest.param(PermissionError(13, "Permission denied"), "Permission denied", id="message"),
        pytest.param(OSError(), "OSError", id="no message"),
    ],
)
def test_an_unreadable_file_is_said_with_the_system_s_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: OSError, problem: str
) -> None:
    (tmp_path / "a.py").touch()

    def refuse(self: Path) -> bytes:
        raise error

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(SourceError, match=f"a.py: cannot be read: {problem}; check the path"):
        read_document(tmp_path / "a.py")
