"""A Python file as bytes, text and trees."""

from __future__ import annotations

import ast
import codecs
import errno
import io
import os
import tokenize
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from flake8_nnx_rng.source.disk import regular
from flake8_nnx_rng.source.paths import is_directory

if TYPE_CHECKING:
    import libcst


class SourceError(Exception):
    """A file that cannot be read or parsed.

    Attributes:
        path: The file as the user named it.
        line: The line of the fault, counted from 1, or None where there is none.
        remedy: What the user can do about it.
    """

    def __init__(self, path: str, line: int | None, problem: str, remedy: str) -> None:
        where = path if line is None else f"{path}:{line}"
        super().__init__(f"{where}: {problem}; {remedy}")
        self.path = path
        self.line = line
        self.remedy = remedy


@dataclass(frozen=True)
class Document:
    """A file's text under the name by which the user knows it.

    The text has universal newlines and no byte order mark, as flake8's lines do, so both
    faces count lines and columns alike.
    """

    path: str
    text: str

    def syntax_tree(self) -> ast.Module:
        """Parses with the interpreter's own parser.

        Raises:
            SourceError: The text is not valid Python for the running interpreter.
        """
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the user's invalid escapes are not ours to report
                return ast.parse(self.text)
        except SyntaxError as error:
            raise SourceError(
                self.path,
                error.lineno,
                f"syntax error: {error.msg}",
                "fix it, or run under the Python version that the file is written for",
            ) from error
        except ValueError as error:
            raise SourceError(
                self.path, None, f"not Python source: {error}", "exclude the file"
            ) from error
        except (RecursionError, MemoryError) as error:
            raise SourceError(
                self.path, None, "too deeply nested to parse", "split the expression, or exclude it"
            ) from error

    def concrete_tree(self) -> libcst.Module:
        """Parses into libcst nodes; the syntax tree must have been accepted before.

        Raises:
            SourceError: libcst does not know the syntax.
        """
        import libcst

        try:
            return libcst.parse_module(self.text)
        except (libcst.ParserSyntaxError, libcst.CSTLogicError) as error:
            line = getattr(error, "raw_line", None)
            raise SourceError(
                self.path, line, "libcst cannot parse this file", "upgrade libcst"
            ) from error


def read_document(path: Path, name: str | None = None) -> Document:
    """Reads a file, honouring its coding cookie and byte order mark.

    Args:
        path: The file.
        name: What to call it in findings; the path itself if None.

    Raises:
        SourceError: The file is missing, unreadable, or not in its declared encoding.
    """
    name = str(path) if name is None else name
    return decode(read_bytes(path, name), name)


def read_bytes(path: Path, name: str) -> bytes:
    """Reads a file.

    Raises:
        SourceError: The file is missing, unreadable, or not a file but a device or a pipe.
    """
    try:
        data = regular(path)
        if data is None and is_directory(path):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    except (OSError, ValueError) as error:
        problem = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise SourceError(
            name, None, f"cannot be read: {problem}", "check the path and its permissions"
        ) from error
    if data is None:
        raise SourceError(name, None, "is not a regular file", "name one, or - for standard input")
    return data


def decode(data: bytes, name: str) -> Document:
    """Turns bytes into a document, as the interpreter itself would decode them.

    Raises:
        SourceError: The bytes are not in the declared encoding, or it is unknown.
    """
    return Document(name, with_universal_newlines(decoded(data, name)[2]))


def with_universal_newlines(text: str) -> str:
    """A text with a line feed at the end of every line."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def decoded(data: bytes, name: str) -> tuple[bytes, str, str]:
    """The byte order mark, the encoding and the text, with its own newlines, of a file.

    Raises:
        SourceError: The bytes are not in the declared encoding, or it is unknown.
    """
    mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        if encoding == "utf-8-sig":
            data, encoding = data.removeprefix(mark), "utf-8"
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = len((data[: error.start] + b"?").splitlines())
        raise SourceError(
            name,
            line,
            f"byte {error.object[error.start]:#04x} is not {error.encoding}",
            "save as UTF-8 or declare the encoding",
        ) from error
    except (SyntaxError, LookupError, UnicodeError) as error:
        raise SourceError(
            name, 1, f"wrong encoding: {error}", "correct the coding cookie or save as UTF-8"
        ) from error
    return mark, encoding, text
