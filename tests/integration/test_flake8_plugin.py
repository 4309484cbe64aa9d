"""The plugin class inside flake8's own process."""

from __future__ import annotations

import argparse
import ast
import configparser
from collections.abc import Sequence
from typing import Any, NoReturn

import pytest
from flake8.main.options import register_default_options
from flake8.options.manager import OptionManager
from flake8.plugins import finder

from flake8_nnx_rng.adapters import flake8_plugin
from flake8_nnx_rng.adapters.flake8_plugin import NnxRngChecker

from .conftest import BASE, FAULTY, OF_UNKNOWN_BASE


def _options(*, base: Sequence[str] = (), extend: Sequence[str] = ()) -> argparse.Namespace:
    """Options as flake8 hands them over."""
    return argparse.Namespace(
        select=None,
        extend_select=list(extend) or None,
        nnx_rng_base=list(base),
        nnx_rng_sampler=[],
        nnx_rng_root=[],
        nnx_rng_cache_dir="",
        nnx_rng_no_cache=False,
    )


def _checker(text: str, options: argparse.Namespace) -> NnxRngChecker:
    """A checker as flake8 constructs it."""
    return NnxRngChecker(
        tree=ast.parse(text),
        lines=text.splitlines(keepends=True),
        filename="noisy.py",
        options=options,
    )


def _codes(checker: NnxRngChecker) -> list[str]:
    return [text.split()[0] for _, _, text, _ in checker.run()]


def test_each_checker_honours_its_own_options() -> None:
    """Whichever was constructed or run first."""
    plain = _checker(OF_UNKNOWN_BASE, _options())
    named = _checker(OF_UNKNOWN_BASE, _options(base=[BASE]))
    curious = _checker(OF_UNKNOWN_BASE, _options(extend=["NNX9"]))
    for _ in range(2):
        assert _codes(named) == ["NNX101"]
        assert _codes(plain) == []
        assert _codes(curious) == ["NNX900"]


def test_nothing_is_kept_on_the_class() -> None:
    """A spawned worker would not find it there."""
    before = dict(vars(NnxRngChecker))
    manager, _ = _manager()
    options = manager.parse_args(["--nnx-rng-base", BASE])
    assert _codes(_checker(OF_UNKNOWN_BASE, options)) == ["NNX101"]
    assert dict(vars(NnxRngChecker)) == before


@pytest.mark.parametrize(
    "error", [ValueError("odd"), RecursionError("deep"), AssertionError(), KeyError("é")]
)
def test_an_internal_error_becomes_nnx900(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """An exception would end the whole run of flake8."""

    def fail(*_: Any) -> NoReturn:
        raise error

    monkeypatch.setattr(flake8_plugin, "lint_cached", fail)
    ((line, column, text, origin),) = _checker(FAULTY, _options(extend=["NNX9"])).run()
    assert (line, column, origin) == (1, 0, NnxRngChecker)
    assert text.startswith("NNX900 ")
    assert type(error).__name__ in text


def test_an_internal_error_is_silent_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """Users see the other checks' findings and no exception."""

    def fail(*_: Any) -> NoReturn:
        raise ValueError

    monkeypatch.setattr(flake8_plugin, "lint_cached", fail)
    assert list(_checker(FAULTY, _options()).run()) == []


def _manager() -> tuple[OptionManager, finder.Plugins]:
    """Flake8's options and those of every plugin that is installed."""
    options = finder.PluginOptions.blank()
    found = finder.find_plugins(configparser.RawConfigParser(), options)
    plugins = finder.load_plugins(found, options)
    manager = OptionManager(
        version="", plugin_versions=plugins.versions_str(), parents=[], formatter_names=["default"]
    )
    register_default_options(manager)
    manager.register_plugins(plugins)  # argparse refuses an option that is there already
    return manager, plugins


def test_the_options_stand_beside_those_of_flake8_and_its_plugins() -> None:
    """They carry the plugin's name, and their defaults name nothing."""
    manager, plugins = _manager()
    assert NnxRngChecker in [loaded.obj for loaded in plugins.checkers.tree]
    options = manager.parse_args([])
    assert (options.nnx_rng_base, options.nnx_rng_sampler) == ([], [])


def test_the_codes_are_on_by_default() -> None:
    """Flake8 takes the name of the entry point for the prefix to select."""
    manager, _ = _manager()
    assert "NNX" in manager.extended_default_select
