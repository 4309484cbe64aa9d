"""The names of a module, as far as other modules may import them."""

from __future__ import annotations

import ast

import pytest

from flake8_nnx_rng.source import Document, Outline
from flake8_nnx_rng.source.bindings import outline_of


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("import a", {"a": ["a"]}),
        ("import a.b", {"a": ["a"]}),
        ("import a.b as c", {"c": ["a.b"]}),
        ("from a import b, c as d", {"b": ["a.b"], "d": ["a.c"]}),
        ("from . import a", {"a": [".a"]}),
        ("from .. import a", {"a": ["..a"]}),
        ("from ..a.b import c", {"c": ["..a.b.c"]}),
        ("from a import *\nfrom .b import *", {"*": [".b", "a"]}),
        ("a = 1", {"a": [""]}),
        ("a: int = 1", {"a": [""]}),
        ("a: int", {"a": [""]}),
        ("(a, [b, *c]), d.e = x", {"a": [""], "b": [""], "c": [""]}),
        ("def a(): ...\nasync def b(): ...\nclass c: ...", {"a": [""], "b": [""], "c": [""]}),
        ("from a import b\nb = 1", {"b": [""]}),
        ("b = 1\nfrom a import b", {"b": ["a.b"]}),
        ("if x:\n    from a import b\nelse:\n    from c import b", {"b": ["a.b", "c.b"]}),
        ("try:\n    from a import b\nexcept ImportError:\n    b = None", {"b": ["a.b", ""]}),
        ("try: ...\nfinally:\n    import a", {"a": ["a"]}),
        ("from a import b\nif x:\n    from c import b", {"b": ["c.b", "a.b"]}),
        ("if x: ...\nelif y:\n    import a", {"a": ["a"]}),
        ("for a in x:\n    import b\nelse:\n    import c", {"a": [""], "b": ["b"], "c": ["c"]}),
        ("while x:\n    import a", {"a": ["a"]}),
        ("with x as (a, b):\n    import c", {"a": [""], "b": [""], "c": ["c"]}),
        ("match x:\n    case 1:\n        import a", {"a": ["a"]}),
        ("from a import B\nclass B(B): ...", {"B": ["", "a.B"]}),
        ("def f():\n    import a\nclass C:\n    import b", {"f": [""], "C": [""]}),
    ],
)
def test_a_later_binding_replaces_an_earlier_one_and_branches_are_alternatives(
    text: str, bound: dict[str, list[str]]
) -> None:
    found = Outline.of(ast.parse(text)).bound
    assert {name: list(origins) for name, origins in found.items()} == bound


def test_imports_at_any_depth_and_what_classes_and_names_are_made_of_are_known() -> None:
    outline = Outline.of(
        ast.parse(
            "def f():\n"
            "    from a import B\n"
            "    class C(B, m.n.D[T], make(E, k=g.F)): ...\n"
            "    alias: type = a.b if x else c\n"
        )
    )
    assert outline.imported == {"B": ("a.B",)}
    assert set(outline.bases) == {"B", "m.n.D", "T", "make", "E", "g.F"}
    assert set(outline.made_of["C"]) == set(outline.bases)
    assert set(outline.made_of["alias"]) == {"a.b", "x", "c"}


@pytest.mark.parametrize(
    "text",
    ["def f(:\n", "x = " + "1+" * 900 + "1\n", "x = '\0'\n"],
    ids=["syntax error", "too deep", "null byte"],
)
def test_a_file_that_cannot_be_parsed_has_no_outline(text: str) -> None:
    assert outline_of(Document("a.py", text)) is None
