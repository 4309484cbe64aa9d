"""Which names a block binds, and to what."""

from __future__ import annotations

import libcst as cst
import pytest
from support import parse

from flake8_nnx_rng.project import (
    AnnotatedSymbol,
    ClassSymbol,
    ExpressionSymbol,
    ExternalSymbol,
    FunctionSymbol,
    ModuleSymbol,
    ParameterSymbol,
    SourceFile,
    Symbol,
    UnknownSymbol,
)
from flake8_nnx_rng.source import STAR


def _shown(file: SourceFile, symbol: Symbol) -> str:
    """A symbol in a few characters."""
    match symbol:
        case ExternalSymbol(name):
            return f"<{name}>"
        case ModuleSymbol(name):
            return f"module {name}"
        case ClassSymbol(node):
            return f"class {node.name.value}"
        case FunctionSymbol(node):
            return f"def {node.name.value}"
        case ExpressionSymbol(node):
            return file.module.code_for_node(node)
        case AnnotatedSymbol(annotation):
            return f": {file.module.code_for_node(annotation)}"
        case ParameterSymbol(node):
            return f"parameter {node.name.value}"
        case UnknownSymbol():
            return "?"


def _bindings(text: str) -> dict[str, list[str]]:
    file = parse(text)
    return {
        name: [_shown(file, symbol) for symbol in symbols]
        for name, symbols in file.scope.bindings.items()
    }


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("import a", {"a": ["<a>"]}),
        ("import a.b", {"a": ["<a>"]}),
        ("import a.b\nimport a.c", {"a": ["<a>"]}),
        ("import a as b", {"b": ["<a>"]}),
        ("import a.b as c", {"c": ["<a.b>"]}),
        ("import a, b.c, d.e as f", {"a": ["<a>"], "b": ["<b>"], "f": ["<d.e>"]}),
        ("from a import b", {"b": ["<a.b>"]}),
        ("from a.b import (c as d, e)", {"d": ["<a.b.c>"], "e": ["<a.b.e>"]}),
        ("from . import a", {"a": ["<.a>"]}),
        ("from .a import b", {"b": ["<.a.b>"]}),
        ("from ..a.b import c as d", {"d": ["<..a.b.c>"]}),
        ("from ... import a", {"a": ["<...a>"]}),
        ("import a; b = 1; import c", {"a": ["<a>"], "b": ["1"], "c": ["<c>"]}),
    ],
)
def test_an_import_binds_full_dotted_names(text: str, bound: dict[str, list[str]]) -> None:
    assert _bindings(text) == bound


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("x = 1", {"x": ["1"]}),
        ("x = y = f(1)", {"x": ["f(1)"], "y": ["f(1)"]}),
        ("x: int = 1", {"x": ["1"]}),
        ("x: nnx.Rngs", {"x": [": nnx.Rngs"]}),
        ("a, (b, *c) = x", {"a": ["?"], "b": ["?"], "c": ["?"]}),
        ("[a, b] = x", {"a": ["?"], "b": ["?"]}),
        ("a = b, c = x", {"a": ["x"], "b": ["?"], "c": ["?"]}),
        ("a.b = a[0] = x", {}),
        ("a.b: int\na.c: int = 1", {}),
        ("x += 1\npass\ndel y", {}),
        ("def f(): ...", {"f": ["def f"]}),
        ("async def f(): ...", {"f": ["def f"]}),
        ("class A: ...", {"A": ["class A"]}),
        ("for a, b in c:\n    d = 1", {"a": ["?"], "b": ["?"], "d": ["1"]}),
        ("with x as a, y as (b, c), z: d = 1", {"a": ["?"], "b": ["?"], "c": ["?"], "d": ["1"]}),
        ("@property\ndef x(self): ...\n@x.setter\ndef y(self, v): ...", {"x": ["def x"]}),
        ("@property\ndef x(self): ...\n@x.deleter\ndef x(self): ...", {"x": ["def x"]}),
    ],
)
def test_a_statement_binds_its_targets(text: str, bound: dict[str, list[str]]) -> None:
    assert _bindings(text) == bound


