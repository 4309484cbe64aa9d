"""The `nnx-rng` command: what it reads, what it prints and its exit status."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from flake8_nnx_rng import __version__
from flake8_nnx_rng.adapters.cli import CLEAN, FAILED, FOUND
from flake8_nnx_rng.adapters.explain import listing, pages
from flake8_nnx_rng.findings import Finding
from flake8_nnx_rng.lint import lint_cached
from flake8_nnx_rng.source import Document

from .conftest import Outcome, Run
from .samples import AT, AT_CLASS, BROKEN, NOISY, SOUND, UNKNOWN_BASE, place

FILES = {"noisy.py": NOISY, "sound.py": SOUND, "unknown.py": UNKNOWN_BASE, "broken.py": BROKEN}
NOISY_AT = f"noisy.py:{AT}: NNX101"
UNKNOWN_AT = f"unknown.py:{AT_CLASS}: NNX900"


@pytest.fixture(autouse=True)
def files(directory: Path) -> None:
    for name, text in FILES.items():
        (directory / name).write_text(text, encoding="utf-8")


def test_nothing_found_is_status_0(check: Run) -> None:
    done = check("sound.py")
    assert (done.status, done.out, done.err) == (CLEAN, "", "")


def test_something_found_is_status_1(check: Run) -> None:
    done = check("noisy.py")
    assert (done.status, done.places, done.err) == (FOUND, [NOISY_AT], "")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        pytest.param("broken.py", "nnx-rng: broken.py:3: syntax error: ", id="syntax error"),
        pytest.param("nowhere.py", "nnx-rng: nowhere.py: no such file", id="missing file"),
        pytest.param("", "nnx-rng: '': no such file", id="empty path"),
    ],
)
def test_what_cannot_be_done_is_status_2_and_the_other_files_are_still_reported(
    check: Run, path: str, message: str
) -> None:
    done = check(path, "noisy.py")
    assert (done.status, done.places) == (FAILED, [NOISY_AT])
    (line,) = done.err.splitlines()
    assert line.startswith(message)
    assert check(path).status == FAILED


def test_an_undecodable_file_is_said_with_its_line(check: Run, directory: Path) -> None:
    (directory / "latin.py").write_bytes(b"#\n#\n\ns = '\xe9'\n")
    done = check("latin.py")
    assert done.status == FAILED
    assert done.err.startswith("nnx-rng: latin.py:4: byte ")


def test_a_directory_is_searched_for_python_files(check: Run, directory: Path) -> None:
    (directory / "broken.py").unlink()
    (directory / "notes.txt").write_text(NOISY, encoding="utf-8")
    inner = directory / "package" / "inner"
    inner.mkdir(parents=True)
    (inner / "noisy.py").write_text(NOISY, encoding="utf-8")
    expected = [f"./{NOISY_AT}", f"./package/inner/{NOISY_AT}"]
    assert check(".").places == check().places == expected
    assert check("package").places == [f"package/inner/{NOISY_AT}"]


@pytest.mark.parametrize(
    "paths",
    [
        ("noisy.py", "noisy.py"),
        ("noisy.py", "./noisy.py"),
        (".", "noisy.py"),
        ("noisy.py", "package/../noisy.py"),
    ],
)
def test_a_file_that_is_named_twice_is_checked_once(
    check: Run, directory: Path, paths: tuple[str, ...]
) -> None:
    (directory / "package").mkdir()
    (found,) = check("--exclude", "unknown.py,broken.py", *paths).places
    assert found.endswith(NOISY_AT)


def test_a_file_named_on_the_command_line_needs_no_suffix(check: Run, directory: Path) -> None:
    (directory / "script").write_text(NOISY, encoding="utf-8")
    assert check("script").places == [f"script:{AT}: NNX101"]


@pytest.mark.parametrize(
    ("options", "places"),
    [
        ([], [NOISY_AT]),
        (["--select", "NNX101"], [NOISY_AT]),
        (["--select", "NNX1"], [NOISY_AT]),
        (["--select", "NNX"], [NOISY_AT]),
        (["--select", "NNX102,NNX101"], [NOISY_AT]),
        (["--select", "NNX102"], []),
        (["--select", "NNX9"], [UNKNOWN_AT]),
        (["--select", "NNX1,NNX900"], [NOISY_AT, UNKNOWN_AT]),
        (["--extend-select", "NNX9"], [NOISY_AT, UNKNOWN_AT]),
        (["--extend-select", "NNX9", "--ignore", "NNX1"], [UNKNOWN_AT]),
        (["--ignore", "NNX101"], []),
        (["--ignore", "NNX"], []),
        (["--ignore", "NNX102"], [NOISY_AT]),
        (["-v"], [NOISY_AT, UNKNOWN_AT]),
        (["--verbose", "--select", "NNX102"], [UNKNOWN_AT]),
        (["-v", "--ignore", "NNX9"], [NOISY_AT, UNKNOWN_AT]),
        (["-v", "--ignore", "NNX900"], [NOISY_AT]),
        (["--select", "NNX101", "--ignore", "NNX1"], [NOISY_AT]),
        (["--select", "NNX1", "--ignore", "NNX101"], []),
        (["--nnx-rng-base", "acme.Layer"], [NOISY_AT, f"unknown.py:{place(UNKNOWN_BASE)}: NNX101"]),
        (["--nnx-rng-sampler", "acme.Layer", "--select", "NNX9"], []),
        (["--exclude", "noisy.py"], []),
        (["--exclude", "no*,x"], []),
        (["--exclude", "other.py"], [NOISY_AT]),
        (["--exclude", "./noisy.py,sub/x.py"], []),
    ],
)
def test_options_choose_what_is_reported(check: Run, options: list[str], places: list[str]) -> None:
    done = check(*options, "noisy.py", "unknown.py")
    assert done.places == places
    assert done.status == (FOUND if places else CLEAN)


def test_a_noqa_comment_silences_its_line(check: Run, directory: Path) -> None:
    text = NOISY.replace("0.0, {})", "0.0, {})  # noqa: NNX101")
    (directory / "noisy.py").write_text(text, encoding="utf-8")
    assert check("noisy.py").status == CLEAN


def test_standard_input_is_read_with_its_own_encoding(check: Run) -> None:
    data = b"# coding: latin-1\n# \xe9\r\n" + NOISY.encode()
    line, column = AT.split(":")
    at = f"{int(line) + 2}:{column}: NNX101"
    assert check("-", stdin=data).places == [f"stdin:{at}"]
    assert check("-", "--stdin-display-name", "a.py", stdin=data).places == [f"a.py:{at}"]


def test_standard_input_that_cannot_be_parsed_is_status_2(check: Run) -> None:
    done = check("-", stdin=BROKEN.encode())
    assert done.status == FAILED
    assert done.err.startswith("nnx-rng: stdin:3: syntax error: ")


def test_the_frame_shows_the_code_and_a_closing_line(run: Run) -> None:
    done = run("check", "noisy.py", "sound.py")
    lines = done.out.splitlines()
    assert done.status == FOUND
    assert lines[0].startswith(f"noisy.py:{AT}: NNX101 Noisy.__call__ ")
    assert lines[4].endswith(" ^^^^^^^^^^^^^^^^^^^^^^^^^")
    assert lines[5:] == ["", "1 finding in 2 files"]


def test_the_frame_of_nothing_is_only_the_closing_line(run: Run) -> None:
    assert run("check", "sound.py").out == "no findings in 1 file\n"


@pytest.mark.parametrize(
    ("choice", "terminal", "no_color", "coloured"),
    [
        ("always", False, "1", True),
        ("never", True, "", False),
        ("auto", False, "", False),
        ("auto", True, "", True),
        ("auto", True, "1", False),
    ],
)
def test_colour_is_chosen_by_option_terminal_and_environment(
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    choice: str,
    terminal: bool,
    no_color: str,
    coloured: bool,
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: terminal)
    monkeypatch.setenv("NO_COLOR", no_color)
    done = run("check", "--color", choice, "noisy.py")
    assert ("\x1b[31mNNX101\x1b[0m" in done.out) is coloured
    assert ("\x1b" in done.out) is coloured


@pytest.mark.parametrize("code", ["NNX101", "nnx101"])
def test_explain_shows_a_rule_whichever_case_its_code_is_written_in(run: Run, code: str) -> None:
    done = run("explain", code)
    assert (done.status, done.err) == (CLEAN, "")
    assert done.out.startswith("# NNX101: class-level-stream\n")


def test_explain_without_a_code_lists_the_rules_and_a_prefix_lists_its_group(run: Run) -> None:
    every, group = run("explain"), run("explain", "nnx9")
    assert (every.status, group.status) == (CLEAN, CLEAN)
    assert every.out == f"{listing()}\n"
    assert group.out == "NNX900  not-analysed  off\n"


@pytest.mark.parametrize(
    ("code", "advice"),
    [
        ("NNX901", "did you mean NNX900"),
        ("NNXX900", "did you mean NNX900"),
        ("E501", "`nnx-rng explain` lists them\n"),
        ("", "`nnx-rng explain` lists them\n"),
    ],
)
def test_explain_says_that_there_is_no_such_rule(run: Run, code: str, advice: str) -> None:
    done = run("explain", code)
    assert (done.status, done.out) == (FAILED, "")
    assert done.err.startswith(f"nnx-rng: there is no rule {code}; {advice}")


def test_explain_writes_a_page_for_every_rule_and_again_over_the_old_ones(run: Run) -> None:
    for _ in range(2):
        assert run("explain", "--write", "build/rules") == Outcome(CLEAN, "", "")
    written = {path.name: path.read_bytes().decode() for path in Path("build/rules").iterdir()}
    assert written == pages()


def test_explain_says_where_it_cannot_write(run: Run) -> None:
    Path("taken").touch()
    done = run("explain", "--write", "taken")
    assert (done.status, done.out) == (FAILED, "")
    assert done.err.startswith("nnx-rng: taken: cannot be written: ")


def test_the_version_is_the_package_s(run: Run) -> None:
    done = run("--version")
    assert (done.status, done.out) == (CLEAN, f"nnx-rng {__version__}\n")


@pytest.mark.parametrize(
    "arguments",
    [(), ("lint",), ("check", "--format", "xml"), ("check", "--color", "red")],
    ids=["nothing", "unknown command", "unknown format", "unknown colour"],
)
def test_a_command_line_that_is_not_understood_is_status_2(
    run: Run, arguments: tuple[str, ...]
) -> None:
    done = run(*arguments)
    assert (done.status, done.out) == (FAILED, "")
    assert done.err.startswith("usage: nnx-rng")


def test_an_interrupt_is_status_130(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("flake8_nnx_rng.adapters.check.lint_cached", interrupt)
    done = run("check", "noisy.py")
    assert (done.status, done.err) == (130, "")


def test_a_file_that_upsets_the_linter_hides_nothing_of_the_others(
    check: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = lint_cached

    def upset(document: Document, *rest: Any) -> list[Finding]:
        if document.path == "sound.py":
            raise ZeroDivisionError("by zero")
        return real(document, *rest)

    monkeypatch.setattr("flake8_nnx_rng.adapters.check.lint_cached", upset)
    done = check("noisy.py", "sound.py")
    assert (done.status, done.places) == (FAILED, [NOISY_AT])
    assert done.err == (
        "nnx-rng: sound.py: internal error, ZeroDivisionError: by zero; please report it\n"
    )
