"""Where a block's first line stands."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from flake8_nnx_rng.codemod.refusal import RefusedError
from flake8_nnx_rng.codemod.text.sheet import Sheet
from flake8_nnx_rng.codemod.text.tree import Tree

Block = cst.FunctionDef | cst.For | cst.While


@dataclass(frozen=True)
class Opening:
    """The place in front of a block's first line.

    Attributes:
        at: Where it is in the text.
        indentation: What stands in front of the block's lines.
        sheet: Where lines are added.
    """

    at: int
    indentation: str
    sheet: Sheet

    def insert(self, line: str) -> None:
        """Adds a line, behind those that were added here before."""
        self.sheet.insert(self.at, f"{self.indentation}{line}\n")


def first_line(block: Block, tree: Tree) -> int:
    """Where the first statement stands, the docstring aside.

    Raises:
        RefusedError: The block is part of a line.
    """
    if not isinstance(block.body, cst.IndentedBlock):
        raise RefusedError("a block stands in one line with its header")
    statements = list(block.body.body)
    if isinstance(block, cst.FunctionDef) and len(statements) > 1 and is_text(statements[0]):
        statements.pop(0)
    return start_of(statements[0], tree)


def opening_of(block: Block, tree: Tree, sheet: Sheet) -> Opening:
    """The place in front of the first line of a block."""
    at = tree.line_start(first_line(block, tree))
    return Opening(at, tree.indentation(at), sheet)


def start_of(node: cst.CSTNode, tree: Tree) -> int:
    """Where a statement starts, its decorators included."""
    if isinstance(node, (cst.FunctionDef, cst.ClassDef)) and node.decorators:
        node = node.decorators[0]
    return tree.span(node)[0]


def is_text(statement: cst.CSTNode) -> bool:
    """Whether a statement is nothing but a text, such as a docstring."""
    return (
        isinstance(statement, cst.SimpleStatementLine)
        and isinstance(statement.body[0], cst.Expr)
        and isinstance(statement.body[0].value, (cst.SimpleString, cst.ConcatenatedString))
    )
