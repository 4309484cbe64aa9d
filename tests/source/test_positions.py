"""Spans of concrete nodes: lines from 1, columns in code points from 0, the end exclusive."""

from __future__ import annotations

import libcst as cst
import libcst.matchers as m
import pytest

from flake8_nnx_rng.source import Positions, Span, decode

CALL = m.Call(m.Name("draw"))


def _tree(data: bytes) -> cst.Module:
    return decode(data, "a.py").concrete_tree()


@pytest.mark.parametrize(
    ("text", "span"),
    [
        pytest.param("draw()\n", Span(1, 0, 1, 6), id="plain"),
        pytest.param("x = draw()  # why\n", Span(1, 4, 1, 10), id="comment after"),
        pytest.param("@draw()\ndef f(): ...\n", Span(1, 1, 1, 7), id="decorator"),
        pytest.param("x = draw(\n  1,\n)\n", Span(1, 4, 3, 1), id="several lines"),
        pytest.param("x = (\n  draw()\n)\n", Span(2, 2, 2, 8), id="in parentheses"),
        pytest.param("x = \\\n  draw()\n", Span(2, 2, 2, 8), id="continued line"),
        pytest.param("if x:\n\ty =\tdraw()\n", Span(2, 5, 2, 11), id="tabs count one"),
        pytest.param("s = 'é乱🎲', draw()\n", Span(1, 11, 1, 17), id="beyond ASCII"),
        pytest.param("s = 'e\u0301', draw()\n", Span(1, 10, 1, 16), id="combining character"),
        pytest.param("x = f'{draw()!r:>4}'\n", Span(1, 7, 1, 13), id="f-string"),
        pytest.param("x = '''\n\n''', draw()\n", Span(3, 5, 3, 11), id="after a long string"),
        pytest.param("x = 1; y = draw()\n", Span(1, 11, 1, 17), id="second statement of a line"),
        pytest.param("\x0c\ndraw()\n", Span(2, 0, 2, 6), id="form feed above"),
        pytest.param("draw()", Span(1, 0, 1, 6), id="no line end at the end"),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_a_node_stands_where_an_editor_shows_it(text: str, span: Span, newline: str) -> None:
    tree = _tree(text.replace("\n", newline).encode())
    (call,) = m.findall(tree, CALL)
    assert Positions(tree).span(call) == span


def test_a_byte_order_mark_takes_no_column() -> None:
    tree = _tree("draw()\n".encode("utf-8-sig"))
    (call,) = m.findall(tree, CALL)
    assert Positions(tree).span(call) == Span(1, 0, 1, 6)


def test_a_decorated_function_starts_at_its_name_not_at_its_decorator() -> None:
    tree = _tree(b"@wrap\ndef f():\n    pass\n")
    function = cst.ensure_type(tree.body[0], cst.FunctionDef)
    assert Positions(tree).span(function.name) == Span(2, 4, 2, 5)


def test_a_node_of_another_tree_has_no_position() -> None:
    (call,) = m.findall(_tree(b"draw()\n"), CALL)
    with pytest.raises(KeyError):
        Positions(_tree(b"draw()\n")).span(call)


def test_spans_are_ordered_by_line_and_then_by_column() -> None:
    spans = [Span(2, 0, 2, 1), Span(1, 9, 1, 10), Span(1, 2, 9, 0), Span(1, 2, 1, 3)]
    assert sorted(spans) == [spans[3], spans[2], spans[1], spans[0]]
