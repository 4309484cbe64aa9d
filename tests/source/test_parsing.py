"""Text becomes trees, or an error that says where and what to do."""

from __future__ import annotations

import ast
import warnings

import libcst as cst
import pytest

from flake8_nnx_rng.source import Document, SourceError


def _document(text: str) -> Document:
    return Document("a.py", text)


def test_both_trees_are_made_of_the_same_text() -> None:
    text = "# comment\nclass A(B):\n\tx = 1; y = 'é'\n"
    document = _document(text)
    assert isinstance(document.syntax_tree().body[0], ast.ClassDef)
    assert document.concrete_tree().code == text


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        pytest.param("x = 1\ndef f(:\n", 2, "syntax error: invalid syntax", id="syntax"),
        pytest.param("if x:\ny = 1\n", 2, "syntax error: expected an indented", id="indentation"),
        pytest.param("x = (\n\n", 1, "syntax error: '(' was never closed", id="never closed"),
        pytest.param("x = 1\nprint 'x'\n", 2, "syntax error: Missing paren", id="Python 2"),
        pytest.param("x = " + "(" * 300 + ")" * 300, 1, "too many nested", id="parentheses"),
        pytest.param("s = '\udc80'\n", None, "not Python source", id="lone surrogate"),
        pytest.param("x = " + "-" * 100_000 + "1\n", None, "too deeply nested", id="deep nesting"),
    ],
)
def test_text_that_is_not_python_is_refused_with_file_line_and_remedy(
    text: str, line: int | None, problem: str
) -> None:
    with pytest.raises(SourceError) as caught:
        _document(text).syntax_tree()
    error = caught.value
    assert (error.path, error.line) == ("a.py", line)
    assert str(error).startswith("a.py: " if line is None else f"a.py:{line}: ")
    assert problem in str(error)
    assert str(error).endswith(f"; {error.remedy}")


def test_a_null_byte_is_refused() -> None:
    with pytest.raises(SourceError, match="null bytes"):
        _document("x = 1\n\0\n").syntax_tree()


def test_the_interpreter_s_warnings_about_the_user_s_code_are_kept_back() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tree = _document(r"x = '\d'; y = 1 is 1").syntax_tree()
    assert len(tree.body) == 2


def test_syntax_that_libcst_does_not_know_is_refused_with_file_line_and_remedy() -> None:
    with pytest.raises(SourceError) as caught:
        _document("x = 1\ny ===\n").concrete_tree()
    assert str(caught.value) == "a.py:2: libcst cannot parse this file; upgrade libcst"


def test_a_failure_of_libcst_without_a_place_is_refused_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(text: str) -> cst.Module:
        raise cst.CSTLogicError("no place")

    monkeypatch.setattr(cst, "parse_module", fail)
    with pytest.raises(SourceError, match=r"^a\.py: libcst cannot parse"):
        _document("x = 1\n").concrete_tree()
