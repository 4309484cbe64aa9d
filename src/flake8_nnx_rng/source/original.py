"""A file's bytes, and what turns edits of its text into edits of its bytes."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, repeat

from flake8_nnx_rng.source.document import (
    Document,
    SourceError,
    decode,
    decoded,
    with_universal_newlines,
)
from flake8_nnx_rng.source.edits import Edit, applied, in_order

_NEWLINE = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True)
class Original:
    """A file as it is on the disk.

    Its byte order mark, encoding and the newline of every line are kept, so that an edit changes
    the bytes of what it replaces and no others.

    Attributes:
        name: What to call it, as in `Document.path`.
        data: Its bytes.
    """

    name: str
    data: bytes

    @cached_property
    def document(self) -> Document:
        """The text that edits refer to.

        Raises:
            SourceError: The bytes are not in the declared encoding, or it is unknown.
        """
        return decode(self.data, self.name)

    def edited(self, edits: Iterable[Edit]) -> Original:
        """The file after edits.

        A line that is replaced keeps its newline; one that is new takes that of the line where it
        is inserted.

        Raises:
            SourceError: The file's encoding cannot hold the result.
            ValueError: Edits overlap.
        """
        mark, encoding, raw = decoded(self.data, self.name)
        if mark + self._encoded(raw, encoding) != self.data:
            raise self._error(f"its bytes are not those that {encoding} gives its text")
        ordered = in_order(edits)
        text = with_universal_newlines(raw)
        ends = [match.group() for match in _NEWLINE.finditer(raw)]
        changed = "".join(_pieces(text, ends, ordered))
        result = Original(self.name, mark + self._encoded(changed, encoding))
        if not result._reads(applied(text, ordered)):
            raise self._error("the rewritten code would be read with another encoding or newlines")
        return result

    def _reads(self, text: str) -> bool:
        try:
            return self.document.text == text
        except SourceError:
            return False

    def _encoded(self, text: str, encoding: str) -> bytes:
        try:
            return text.encode(encoding)
        except UnicodeEncodeError as error:
            character = error.object[error.start]
            raise self._error(
                f"the rewritten code needs {character!a}, not in {encoding}"
            ) from error

    def _error(self, problem: str) -> SourceError:
        return SourceError(self.name, None, problem, "save the file as UTF-8")


def _pieces(text: str, ends: list[str], edits: Iterable[Edit]) -> Iterator[str]:
    """The parts of a text after edits, every line with its own end.

    Args:
        text: The text with universal newlines.
        ends: The newlines that it has.
        edits: In order.
    """
    places = [at for at, character in enumerate(text) if character == "\n"]
    done = 0
    for edit in edits:
        yield _with_ends(text[done : edit.start], ends[bisect_left(places, done) :])
        first, last = bisect_left(places, edit.start), bisect_left(places, edit.end)
        own = ends[first:last] or ends[last : last + 1] or ends[-1:] or ["\n"]
        yield _with_ends(edit.text, chain(own, repeat(own[-1])))
        done = edit.end
    yield _with_ends(text[done:], ends[bisect_left(places, done) :])


def _with_ends(text: str, ends: Iterable[str]) -> str:
    """A text with its line ends replaced, one after the other."""
    first, *lines = text.split("\n")
    return first + "".join(end + line for end, line in zip(ends, lines, strict=False))
