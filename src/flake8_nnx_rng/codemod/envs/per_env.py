"""Expressions that draw once for a batch, written so that every env draws with a key of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from flake8_nnx_rng.codemod.envs.kinds import Kind, literal_int
from flake8_nnx_rng.codemod.envs.mapping import Mapping
from flake8_nnx_rng.codemod.envs.rows import Rows
from flake8_nnx_rng.codemod.envs.shapes import without_envs
from flake8_nnx_rng.codemod.refusal import RefusedError
from flake8_nnx_rng.codemod.text.names import names_in
from flake8_nnx_rng.codemod.text.sheet import Sheet
from flake8_nnx_rng.knowledge import arrays
from flake8_nnx_rng.knowledge.signatures import (
    AXIS,
    MIXES_ROWS,
    NOT_BY_ROWS,
    REPLACE,
    SHAPE,
    SIGNATURES,
)

ROW = "row"
_ROWS = (Kind.ROWS, Kind.TREE)


class SharedError(RefusedError):
    """All envs share what is drawn, so it has no axis for them."""


@dataclass(frozen=True)
class Argument:
    """An argument of a draw.

    Attributes:
        parameter: What it is for.
        value: What it is.
        is_named: Whether it is given by keyword.
        is_whole: Whether nothing is drawn apart for its rows.
    """

    parameter: str
    value: cst.BaseExpression
    is_named: bool
    is_whole: bool = False

    @property
    def prefix(self) -> str:
        """What stands in front of it."""
        return f"{self.parameter}=" if self.is_named else ""


@dataclass(eq=False)
class PerEnv:
    """Writes draws per env.

    Attributes:
        rows: Knows what counts the envs.
        sheet: The text, with what is changed inside of the draws already.
        jax: What the file calls `jax`.
    """

    rows: Rows
    sheet: Sheet
    jax: str

    def text(self, node: cst.CSTNode) -> str:
        """The text of a node as it is by now."""
        return self.sheet.between(*self.rows.tree.span(node))

    def draw(
        self,
        function: str,
        arguments: Sequence[Argument],
        keys: str,
        further: Sequence[str] = (),
    ) -> str:
        """A draw, mapped over the envs.

        Args:
            function: The text of the function.
            arguments: Its arguments behind the key.
            keys: The text of the keys, one for each env.
            further: The texts of arguments that are the same for all envs.

        Raises:
            SharedError: All envs share what it draws.
            RefusedError: It is not certain what of it counts the envs.
        """
        mapping = Mapping(names_in(*(a.value for a in arguments)) | {function.partition(".")[0]})
        parts = [self._argument(argument, mapping) for argument in arguments]
        shape = next((a.value for a in arguments if a.parameter == SHAPE), None)
        has_shape = shape is not None and self.rows.kind(shape) is Kind.SHAPE
        if not mapping.given and not has_shape:
            raise SharedError("its noise is shared by the whole batch")
        if mapping.given and shape is not None and not has_shape:
            raise RefusedError(f"the shape `{self.short(shape)}` has no axis for the envs")
        if parts == list(mapping.rows) and parts and not further:
            return f"{self.jax}.vmap({function})({', '.join([keys, *mapping.given])})"
        body = f"{function}({', '.join([mapping.key, *parts, *further])})"
        return mapping.call(self.jax, body, keys)

    def fixed(self, node: cst.BaseExpression) -> str:
        """The text of what is the same for all envs.

        Raises:
            RefusedError: It may not be.
        """
        if self.rows.kind(node) is not Kind.FIXED:
            raise RefusedError(f"it is not certain whether `{self.short(node)}` is of one env")
        return self.text(node)

    def mapped(
        self,
        node: cst.BaseExpression,
        inner: cst.CSTNode,
        written: Callable[[str], str],
        keys: str,
    ) -> str:
        """An expression with a draw inside of it, as a function of a row of what it is made of.

        Args:
            node: The expression.
            inner: The draw.
            written: The text of the draw, given what its key is called.
            keys: The text of the keys.

        Raises:
            RefusedError: It is not certain what of it counts the envs.
        """
        mapping = Mapping(names_in(node))
        inside = self.sheet.copy()
        inside.replace(*self.rows.tree.span(inner), written(mapping.key))
        for leaf in self._leaves(node, inner):
            kind = self.rows.kind(leaf)
            if kind in _ROWS:
                inside.replace(*self.rows.tree.span(leaf), mapping.row_of(self.text(leaf), ROW))
            elif kind is not Kind.FIXED:
                raise RefusedError(f"it is not certain whether `{self.short(leaf)}` is of one env")
        return mapping.call(self.jax, inside.between(*self.rows.tree.span(node)), keys)

    def around(self, draw: cst.BaseExpression) -> cst.BaseExpression:
        """The smallest sum or product that has rows beside a draw that all envs share.

        Raises:
            SharedError: There is none.
        """
        tree, node = self.rows.tree, draw
        while self.rows.kind(node) not in _ROWS:
            parent = tree.parent(node)
            if isinstance(parent, cst.Arg):
                parent = tree.parent(parent)
                if not (
                    isinstance(parent, cst.Call)
                    and tree.canonical(parent.func) in arrays.ELEMENTWISE
                ):
                    raise SharedError("its noise is shared by the whole batch")
            elif not _is_elementwise(parent):
                raise SharedError("its noise is shared by the whole batch")
            assert isinstance(parent, cst.BaseExpression)
            node = parent
        return node

    def short(self, node: cst.CSTNode) -> str:
        """The text of a node before all changes, in one line."""
        return " ".join(self.rows.tree.code(node).split())

    def _leaves(self, node: cst.CSTNode, inner: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """The largest expressions beside the way to the draw."""
        tree = self.rows.tree
        if node is inner:
            return
        if not tree.is_within(inner, node):
            is_known = self.rows.kind(node) in (*_ROWS, Kind.FIXED)
            if isinstance(node, cst.BaseExpression) and (is_known or not self._is_made(node)):
                yield node
                return
        for child in node.children:
            is_name = isinstance(node, cst.Attribute) and child is node.attr
            is_keyword = isinstance(node, cst.Arg) and child is node.keyword
            if not is_name and not is_keyword:
                yield from self._leaves(child, inner)

    def _is_made(self, node: cst.CSTNode) -> bool:
        """Whether it is a new object, or a part of one, so that its arguments tell what it is."""
        while isinstance(node, cst.Attribute):
            node = node.value
        if not isinstance(node, cst.Call):
            return False
        return self.rows.tree.canonical(node.func).rpartition(".")[2][:1].isupper()

    def _argument(self, argument: Argument, mapping: Mapping) -> str:
        node, kind = argument.value, self.rows.kind(argument.value)
        if argument.parameter == SHAPE:
            return argument.prefix + self._shape(node, kind, mapping)
        if kind in _ROWS and argument.is_whole:
            raise RefusedError(f"nothing is drawn apart for the rows of `{self.short(node)}`")
        if kind in _ROWS:
            return argument.prefix + mapping.row_of(self.text(node), argument.parameter)
        if kind is not Kind.FIXED:
            raise RefusedError(f"it is not certain whether `{self.short(node)}` is of one env")
        if argument.parameter == AXIS and literal_int(node) != -1:
            raise RefusedError(f"it is not certain that axis `{self.short(node)}` is not the envs'")
        return argument.prefix + self.text(node)

    def _shape(self, node: cst.BaseExpression, kind: Kind, mapping: Mapping) -> str:
        if kind is Kind.FIXED:
            return self.text(node)
        if kind is not Kind.SHAPE:
            raise RefusedError(
                f"it is not certain which axis of `{self.short(node)}` counts the envs"
            )
        if isinstance(node, cst.Attribute):
            return f"{mapping.row_of(self.text(node.value), ROW)}.shape"
        return without_envs(node, self.rows, self.sheet)


def arguments_of(name: str, args: Sequence[cst.Arg]) -> list[Argument]:
    """The arguments of a function of `jax.random`, behind the key.

    Raises:
        RefusedError: What it draws is of the whole batch, or how cannot be told.
    """
    if name not in SIGNATURES or name in MIXES_ROWS:
        raise RefusedError(f"`{name}` draws for the batch as a whole")
    parameters, found = SIGNATURES[name], []
    for index, arg in enumerate(args):
        if arg.star or (arg.keyword is None and index >= len(parameters)):
            raise RefusedError(f"`{name}` takes its arguments from a list")
        parameter = parameters[index] if arg.keyword is None else arg.keyword.value
        if parameter == REPLACE and not _is_true(arg.value):
            raise RefusedError(f"`{name}` without replacement draws for the batch as a whole")
        is_whole = parameter in NOT_BY_ROWS.get(name, ())
        found.append(Argument(parameter, arg.value, arg.keyword is not None, is_whole))
    return found


def _is_true(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Name) and node.value == "True"


def _is_elementwise(node: cst.CSTNode) -> bool:
    if isinstance(node, cst.BinaryOperation):
        return not isinstance(node.operator, cst.MatrixMultiply)
    return isinstance(node, (cst.UnaryOperation, cst.Comparison, cst.ComparisonTarget))
