"""How keys become a part of a state whose parts have names: an entry, or a field."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from flake8_nnx_rng.codemod.text.names import fresh
from flake8_nnx_rng.codemod.text.outputs import append
from flake8_nnx_rng.codemod.text.sheet import Sheet
from flake8_nnx_rng.codemod.text.structure import quote_of
from flake8_nnx_rng.codemod.text.tree import Tree
from flake8_nnx_rng.project import ClassInfo, ClassSymbol, ExternalSymbol, dotted_names

KEY = "key"

_REPLACING = {
    "typing.NamedTuple": "_replace",
    "flax.struct.PyTreeNode": "replace",
    "flax.struct.dataclass": "replace",
    "chex.dataclass": "replace",
}
"""What makes a record of a class, and the method that gives one with another field."""


@dataclass(frozen=True)
class Entry:
    """An entry of a dict.

    Attributes:
        name: Its key in the dict.
        quote: How the code quotes it.
    """

    name: str
    quote: str

    def read(self, state: str) -> str:
        """The keys in a state that has a name."""
        return f"{state}[{self.quote}{self.name}{self.quote}]"

    def is_of_part(self, state: cst.Name, tree: Tree) -> bool:
        """Whether the name of a state stands where one of its parts is meant, or a copy is made."""
        parent = tree.parent(state)
        match parent:
            case cst.Subscript(value, [cst.SubscriptElement(cst.Index(cst.SimpleString()))]):
                return value is state
            case cst.Arg():
                call = tree.parent(parent)
                return isinstance(call, cst.Call) and tree.canonical(call.func) == "builtins.dict"
            case _:
                return isinstance(parent, (cst.StarredDictElement, cst.AssignTarget))

    def put(self, node: cst.BaseExpression, keys: str, tree: Tree, sheet: Sheet) -> None:
        """Makes an expression of a state hold keys."""
        entry = f"{self.quote}{self.name}{self.quote}: {keys}"
        if isinstance(node, cst.Dict) and node.elements:
            append(entry, node.elements[-1], node, tree, sheet)
        else:
            start, end = tree.span(node)
            sheet.replace(start, end, f"{{**{sheet.between(start, end)}, {entry}}}")

    def declare(self, jax: str, tree: Tree, sheet: Sheet) -> None:
        """A dict declares nothing."""


@dataclass(frozen=True)
class Field:
    """A field of a record.

    Attributes:
        name: Its name.
        cls: The record's class.
        replace: The method that gives a record with another field.
    """

    name: str
    cls: ClassInfo
    replace: str

    def read(self, state: str) -> str:
        """The keys in a state that has a name."""
        return f"{state}.{self.name}"

    def is_of_part(self, state: cst.Name, tree: Tree) -> bool:
        """Whether the name of a state stands where one of its parts is meant, or a copy is made."""
        match tree.parent(state):
            case cst.Attribute(value, cst.Name(name)):
                return value is state and (name == self.replace or not name.startswith("_"))
            case parent:
                return isinstance(parent, cst.AssignTarget)

    def put(self, node: cst.BaseExpression, keys: str, tree: Tree, sheet: Sheet) -> None:
        """Makes an expression of a state hold keys."""
        given = f"{self.name}={keys}"
        if _made_by(node, tree) is self.cls and isinstance(node, cst.Call) and node.args:
            append(given, node.args[-1], node, tree, sheet)
        else:
            start, end = tree.span(node)
            sheet.replace(start, end, f"{sheet.between(start, end)}.{self.replace}({given})")

    def declare(self, jax: str, tree: Tree, sheet: Sheet) -> None:
        """Says that there are keys, where the state's parts are declared."""
        *_, last = _fields(self.cls)
        start, end = tree.span(last)
        line = f"{tree.indentation(start)}{self.name}: {jax}.Array\n"
        sheet.insert(tree.line_end(end), line)


Layout = Entry | Field
"""Where the keys are in a state."""


def layout_of(
    start: cst.FunctionDef, states: Sequence[cst.BaseExpression], tree: Tree
) -> Layout | None:
    """Where keys can be in a state; None if its parts have no names.

    Args:
        start: Makes the first state.
        states: The expressions of the class that make a state.
        tree: The files.
    """
    made = [returned.value for returned in tree.own(start, cst.Return)]
    if made and all(isinstance(node, cst.Dict) for node in made):
        taken = {str(text.evaluated_value) for text in tree.walk(start.body, cst.SimpleString)}
        return Entry(fresh(KEY, taken), quote_of(tree.code(start)))
    classes = {_made_by(node, tree) for node in made}
    cls = classes.pop() if len(classes) == 1 else None
    replace = "" if cls is None else _replacing(cls)
    if cls is None or not replace or not _is_only_made_by(cls, states, tree):
        return None
    fields = list(_fields(cls))
    if not fields or any(field.value is not None for field in fields):
        return None
    taken = {tree.code(field.target) for field in fields}
    return Field(fresh(KEY, taken), cls, replace)


def _made_by(node: cst.BaseExpression | None, tree: Tree) -> ClassInfo | None:
    """The class of the files that a call makes an object of."""
    if not isinstance(node, cst.Call) or any(arg.star for arg in node.args):
        return None
    return _class_of(node.func, tree)


def _class_of(node: cst.BaseExpression, tree: Tree) -> ClassInfo | None:
    if not isinstance(node, (cst.Name, cst.Attribute)):
        return None
    symbols = [symbol for symbol, _ in dotted_names(node, tree.scope(node))]
    match symbols:
        case [ClassSymbol(found)] if tree.holds(found):
            return tree.class_of(found)
        case _:
            return None


def _replacing(cls: ClassInfo) -> str:
    """The method that gives a record of a class with another field; "" if it is no record."""
    outside = cls.scope.parent
    assert outside is not None
    marks = [arg.value for arg in cls.node.bases]
    marks += [decorator.decorator for decorator in cls.node.decorators]
    for mark in marks:
        for symbol, _ in dotted_names(mark, outside):
            if isinstance(symbol, ExternalSymbol) and symbol.name in _REPLACING:
                return _REPLACING[symbol.name]
    return ""


def _is_only_made_by(cls: ClassInfo, states: Sequence[cst.BaseExpression], tree: Tree) -> bool:
    """Whether some expressions are all that makes objects of a class."""
    calls = [call for call in tree.every(cst.Call) if _class_of(call.func, tree) is cls]
    return all(call in states and _made_by(call, tree) is cls for call in calls)


def _fields(cls: ClassInfo) -> Iterator[cst.AnnAssign]:
    for line in cls.node.body.body:
        for statement in line.body if isinstance(line, cst.SimpleStatementLine) else ():
            if isinstance(statement, cst.AnnAssign):
                yield statement
