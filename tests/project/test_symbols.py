"""How a name finds what it stands for."""

from __future__ import annotations

import libcst as cst
import pytest
from support import parse

from flake8_nnx_rng.project import (
    ClassSymbol,
    ExternalSymbol,
    Scope,
    SourceFile,
    UnknownSymbol,
    dotted_names,
    lookup,
)

SCOPES = """\
import outer
shared = 1

class A:
    shared = 2
    own = 3

    def method(self, parameter):
        local = 4

        class Inner:
            def deep(self): ...
"""


@pytest.fixture
def file() -> SourceFile:
    return parse(SCOPES)


def _function(scope: Scope, name: str) -> cst.FunctionDef:
    for cls in scope.file.classes:
        method = cls.method(name)
        if method is not None:
            return method
    raise AssertionError(name)


def _seen(name: str, scope: Scope) -> str | None:
    found = lookup(name, scope)
    if found is None:
        return None
    node = found[1].node
    return getattr(getattr(node, "name", None), "value", "module")


@pytest.mark.parametrize(
    ("name", "from_class", "from_method", "from_deep"),
    [
        ("outer", "module", "module", "module"),
        ("shared", "A", "module", "module"),
        ("own", "A", None, None),
        ("method", "A", None, None),
        ("parameter", None, "method", "method"),
        ("local", None, "method", "method"),
        ("Inner", None, "method", "method"),
        ("deep", None, None, None),
        ("nowhere", None, None, None),
    ],
)
def test_a_class_body_s_names_are_seen_from_it_alone(
    file: SourceFile,
    name: str,
    from_class: str | None,
    from_method: str | None,
    from_deep: str | None,
) -> None:
    method = file.scope_of(_function(file.scope, "method"))
    deep = file.scope_of(_function(file.scope, "deep"))
    assert _seen(name, file.classes[0].scope) == from_class
    assert _seen(name, method) == from_method
    assert _seen(name, deep) == from_deep


def _resolved(text: str, expression: str) -> list[str]:
    """What an expression at the end of a file stands for."""
    file = parse(text)
    shown = []
    for symbol, _ in dotted_names(cst.parse_expression(expression), file.scope):
        match symbol:
            case ExternalSymbol(name):
                shown.append(name)
            case ClassSymbol(node):
                shown.append(f"class {node.name.value}")
            case UnknownSymbol():
                shown.append("?")
            case _:
                shown.append(type(symbol).__name__)
    return shown


@pytest.mark.parametrize(
    ("text", "expression", "names"),
    [
        pytest.param("import a", "a", ["a"], id="module"),
        pytest.param("import a.b", "a.b.C", ["a.b.C"], id="attribute of a package"),
        pytest.param("import a.b as c", "c.D", ["a.b.D"], id="renamed module"),
        pytest.param("from a import b", "b.C.D", ["a.b.C.D"], id="attribute of an import"),
        pytest.param("from .a import B", "B", [".a.B"], id="relative import"),
        pytest.param("class A: ...", "A", ["class A"], id="class of the file"),
        pytest.param("def f(): ...", "f", ["FunctionSymbol"], id="function of the file"),
        pytest.param("x: int", "x", ["AnnotatedSymbol"], id="declared"),
        pytest.param("", "object", ["builtins.object"], id="builtin"),
        pytest.param("import a\nB = a.X", "B", ["a.X"], id="alias"),
        pytest.param("import a\nB = a.X\nC = B\nD = C", "D", ["a.X"], id="alias of an alias"),
        pytest.param("import a\nm = a.b", "m.C", ["a.b.C"], id="alias of a module"),
        pytest.param("from a import B", "B[int]", ["a.B"], id="subscript"),
        pytest.param("from a import B\nC = B[int]", "C[str]", ["a.B"], id="alias of a subscript"),
        pytest.param("from a import b", "b.C[int, str]", ["a.b.C"], id="subscript and dots"),
        pytest.param("A = f()", "A", ["?"], id="call"),
        pytest.param("A = 1 if x else 2", "A", ["?"], id="conditional expression"),
        pytest.param("class A:\n    class B: ...", "A.B", ["class B"], id="attribute of a class"),
        pytest.param("class A: ...", "A.B", ["?"], id="attribute that a class has not"),
        pytest.param("def A(): ...", "A.B", ["?"], id="attribute of a function"),
        pytest.param("for A in x: ...", "A", ["?"], id="loop variable"),
        pytest.param(
            "try:\n    from a import B\nexcept ImportError:\n    from c import B",
            "B.D",
            ["a.B.D", "c.B.D"],
            id="alternatives",
        ),
        pytest.param("", "StatefulModule", ["?"], id="unbound"),
        pytest.param("", "a.b.C", ["?"], id="attribute of what is unbound"),
        pytest.param("from a import *", "B", ["a.B"], id="star import"),
        pytest.param("from a import *", "b.C", ["a.b.C"], id="attribute of a star import"),
        pytest.param("from .a import *", "B", [".a.B"], id="relative star import"),
        pytest.param("from a import *\nfrom b import C", "C", ["b.C"], id="named beside a star"),
        pytest.param("from a import *\nfrom b import *", "C", ["b.C", "a.C"], id="two stars"),
        pytest.param("from a import *", "object", ["builtins.object"], id="builtin and star"),
        pytest.param("if (x := f()): ...", "x", ["?"], id="named in an expression"),
        pytest.param("match y:\n    case A(x): ...", "x", ["?"], id="captured"),
        pytest.param("match y:\n    case [_, *x]: ...", "x", ["?"], id="captured rest"),
        pytest.param("try:\n    ...\nexcept E as x: ...", "x", ["?"], id="exception"),
        pytest.param("import a\nif t:\n    a = f()", "a.B", ["?", "a.B"], id="may be replaced"),
    ],
)
def test_a_dotted_name_is_followed_through_aliases(
    text: str, expression: str, names: list[str]
) -> None:
    assert _resolved(text, expression) == names


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        pytest.param("A = B\nB = A", "A", id="cycle of aliases"),
        pytest.param("A = A", "A", id="alias of itself"),
        pytest.param("A = A.b", "A.c", id="attribute of itself"),
        pytest.param("A = B[0]\nB = A[0]", "A", id="cycle through subscripts"),
    ],
)
def test_aliases_that_go_in_a_circle_end_and_say_nothing(text: str, expression: str) -> None:
    assert set(_resolved(text, expression)) <= {"?"}


def test_a_star_import_from_the_package_itself_has_one_dot() -> None:
    assert _resolved("from . import *", "A") == _resolved("from . import A", "A") == [".A"]