@pytest.mark.parametrize(
    ("text", "alternatives"),
    [
        pytest.param("x = 1\nx = 2", ["2"], id="redefinition"),
        pytest.param("import x\ndef x(): ...", ["def x"], id="redefined import"),
        pytest.param("if t:\n    x = 1\nelse:\n    x = 2", ["1", "2"], id="if and else"),
        pytest.param(
            "if t:\n    x = 1\nelif u:\n    x = 2\nelif v:\n    x = 3\nelse:\n    x = 4",
            ["1", "2", "3", "4"],
            id="elif",
        ),
        pytest.param("if t:\n    import x\nelse:\n    import x", ["<x>"], id="same twice"),
        pytest.param(
            "try:\n    from a import x\nexcept ImportError:\n    x = None",
            ["<a.x>", "None"],
            id="import error",
        ),
        pytest.param(
            "try:\n    import x\nexcept A:\n    x = 1\nexcept B:\n    x = 2",
            ["<x>", "1", "2"],
            id="several handlers",
        ),
        pytest.param(
            "try:\n    import x\nexcept* A:\n    x = 1", ["<x>", "1"], id="exception groups"
        ),
        pytest.param(
            "try:\n    pass\nexcept A:\n    x = 1\nelse:\n    x = 2\nfinally:\n    x = 3",
            ["1", "3", "2"],
            id="else and finally",
        ),
        pytest.param(
            "if TYPE_CHECKING:\n    from a import x\nelse:\n    from b import x",
            ["<a.x>", "<b.x>"],
            id="type checking",
        ),
        pytest.param(
            "match y:\n    case 1:\n        x = 1\n    case _:\n        x = 2",
            ["1", "2"],
            id="match",
        ),
        pytest.param("while t:\n    x = 1\nelse:\n    x = 2", ["1", "2"], id="while"),
        pytest.param("for x in y:\n    x = 1", ["?", "1"], id="loop variable"),
        pytest.param("if t:\n    x = 1\nx = 2", ["2"], id="redefined after a branch"),
    ],
)
def test_the_arms_of_a_branch_are_alternatives_and_a_later_binding_replaces_an_earlier(
    text: str, alternatives: list[str]
) -> None:
    assert _bindings(text)["x"] == alternatives


@pytest.mark.parametrize(
    "text",
    [
        "x = 1\nif t:\n    x = 2",
        "x = 1\nfor y in z:\n    x = 2",
        "x = 1\nwhile t:\n    x = 2",
        "x = 1\ntry:\n    x = 2\nexcept E: ...",
        "x = 1\nmatch y:\n    case 1:\n        x = 2",
        "x = 0\nx = 1\nif t:\n    if u:\n        x = 2",
        "if t:\n    x = 1\nif u:\n    x = 2",
        "x = 1\nif t:\n    x = 0\n    x = 2",
    ],
)
def test_a_branch_that_may_not_run_leaves_the_earlier_binding_as_an_alternative(text: str) -> None:
    assert sorted(_bindings(text)["x"]) == ["1", "2"]


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("from a import *", ["<a>"]),
        ("from .a import *", ["<.a>"]),
        ("from a import *\nfrom b import *", ["<a>", "<b>"]),
        ("if t:\n    from a import *\nelse:\n    from b import *", ["<a>", "<b>"]),
        ("from a import *\nif t:\n    from a import *", ["<a>"]),
    ],
)
def test_every_module_that_is_imported_with_a_star_is_kept(text: str, bound: list[str]) -> None:
    assert sorted(_bindings(text).pop(STAR)) == bound


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("from a import B\nclass B(B): ...", ["class B", "<a.B>"]),
        ("from a import B\nclass B(B[int]): ...", ["class B", "<a.B>"]),
        ("from a import B\nclass B(C, B): ...", ["class B", "<a.B>"]),
        ("from a import B\nclass B(C): ...", ["class B"]),
        ("from a import B\nclass B: ...", ["class B"]),
        ("from a import B\nclass B(C, metaclass=B): ...", ["class B"]),
        ("from a import B\nclass B(B): ...\nB = 1", ["1"]),
    ],
)
def test_a_class_leaves_what_it_takes_its_name_from_as_an_alternative(
    text: str, bound: list[str]
) -> None:
    assert _bindings(text)["B"] == bound


def test_a_function_binds_its_parameters_of_every_kind_and_its_locals() -> None:
    file = parse("def f(a, /, b, *c, d=1, **e):\n    b = 2\n    g = 3\n")
    function = cst.ensure_type(file.module.body[0], cst.FunctionDef)
    bound = {
        name: [_shown(file, symbol) for symbol in symbols]
        for name, symbols in file.scope_of(function).bindings.items()
    }
    assert bound == {
        "a": ["parameter a"],
        "b": ["2"],
        "c": ["parameter c"],
        "d": ["parameter d"],
        "e": ["parameter e"],
        "g": ["3"],
    }


def test_a_bare_star_among_parameters_binds_nothing() -> None:
    file = parse("def f(*, a): ...\n")
    function = cst.ensure_type(file.module.body[0], cst.FunctionDef)
    assert list(file.scope_of(function).bindings) == ["a"]
