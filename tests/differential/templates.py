"""Texts with places for other texts, which keep the indentation of the place."""

from __future__ import annotations

import re
import textwrap

_NAME = re.compile(r"\$(\w+)")


def fill(template: str, **parts: str) -> str:
    """A template with its places filled.

    A `$name` that is alone in its line stands for a block, which vanishes with its line if it is
    empty; one within a line for an expression. Names that are not given stay.
    """
    lines = []
    for line in textwrap.dedent(template).strip("\n").splitlines():
        alone = _NAME.fullmatch(line.strip())
        if alone and alone[1] in parts:
            block = parts[alone[1]]
            if block:
                indentation = line[: len(line) - len(line.lstrip())]
                lines.append(textwrap.indent(block, indentation))
        else:
            lines.append(_NAME.sub(lambda match: parts.get(match[1], match[0]), line))
    return "\n".join(lines)


def joined(*blocks: str) -> str:
    """Blocks of statements one after the other, each of their lines kept; empty ones left out."""
    return "\n".join(block for block in (textwrap.dedent(b).strip("\n") for b in blocks) if block)


def indented(block: str, depth: int = 1) -> str:
    """A block further in."""
    return textwrap.indent(block, 4 * depth * " ")
