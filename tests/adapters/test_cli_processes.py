"""The command as a process: broken pipes, encodings and `python -m`."""

from __future__ import annotations

import importlib
import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from flake8_nnx_rng.adapters.cli import CLEAN, FAILED, FOUND, main

from .samples import AT, NOISY

COMMAND = (sys.executable, "-m", "flake8_nnx_rng")


def _with_locale(encoding: str) -> dict[str, str]:
    return {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "utf-8"])
def test_an_output_that_cannot_show_a_character_does_not_stop_the_command(
    directory: Path, encoding: str
) -> None:
    text = NOISY.replace("        return", "        # 乱 é\n        return")
    (directory / "noisy.py").write_text(text, encoding="utf-8")
    done = subprocess.run(
        [*COMMAND, "check", "noisy.py"],
        capture_output=True,
        env=_with_locale(encoding),
        check=False,
    )
    assert (done.returncode, done.stderr) == (FOUND, b"")
    shown = done.stdout.decode(encoding)
    assert ("乱 é" in shown) is (encoding == "utf-8")
    assert ("\\u4e71" in shown) is (encoding != "utf-8")


def test_a_reader_that_has_seen_enough_ends_the_command_quietly(directory: Path) -> None:
    for number in range(30):
        (directory / f"noisy{number}.py").write_text(NOISY, encoding="utf-8")
    command = [*COMMAND, "check", "--color", "never", "."]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        errors = process.stderr.read()
        status = process.wait()
    assert (status, errors) == (FOUND, b"")


def test_the_first_line_reaches_head(directory: Path) -> None:
    (directory / "noisy.py").write_text(NOISY, encoding="utf-8")
    checking = subprocess.Popen(
        [*COMMAND, "check", "noisy.py"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    head = subprocess.run(["head", "-1"], stdin=checking.stdout, capture_output=True, check=True)
    _, errors = checking.communicate()
    assert head.stdout.decode().startswith(f"noisy.py:{AT}: NNX101 ")
    assert errors == b""


LOADED = """
import sys
from flake8_nnx_rng.adapters.cli import main
main(["check", "a.py"])
print(*sys.modules)
"""


def test_the_command_loads_libcst_only_for_a_file_that_matters(directory: Path) -> None:
    for text, matters in ((NOISY, True), ("import os\nclass A(B): ...\n", False)):
        (directory / "a.py").write_text(text, encoding="utf-8")
        command = [sys.executable, "-c", LOADED]
        done = subprocess.run(command, capture_output=True, check=True)
        assert (b"libcst" in done.stdout.split()) is matters


def test_importing_the_main_module_runs_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    sys.modules.pop("flake8_nnx_rng.__main__", None)
    importlib.import_module("flake8_nnx_rng.__main__")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("text", "status"), [("", CLEAN), (NOISY, FOUND), ("# nnx_ppo\nx = (", FAILED)]
)
def test_running_the_package_is_running_the_command(
    directory: Path, monkeypatch: pytest.MonkeyPatch, text: str, status: int
) -> None:
    (directory / "a.py").write_text(text, encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["nnx-rng", "check", "a.py"])
    monkeypatch.delitem(sys.modules, "flake8_nnx_rng.__main__", raising=False)
    with pytest.raises(SystemExit) as caught:
        runpy.run_module("flake8_nnx_rng", run_name="__main__")
    assert caught.value.code == status
    done = subprocess.run([*COMMAND, "check", "a.py"], capture_output=True, check=False)
    assert done.returncode == status


def test_a_broken_pipe_in_this_process_leaves_standard_output_closed(
    directory: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def hang_up(*_: object, **__: object) -> None:
        raise BrokenPipeError

    (directory / "noisy.py").write_text(NOISY, encoding="utf-8")
    monkeypatch.setattr("flake8_nnx_rng.adapters.check.one_line", hang_up)
    saved = os.dup(1)
    try:
        assert main(["check", "--format", "short", "noisy.py"]) == FOUND
        os.write(1, b"nobody reads this")
    finally:
        os.dup2(saved, 1)
        os.close(saved)
    assert capfd.readouterr() == ("", "")


def test_a_stream_that_cannot_be_reconfigured_is_used_as_it_is(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Plain:
        def __init__(self) -> None:
            self.text = ""

        def write(self, text: str) -> None:
            self.text += text

        def flush(self) -> None:
            self.text += "<flushed>"

        def isatty(self) -> bool:
            return False

    stream = Plain()
    monkeypatch.setattr(sys, "stdout", stream)
    assert main(["check", "."]) == CLEAN
    assert stream.text == "no findings in 0 files\n<flushed>"
