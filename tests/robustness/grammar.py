"""Modules as no one would write them, by Python's own abstract grammar.

hypothesmith, the generator that is known for this, has had no release since February 2024, and
what it writes holds no module that the linter looks at. `ast` states its grammar in the docstrings
of its classes, that of the running version: `If(expr test, stmt* body, stmt* orelse)`. So what a
new version of Python brings is generated too.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

DEPTH = 4
NAMES = ("x", "state", "self", "jax", "nnx", "key", "rollout_extras", "f", "StatefulModule")
ATTRIBUTES = ("rngs", "random", "normal", "split", "vmap", "noise", "shape", "key", "params")
CONSTANTS: SearchStrategy[object] = st.sampled_from(
    [0, 1, -1, 2.5, 1j, True, None, ..., "é\n", b""]
)

_FIELD = re.compile(r"(\w+)([*?]?) (\w+)")
_SIMPLE: dict[tuple[str, str] | str, SearchStrategy[object]] = {
    "identifier": st.sampled_from((*NAMES, *ATTRIBUTES)),
    "int": st.sampled_from([0, 1]),
    "string": st.just(None),
    "constant": CONSTANTS,
    ("FormattedValue", "conversion"): st.sampled_from([-1, 115, 114, 97]),
    ("Interpolation", "conversion"): st.sampled_from([-1, 115, 114, 97]),
    ("ImportFrom", "level"): st.sampled_from([0, 1, 2]),
    ("Constant", "kind"): st.none(),
    ("Name", "id"): st.sampled_from(NAMES),
    ("Attribute", "attr"): st.sampled_from(ATTRIBUTES),
}
"""What is no node, by type, or by class and field."""

_TARGETS = {
    ("Assign", "targets"),
    ("AnnAssign", "target"),
    ("AugAssign", "target"),
    ("For", "target"),
    ("AsyncFor", "target"),
    ("Delete", "targets"),
    ("comprehension", "target"),
    ("NamedExpr", "target"),
    ("TypeAlias", "name"),
    ("withitem", "optional_vars"),
}
_NOT_EMPTY = {"body", "targets", "names", "values", "items", "cases", "generators", "ops"}


@cache
def _fields(name: str) -> tuple[tuple[str, str, str], ...]:
    """Type, `*` or `?`, and name of each field of a node."""
    _, _, inside = (getattr(ast, name).__doc__ or "").partition("(")
    return tuple(_FIELD.findall(inside))


@cache
def _classes(kind: str) -> tuple[type[ast.AST], ...]:
    """The nodes of a kind, those that hold no others first."""
    base = getattr(ast, kind)
    every = [cls for cls in base.__subclasses__() if cls.__doc__ and not _is_old(cls)]
    return tuple(
        sorted(every or [base], key=lambda cls: (bool(_fields(cls.__name__)), cls.__name__))
    )


def _is_old(cls: type[ast.AST]) -> bool:
    """Whether a class only stands for what another one is now."""
    return cls.__module__ == "ast" and cls.__name__ in ("Num", "Str", "Bytes", "NameConstant")


@st.composite
def nodes(draw: DrawFn, kind: str, depth: int) -> ast.AST:
    """A node of a kind of the grammar."""
    every = _classes(kind)
    leaves = {"expr": (ast.Name, ast.Constant), "stmt": (ast.Pass, ast.Break, ast.Return)}
    some = leaves.get(kind, every) if depth <= 0 else every
    return draw(_node(draw(st.sampled_from(some)), depth))


@st.composite
def _node(draw: DrawFn, cls: type[ast.AST], depth: int) -> ast.AST:
    values: dict[str, Any] = {
        name: draw(_value(cls, kind, many, name, depth))
        for kind, many, name in _fields(cls.__name__)
    }
    if cls is ast.Compare:
        values["comparators"] = [draw(nodes("expr", depth - 2)) for _ in values["ops"]]
    if cls is ast.Dict:
        values["values"] = [draw(nodes("expr", depth - 2)) for _ in values["keys"]]
    if cls is ast.arguments:
        for name in ("defaults", "kw_defaults", "posonlyargs"):
            values[name] = []
        values["kw_defaults"] = [None for _ in values["kwonlyargs"]]
    return cls(**values)


def _value(
    cls: type[ast.AST], kind: str, many: str, name: str, depth: int
) -> SearchStrategy[object]:
    simple = _SIMPLE.get((cls.__name__, name), _SIMPLE.get(kind))
    if (cls.__name__, name) in _TARGETS:
        one: SearchStrategy[object] = st.sampled_from(NAMES).map(lambda i: ast.Name(i, ast.Store()))
    else:
        one = nodes(kind, depth - 1) if simple is None else simple
    if many == "*":
        least = int(name in _NOT_EMPTY)
        return st.lists(one, min_size=least, max_size=least + (depth > 0))
    return st.none() | one if many == "?" else one


HEAD = """\
import jax
from flax import nnx
from nnx_ppo.networks.types import StatefulModule, StatefulModuleOutput
"""
FORWARD = """
class M(StatefulModule):
    def __init__(self, rngs: nnx.Rngs):
        self.rngs = rngs

    def __call__(self, state, x, rollout_extras=None):
        self.noise = x + jax.random.normal(self.rngs(), x.shape)
        return StatefulModuleOutput(state, x + self.noise, 0.0, {})
"""


@st.composite
def modules(draw: DrawFn) -> str:
    """A file with a module that draws, and anything before, in and after its forward pass."""
    tree = ast.parse(HEAD + FORWARD)
    cls = tree.body[-1]
    assert isinstance(cls, ast.ClassDef)
    call = cls.body[-1]
    assert isinstance(call, ast.FunctionDef)
    for body, at in ((call.body, 1), (call.body, 0), (cls.body, 0), (tree.body, 3)):
        made = draw(st.lists(nodes("stmt", DEPTH), max_size=2))
        body[at:at] = [one for one in made if isinstance(one, ast.stmt) and _is_python(one, body)]
    return ast.unparse(ast.fix_missing_locations(tree))


def _is_python(statement: ast.stmt, body: list[ast.stmt]) -> bool:
    """Whether a statement is Python, and not only of its grammar: `return` outside a function."""
    in_call = any(isinstance(one, ast.Return) for one in body)
    header = "async def f():\n for x in x:\n  " if in_call else "if x:\n  "
    try:
        code = ast.unparse(ast.fix_missing_locations(statement))
        ast.parse(header + code.replace("\n", "\n  "))
        if in_call:
            ast.parse("def f():\n  " + code.replace("\n", "\n  "))
    except (SyntaxError, ValueError, TypeError, AttributeError, RecursionError, KeyError):
        return False
    return True
