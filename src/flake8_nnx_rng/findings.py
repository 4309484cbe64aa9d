"""What the linter says, once per place."""

from __future__ import annotations

from dataclasses import dataclass

from flake8_nnx_rng.source import Span


@dataclass(frozen=True, order=True)
class Finding:
    """One line to the user.

    Attributes:
        path: The file.
        span: The place in it.
        code: The rule's code.
        message: What is wrong, why it matters and what to do.
    """

    path: str
    span: Span
    code: str
    message: str

    @classmethod
    def of_file(cls, path: str, line: int, code: str, message: str) -> Finding:
        """A finding about a whole file, shown at a line."""
        return cls(path, Span(line, 0, line, 0), code, message)

    @property
    def text(self) -> str:
        """Code and message, as flake8 shows them."""
        return f"{self.code} {self.message}"


PLUGIN = "NNX"
"""The prefix of all codes."""


@dataclass(frozen=True)
class Selection:
    """Which codes are wanted.

    Attributes:
        select: Prefixes to report; all rules that are on by default if empty.
        extend: Further prefixes, such as `NNX9` for what is off by default.
        ignore: Prefixes not to report.
    """

    select: tuple[str, ...] = ()
    extend: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    def wants(self, code: str, by_default: bool) -> bool:
        """Whether a code is reported.

        A rule that is off by default needs a prefix of its own, longer than the plugin's: who
        selects `NNX` wants the linter, not every opinion that it has. Where a code is both named
        and ignored, the longer prefix wins, as in flake8.
        """
        named = [p for p in (*self.select, *self.extend) if code.startswith(p)]
        if not by_default:
            named = [prefix for prefix in named if len(prefix) > len(PLUGIN)]
        ignored = [prefix for prefix in self.ignore if code.startswith(prefix)]
        if named and ignored:
            return max(map(len, named)) > max(map(len, ignored))
        return bool(named) or not (ignored or self.select or not by_default)
