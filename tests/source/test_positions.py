"""Spans of concrete nodes: lines from 1, columns in code points from 0, the end exclusive."""

from __future__ import annotations

import ast

import libcst as cst
import libcst.matchers as m
import pytest

from flake8_nnx_rng.source import Positions, Span, decode

CALL = m.Call(m.Name("draw"))


def _parsed(data: bytes) -> tuple[cst.Module, Positions]:
    document = decode(data, "a.py")
    tree = document.concrete_tree()
    return tree, Positions(tree, document.text)


def _span_of_call(data: bytes) -> Span:
    tree, positions = _parsed(data)
    (call,) = m.findall(tree, CALL)
    return positions.span(call)


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
    assert _span_of_call(text.replace("\n", newline).encode()) == span


def test_a_byte_order_mark_takes_no_column() -> None:
    assert _span_of_call("draw()\n".encode("utf-8-sig")) == Span(1, 0, 1, 6)


def _span_in_python(text: str) -> Span:
    """Where the interpreter's own parser finds the call, of which flake8 shows the column."""
    (call,) = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call))
    assert call.end_lineno is not None
    assert call.end_col_offset is not None
    return Span(call.lineno, call.col_offset, call.end_lineno, call.end_col_offset)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("\x0cdraw()\n", id="first"),
        pytest.param("x\n\x0c\x0cy = draw()\n", id="two"),
        pytest.param("\x0c# comment\n\x0cdraw()\n", id="below a comment"),
        pytest.param("x\n\x0c\ndraw()\n", id="line of its own"),
        pytest.param("if x:\n  y\n\x0c  draw()\n", id="in a block"),
        pytest.param("if x:\n  y\n\x0c  z\n  draw()\n", id="above in a block"),
        pytest.param("if x:\n  \x0c  draw()\n", id="inside of the indentation"),
        pytest.param("x\x0c= draw(\x0c)\n", id="between tokens"),
        pytest.param("x = [\n \x0c draw()]\n", id="inside of a continued line"),
        pytest.param("s = '''\n\x0c'''\ndraw()\n", id="in a string above"),
        pytest.param("if x:\n\x0c  draw()\n", id="first of a block"),
        pytest.param("x = [\n\x0cdraw()]\n", id="in brackets"),
        pytest.param("x = draw(\n\x0c)\n", id="at the end"),
        pytest.param("x = \\\n\x0cdraw()\n", id="continued line"),
        pytest.param("s = '''\n\x0c''', draw()\n", id="in a string before"),
        pytest.param(" \x0cdraw()\n", id="behind a blank"),
    ],
)
def test_a_form_feed_takes_a_column_as_in_python(text: str) -> None:
    assert _span_of_call(text.encode()) == _span_in_python(text)


def test_a_decorated_function_starts_at_its_name_not_at_its_decorator() -> None:
    tree, positions = _parsed(b"@wrap\ndef f():\n    pass\n")
    function = cst.ensure_type(tree.body[0], cst.FunctionDef)
    assert positions.span(function.name) == Span(2, 4, 2, 5)


def test_the_end_of_a_file_may_stand_behind_its_last_line() -> None:
    tree, positions = _parsed(b"x = 1\n")
    assert positions.span(tree) == Span(1, 0, 2, 0)


def test_a_node_of_another_tree_has_no_position() -> None:
    (call,) = m.findall(_parsed(b"draw()\n")[0], CALL)
    with pytest.raises(KeyError):
        _parsed(b"draw()\n")[1].span(call)


def test_spans_are_ordered_by_line_and_then_by_column() -> None:
    spans = [Span(2, 0, 2, 1), Span(1, 9, 1, 10), Span(1, 2, 9, 0), Span(1, 2, 1, 3)]
    assert sorted(spans) == [spans[3], spans[2], spans[1], spans[0]]


@pytest.mark.parametrize("kind", [KeyboardInterrupt, RecursionError])
def test_what_stops_the_search_for_positions_arrives_as_it_is(
    kind: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    tree, positions = _parsed(b"def f(x):\n    return draw(x)\n")

    def stopped(*args: object) -> None:
        raise kind

    monkeypatch.setattr(cst.Name, "_codegen_impl", stopped)
    with pytest.raises(kind):
        positions.span(tree.body[0])


def test_a_tree_is_not_walked_through_for_positions_but_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tree, positions = _parsed(b"x = 1\n")
    monkeypatch.setattr(cst.Module, "visit", None)
    assert positions.span(tree) == Span(1, 0, 2, 0)
