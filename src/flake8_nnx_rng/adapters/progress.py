"""A line on a terminal that shows how far a command is."""

from __future__ import annotations

from typing import TextIO

WIDTH = 30
_ERASE = "\r\x1b[K"


def bar(done: int, total: int) -> str:
    """The line itself."""
    filled = WIDTH * done // total if total else WIDTH
    return f"[{'#' * filled:<{WIDTH}}] {done}/{total}"


def advance(stream: TextIO, done: int, total: int) -> None:
    """Shows a bar if the stream is a terminal, and takes it away when all is done."""
    if stream.isatty():
        stream.write(_ERASE + (bar(done, total) if done < total else ""))
        stream.flush()


def clear(stream: TextIO) -> None:
    """Takes the bar away."""
    advance(stream, 0, 0)
