"""The flake8 plugin, called as flake8 calls it."""

from __future__ import annotations

import argparse
import ast
from typing import Any

import pytest
from flake8.options.manager import OptionManager

from flake8_nnx_rng import __version__
from flake8_nnx_rng.adapters.flake8_plugin import NnxRngChecker
from flake8_nnx_rng.source import Document, SourceError

from .samples import AT, AT_CLASS, NOISY, SOUND, UNKNOWN_BASE, place


def _options(**given: Any) -> argparse.Namespace:
    return argparse.Namespace(
        **{
            "select": None,
            "extend_select": None,
            "nnx_rng_base": [],
            "nnx_rng_sampler": [],
            "nnx_rng_root": [],
            "nnx_rng_cache_dir": "",
            "nnx_rng_no_cache": False,
        }
        | given
    )


def _checker(text: str, options: argparse.Namespace) -> NnxRngChecker:
    return NnxRngChecker(ast.parse(text), text.splitlines(keepends=True), "a.py", options)


def _reports(text: str, **given: Any) -> list[str]:
    return [
        f"{line}:{column + 1} {message.split()[0]}"
        for line, column, message, origin in _checker(text, _options(**given)).run()
        if origin is NnxRngChecker
    ]


NOISY_AT = f"{AT} NNX101"
UNKNOWN_AT = f"{AT_CLASS} NNX900"


@pytest.mark.parametrize(
    ("text", "options", "reports"),
    [
        (SOUND, {}, []),
        (NOISY, {}, [NOISY_AT]),
        (NOISY, {"select": ["NNX"]}, [NOISY_AT]),
        (NOISY, {"select": ["NNX101"]}, [NOISY_AT]),
        (NOISY, {"select": ["NNX102"]}, []),
        (NOISY, {"select": ["E"], "extend_select": ["NNX"]}, [NOISY_AT]),
        (UNKNOWN_BASE, {}, []),
        (UNKNOWN_BASE, {"select": ["NNX"]}, []),
        (UNKNOWN_BASE, {"select": ["NNX9"]}, [UNKNOWN_AT]),
        (UNKNOWN_BASE, {"extend_select": ["NNX900"]}, [UNKNOWN_AT]),
        (UNKNOWN_BASE, {"nnx_rng_base": ["acme.Layer"]}, [f"{place(UNKNOWN_BASE)} NNX101"]),
        (UNKNOWN_BASE, {"nnx_rng_sampler": ["acme.Layer"], "select": ["NNX9"]}, []),
    ],
)
def test_a_file_is_reported_as_the_options_say(
    text: str, options: dict[str, Any], reports: list[str]
) -> None:
    assert _reports(text, **options) == reports


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (SourceError("a.py", 3, "problem", "remedy"), "NNX900 a.py:3: problem; remedy"),
        (
            ZeroDivisionError("by zero"),
            "NNX900 internal error, please report it: ZeroDivisionError: by zero",
        ),
        (RecursionError(), "NNX900 internal error, please report it: RecursionError: "),
    ],
    ids=["source", "bug", "recursion"],
)
def test_whatever_goes_wrong_is_said_and_stops_no_other_check(
    monkeypatch: pytest.MonkeyPatch, error: Exception, message: str
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("flake8_nnx_rng.adapters.flake8_plugin.lint_cached", fail)
    (report,) = _checker(NOISY, _options(extend_select=["NNX9"])).run()
    assert report == (1, 0, message, NnxRngChecker)
    assert _reports(NOISY) == []


def test_the_tree_that_flake8_parsed_is_not_parsed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Document) -> ast.Module:
        raise AssertionError(self.path)

    monkeypatch.setattr(Document, "syntax_tree", refuse)
    assert _reports(NOISY) == [NOISY_AT]


def test_the_options_are_registered_as_lists_for_command_line_and_configuration() -> None:
    manager = OptionManager(
        version="1", plugin_versions="", parents=[], formatter_names=["default"]
    )
    NnxRngChecker.add_options(manager)
    assert {"nnx_rng_base", "nnx_rng_sampler"} <= manager.config_options_dict.keys()
    given = manager.parse_args(["--nnx-rng-base", "a.B,c.D"])
    assert given.nnx_rng_base == ["a.B", "c.D"]
    assert given.nnx_rng_sampler == []


def test_the_plugin_says_its_name_and_version() -> None:
    assert (NnxRngChecker.name, NnxRngChecker.version) == ("flake8-nnx-rng", __version__)
