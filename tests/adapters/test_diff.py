"""Diffs of bytes."""

from __future__ import annotations

import pytest

from flake8_nnx_rng.adapters.diff import unified


@pytest.mark.parametrize(
    ("before", "after", "body"),
    [
        (b"a\n", b"b\n", b"-a\n+b\n"),
        (b"a\r\n", b"a\n", b"-a\r\n+a\n"),
        (b"\xe9\n\x0c\n", b"\xe9\n", b" \xe9\n-\x0c\n"),
        (b"a", b"b", b"-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n"),
        (b"a", b"a\n", b"-a\n\\ No newline at end of file\n+a\n"),
    ],
)
def test_lines_are_shown_as_they_are(before: bytes, after: bytes, body: bytes) -> None:
    head, _, rest = unified("d/é.py", before, after).partition(b"@@\n")
    assert head.startswith("--- d/é.py\n+++ d/é.py\n@@ -1".encode())
    assert rest == body


def test_nothing_is_shown_of_no_change() -> None:
    assert unified("a.py", b"a", b"a") == b""
