"""Changes as a unified diff of bytes, which `patch` takes whatever the encoding."""

from __future__ import annotations

import difflib
import io
import os

NO_NEWLINE = b"\n\\ No newline at end of file\n"


def unified(name: str, before: bytes, after: bytes) -> bytes:
    """The diff of a file."""
    label = os.fsencode(name)
    lines = difflib.diff_bytes(
        difflib.unified_diff, _lines(before), _lines(after), label, label, lineterm=b"\n"
    )
    return b"".join(line if line.endswith(b"\n") else line + NO_NEWLINE for line in lines)


def _lines(data: bytes) -> list[bytes]:
    return io.BytesIO(data).readlines()  # cuts at line feeds alone
