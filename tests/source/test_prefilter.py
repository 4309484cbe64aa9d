"""What is decided before libcst is imported."""

from __future__ import annotations

import ast
import textwrap

import pytest

from flake8_nnx_rng.source import deepest_line, may_define_modules, may_matter
from flake8_nnx_rng.source.prefilter import MAX_DEPTH

SUBCLASS = "class A(B): pass"


@pytest.mark.parametrize(
    ("text", "matters"),
    [
        pytest.param("from nnx_ppo import X\n", True, id="import"),
        pytest.param("# see Layer\n", True, id="comment"),
        pytest.param("class MyLayers: ...\n", True, id="part of a word"),
        pytest.param("import layer\n", False, id="other case"),
        pytest.param("", False, id="empty"),
    ],
)
def test_a_file_may_matter_if_it_names_any_marker(text: str, matters: bool) -> None:
    assert may_matter(text, ("nnx_ppo", "Layer")) is matters


@pytest.mark.parametrize(
    "frame",
    [
        "{}",
        "def f():\n    {}",
        "async def f():\n    {}",
        "class Outer:\n    {}",
        "if x:\n    {}",
        "if x:\n    pass\nelif y:\n    {}",
        "if x:\n    pass\nelse:\n    {}",
        "for x in y:\n    {}",
        "for x in y:\n    pass\nelse:\n    {}",
        "while x:\n    {}",
        "while x:\n    pass\nelse:\n    {}",
        "with x as y:\n    {}",
        "async def f():\n    async with x:\n        {}",
        "try:\n    {}\nfinally:\n    pass",
        "try:\n    pass\nexcept E:\n    {}",
        "try:\n    pass\nexcept* E:\n    {}",
        "try:\n    pass\nexcept E:\n    pass\nelse:\n    {}",
        "try:\n    pass\nfinally:\n    {}",
        "match x:\n    case 1:\n        {}",
        "match x:\n    case 1:\n        pass\n    case _:\n        {}",
        "def f():\n    if x:\n        class Inner:\n            def g(self):\n                {}",
    ],
)
def test_a_class_with_a_base_is_found_however_deeply_it_stands(frame: str) -> None:
    assert may_define_modules(ast.parse(frame.format(SUBCLASS)))
    assert not may_define_modules(ast.parse(frame.format("class A: pass")))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("class A(B[T]): ...", True, id="subscript"),
        pytest.param("class A(*bases): ...", True, id="starred"),
        pytest.param("class A(make()): ...", True, id="call"),
        pytest.param("class A(metaclass=M): ...", False, id="metaclass only"),
        pytest.param("class A(): ...", False, id="empty parentheses"),
        pytest.param("A = type('A', (B,), {})", False, id="made by type"),
        pytest.param("text = 'class A(B): ...'", False, id="in a string"),
    ],
)
def test_only_a_class_statement_with_a_positional_base_counts(text: str, found: bool) -> None:
    assert may_define_modules(ast.parse(text)) is found


@pytest.mark.parametrize(
    ("text", "limit", "line"),
    [
        pytest.param("", 0, None, id="empty"),
        pytest.param("x = 1\ny = [\n  [\n    [],\n  ],\n]\n", 4, 4, id="where it gets deeper"),
        pytest.param("x = 1\ny = [\n  [\n    [],\n  ],\n]\n", 5, None, id="just not too deep"),
        pytest.param("def f(a, b=1): ...\n", 1, 1, id="node without a line of its own"),
    ],
)
def test_the_first_line_that_nests_beyond_the_limit_is_found(
    text: str, limit: int, line: int | None
) -> None:
    assert deepest_line(ast.parse(text), text, limit) == line


@pytest.mark.parametrize(("terms", "line"), [(MAX_DEPTH // 2, None), (MAX_DEPTH + 1, 2)])
def test_a_long_sum_is_too_deep_and_a_short_one_is_not(terms: int, line: int | None) -> None:
    code = textwrap.dedent(f"""\
        x = 1
        y = {" + ".join("1" * terms)}
        """)
    assert deepest_line(ast.parse(code), code) == line


@pytest.mark.parametrize(
    ("first", "further"),
    [
        pytest.param("y = x", " and x", id="and"),
        pytest.param("y = x", " or x", id="or"),
        pytest.param("y = x", " + x", id="sum"),
        pytest.param("y = x", ".x", id="attribute"),
        pytest.param("y = 'x'", " 'x'", id="strings"),
        pytest.param("y = 'x'", "\\\n'é'", id="strings on lines of their own"),
        pytest.param("y = f'{x}'", """ f"{'x'}" """, id="strings with fields"),
        pytest.param("import x", ".x", id="import"),
        pytest.param("from x", ".x", id="import from"),
        pytest.param("y = {x for x in x", " for x in x", id="comprehension"),
    ],
)
def test_what_only_the_other_parser_nests_is_too_deep_as_well(first: str, further: str) -> None:
    last = {"from x": " import x", "y = {x for x in x": "}"}.get(first, "")
    for number, line in ((MAX_DEPTH // 3, None), (MAX_DEPTH + 1, 2)):
        code = "x = 1\n" + first + further * number + last + "\n"
        assert deepest_line(ast.parse(code), code) == line


@pytest.mark.parametrize("quote", ['"""', "'"])
def test_a_long_text_is_not_deep(quote: str) -> None:
    other = {"'": '"'}.get(quote, "'")
    code = f"x = {quote}{other * 5000}{quote}\n"
    assert deepest_line(ast.parse(code), code) is None
