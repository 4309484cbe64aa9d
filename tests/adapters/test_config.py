"""The configuration that the command shares with flake8."""

from __future__ import annotations

from pathlib import Path

import pytest
from flake8 import defaults

from flake8_nnx_rng.adapters.config import Config, read_config
from flake8_nnx_rng.source import SourceError

from .conftest import Run
from .samples import AT, AT_CLASS, ENTROPY, NOISY, place


def _written(name: str, *lines: str) -> str:
    Path(name).write_text("\n".join(["[flake8]", *lines, ""]), encoding="utf-8")
    return name


@pytest.mark.parametrize("name", ["setup.cfg", "tox.ini", ".flake8"])
def test_the_files_of_flake8_are_found(name: str) -> None:
    _written(name, "extend-select = NNX9")
    assert read_config().extend_select == ("NNX9",)


def test_a_file_in_a_directory_above_is_found(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _written("tox.ini", "ignore = NNX101")
    inner = directory / "inner"
    inner.mkdir()
    monkeypatch.chdir(inner)
    assert read_config().ignore == ("NNX101",)


def test_a_named_file_is_read_instead_of_the_found_one() -> None:
    _written("setup.cfg", "ignore = NNX101")
    assert read_config(_written("other.cfg", "ignore = NNX102")).ignore == ("NNX102",)


def test_without_a_file_or_a_section_the_defaults_hold(directory: Path) -> None:
    def patterns(config: Config) -> list[str]:
        return [Path(pattern).name for pattern in config.exclude]

    assert patterns(read_config()) == list(defaults.EXCLUDE)
    Path("setup.cfg").write_text("[metadata]\nname = x\n", encoding="utf-8")
    config = read_config()
    assert patterns(config) == list(defaults.EXCLUDE)
    assert config == Config(exclude=config.exclude)


@pytest.mark.parametrize(
    ("lines", "attribute", "value"),
    [
        (["nnx-rng-base = a.B, c.D"], "bases", ("a.B", "c.D")),
        (["nnx_rng_base = a.B"], "bases", ("a.B",)),
        (["nnx-rng-sampler =", "  a.B,", "  c.D"], "samplers", ("a.B", "c.D")),
        (["select = NNX1, NNX9"], "select", ("NNX1", "NNX9")),
        (["select ="], "select", ()),
        (["extend-select = NNX4 NNX9"], "extend_select", ("NNX4", "NNX9")),
        (["extend_select = NNX4"], "extend_select", ("NNX4",)),
        (["ignore = E", "extend-ignore = NNX1"], "ignore", ("E",)),
        (["ignore = E", "extend-ignore = NNX1"], "extend_ignore", ("NNX1",)),
        (["ignore ="], "ignore", ()),
        (["disable-noqa = true"], "disable_noqa", True),
        (["disable_noqa = 1"], "disable_noqa", True),
        (["disable-noqa = no"], "disable_noqa", False),
        ([], "disable_noqa", False),
    ],
)
def test_values_are_read_as_flake8_reads_them(
    lines: list[str], attribute: str, value: object
) -> None:
    _written("setup.cfg", *lines)
    assert getattr(read_config(), attribute) == value


def test_excluded_paths_are_relative_to_the_file(directory: Path) -> None:
    _written("setup.cfg", "exclude = build/x, *.pyi", "extend-exclude = ./old")
    assert read_config().exclude == (f"{directory}/build/x", "*.pyi", f"{directory}/old")


def test_what_the_defaults_exclude_can_be_extended(directory: Path) -> None:
    _written("setup.cfg", "extend-exclude = old/x")
    config = read_config()
    assert len(config.exclude) == len(defaults.EXCLUDE) + 1
    assert config.exclude[-1] == f"{directory}/old/x"


@pytest.mark.parametrize(
    ("value", "path", "ignored"),
    [
        ("a.py: NNX101", "a.py", ("NNX101",)),
        ("a.py: NNX101", "./a.py", ("NNX101",)),
        ("./a.py: NNX101", "a.py", ("NNX101",)),
        ("a.py: NNX101", "sub/a.py", ("NNX101",)),
        ("a.py: NNX101", "b.py", ()),
        ("sub/*: NNX1", "sub/a.py", ("NNX1",)),
        ("sub/*: NNX1", "a.py", ()),
        ("a.*:NNX1,NNX2 b.py:NNX3", "a.py", ("NNX1", "NNX2")),
        ("a.py,b.py:NNX1", "b.py", ("NNX1",)),
        ("a.py:NNX1 a.*:NNX2", "a.py", ("NNX1",)),
        ("a.*:NNX2 a.py:NNX1", "a.py", ("NNX1",)),
        ("a.*:NNX2 a.py:NNX1", "a.pyi", ("NNX2",)),
        ("sub/a.py:NNX1 a.py:NNX2", "sub/a.py", ("NNX1",)),
        ("a.py:NNX1 b.py:NNX3 a.p*:NNX2", "a.py", ("NNX1",)),
    ],
)
def test_codes_are_ignored_in_the_files_that_a_pattern_names(
    value: str, path: str, ignored: tuple[str, ...]
) -> None:
    for spelling in ("per-file-ignores", "per_file_ignores"):
        _written("setup.cfg", f"{spelling} = {value}")
        assert read_config().ignored_in(path) == ignored


@pytest.mark.parametrize("value", ["a.py", "NNX101", "a.py:NNX101 b.py"])
def test_a_mapping_that_is_none_is_refused_with_a_remedy(value: str) -> None:
    _written("setup.cfg", f"per-file-ignores = {value}")
    with pytest.raises(SourceError, match=r"per-file-ignores.*; write `pattern: CODE,CODE`$"):
        read_config()


def test_a_missing_file_is_refused_with_its_name_and_a_remedy() -> None:
    with pytest.raises(SourceError, match=r"^nowhere\.cfg: .* exist.*; correct the file"):
        read_config("nowhere.cfg")


def test_a_file_in_another_encoding_is_refused() -> None:
    Path("other.cfg").write_bytes(b"[flake8]\nexclude = \xe9\n")
    with pytest.raises(SourceError, match=r"^other\.cfg: .*; correct the file"):
        read_config("other.cfg")


@pytest.mark.parametrize(
    "text",
    ["[flake8\nignore = E\n", "ignore = E\n", "[flake8]\nignore = E\nignore = F\n"],
    ids=["broken header", "no header", "option twice"],
)
def test_a_file_that_is_no_configuration_is_refused_with_its_name(text: str) -> None:
    Path("other.cfg").write_text(text, encoding="utf-8")
    with pytest.raises(SourceError, match=r"^other\.cfg"):
        read_config("other.cfg")


def test_a_value_that_is_neither_true_nor_false_is_refused_with_its_file() -> None:
    with pytest.raises(SourceError, match=r"maybe"):
        read_config(_written("other.cfg", "disable-noqa = maybe"))


NOISY_AT = f"noisy.py:{AT}: NNX101"
UNKNOWN_AT = f"unknown.py:{AT_CLASS}: NNX900"


@pytest.mark.parametrize(
    ("lines", "places"),
    [
        ([], [NOISY_AT]),
        (["ignore = NNX101"], []),
        (["extend-ignore = NNX"], []),
        (["select = NNX102"], []),
        (["select = E,NNX1"], [NOISY_AT]),
        (["select = NNX9"], [UNKNOWN_AT]),
        (["select = NNX101", "ignore = NNX"], [NOISY_AT]),
        (["select = NNX", "extend-ignore = NNX1"], []),
        (["select = NNX102", "extend-select = NNX9"], [UNKNOWN_AT]),
        (["per-file-ignores = noisy.py:NNX101"], []),
        (["per-file-ignores = unknown.py:NNX101"], [NOISY_AT]),
        (["exclude = noisy.py"], []),
        (["extend-exclude = no*.py"], []),
        (["nnx-rng-base = acme.Layer"], [NOISY_AT, f"unknown.py:{place(ENTROPY)}: NNX101"]),
        (["nnx-rng-sampler = acme.Layer", "extend-select = NNX9"], [NOISY_AT]),
        (["nnx-rng-base = acme.Layer", "select = NNX9"], []),
    ],
)
@pytest.mark.parametrize("named", [False, True], ids=["found", "named"])
def test_the_command_obeys_the_configuration(
    check: Run, directory: Path, lines: list[str], places: list[str], named: bool
) -> None:
    (directory / "noisy.py").write_text(NOISY, encoding="utf-8")
    (directory / "unknown.py").write_text(ENTROPY, encoding="utf-8")
    name = _written("other.cfg" if named else ".flake8", *lines)
    options = ["--config", name] if named else []
    assert check(*options, "noisy.py", "unknown.py").places == places


def test_comments_can_be_disabled_in_the_configuration(check: Run, directory: Path) -> None:
    text = NOISY.replace("0.0, {})", "0.0, {})  # noqa")
    (directory / "noisy.py").write_text(text, encoding="utf-8")
    assert check("noisy.py").places == []
    _written("setup.cfg", "disable-noqa = true")
    assert check("noisy.py").places == [NOISY_AT]


@pytest.mark.parametrize("lines", [["per-file-ignores = x"], None], ids=["broken", "missing"])
def test_a_configuration_that_cannot_be_read_is_status_2(
    check: Run, lines: list[str] | None
) -> None:
    if lines is not None:
        _written("other.cfg", *lines)
    done = check("--config", "other.cfg", ".")
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("nnx-rng: ")
    assert len(done.err.splitlines()) == 1
