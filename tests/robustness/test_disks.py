"""Disks that are full, processes that are killed, files that are not what they were or no files."""

from __future__ import annotations

import contextlib
import io
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from planning import NOISY, mend, noisy, wanted_by_default, write
from support import module

from flake8_nnx_rng.adapters.cli import main
from flake8_nnx_rng.codemod.applying import running
from flake8_nnx_rng.codemod.applying.fixing import Task
from flake8_nnx_rng.codemod.applying.running import Run
from flake8_nnx_rng.source import SourceError, read_bytes

pytestmark = pytest.mark.skipif(os.name != "posix", reason="has other limits and signals")

ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
COMMAND = (sys.executable, "-P", "-m", "flake8_nnx_rng")


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current directory, that of a project."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").touch()
    return tmp_path


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The command in this process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(arguments)
    said = (stream.getvalue().encode("utf-8", "backslashreplace").decode() for stream in (out, err))
    return subprocess.CompletedProcess(arguments, status, *said)


def run_apart(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The command in a process that may hang."""
    return subprocess.run(
        [*COMMAND, *arguments],
        capture_output=True,
        env=ENVIRONMENT,
        text=True,
        timeout=120,
        stdin=subprocess.DEVNULL,
    )


LIMITED = """
import resource, signal, sys
from flake8_nnx_rng.adapters import cli, fix
from planning import mend
fix.planner = mend
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
limit = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
sys.exit(cli.main(["fix", "--nnx-rng-no-cache", "-j1", "."]))
"""


@pytest.mark.parametrize("part", [0.0, 0.3, 0.9])
def test_a_disk_that_takes_only_a_part_of_a_file_leaves_the_old_one(
    directory: Path, part: float
) -> None:
    for name in ("a.py", "b.py"):
        write(directory, name, NOISY)
    limit = str(int(len(NOISY) * part))
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, limit], capture_output=True, env=ENVIRONMENT, text=True
    )
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        f"nnx-rng: ./{name}.py: cannot be written: File too large; it is as it was" for name in "ab"
    ]
    assert {path.read_text("utf-8") for path in directory.glob("*.py")} == {NOISY}
    assert sorted(os.listdir(directory)) == ["a.py", "b.py", "pyproject.toml"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="has no device that is always full")
@pytest.mark.parametrize("command", ["check", "fix --check", "fix --diff", "explain NNX101"])
def test_an_output_that_takes_nothing_is_said(directory: Path, command: str) -> None:
    paths = [] if "explain" in command else ["a.py"]
    write(directory, "a.py", NOISY)
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*COMMAND, *command.split(), *paths],
            stdout=full,
            stderr=subprocess.PIPE,
            env=ENVIRONMENT,
            text=True,
        )
    assert done.returncode == 2
    (said,) = (line for line in done.stderr.splitlines() if line.startswith("nnx-rng: "))
    assert said.startswith("nnx-rng: No space left on device; check ")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["check a.py", "fix --diff a.py", "check -", "fix -"])
def test_streams_that_are_closed_are_no_error(directory: Path, command: str) -> None:
    write(directory, "a.py", NOISY)
    shell = f'exec "$0" "$@" {command} <&- >&- 2>&-'
    done = subprocess.run(["sh", "-c", shell, *COMMAND], env=ENVIRONMENT)
    assert done.returncode == (0 if command.endswith("-") else 1)


def test_a_current_directory_that_is_gone_is_said(directory: Path) -> None:
    (directory / "gone").mkdir()
    shell = 'cd gone && rmdir ../gone && exec "$0" "$@" check .'
    done = subprocess.run(
        ["sh", "-c", shell, *COMMAND], env=ENVIRONMENT, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("nnx-rng: No such file or directory; check the current directory")


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(path.name)


def _link(target: str) -> Callable[[Path], None]:
    return lambda path: path.symlink_to(target)


NO_FILE = "is not a regular file; name one, or - for standard input"
UNREADABLE = "; check the path and its permissions"
NO_FILES: dict[str, tuple[Callable[[Path], None], str]] = {
    "a pipe": (_pipe, NO_FILE),
    "a socket": (_socket, NO_FILE),
    "a device without end": (_link("/dev/zero"), NO_FILE),
    "a directory": (Path.mkdir, ""),
    "a link to nothing": (_link("nowhere"), f"No such file or directory{UNREADABLE}"),
    "a link to itself": (_link("odd.py"), f"Too many levels of symbolic links{UNREADABLE}"),
    "links in a circle": (_link("circle/odd.py"), f"Too many levels of symbolic links{UNREADABLE}"),
}


@pytest.mark.parametrize("command", ["check", "fix"])
@pytest.mark.parametrize("kind", NO_FILES)
def test_what_is_no_file_is_said_and_hides_nothing(
    directory: Path, command: str, kind: str
) -> None:
    make, message = NO_FILES[kind]
    (directory / "circle").symlink_to("circle")
    make(directory / "odd.py")
    write(directory, "broken.py", "# nnx_ppo\ndef f(:\n")
    start = run_apart if NO_FILE in message else run
    done = start(command, ".")
    assert done.returncode == 2
    errors = done.stderr.splitlines()
    assert errors[0].startswith("nnx-rng: ./broken.py:2: syntax error: ")
    assert len(errors) == 1 + bool(message)
    assert all(line.startswith("nnx-rng: ./odd.py: ") for line in errors[1:])
    assert errors[-1].endswith(message)
    named = start(command, "odd.py")  # the same without a directory to look through
    assert named.returncode == (2 if message else 0)
    assert "Traceback" not in named.stderr


@pytest.mark.parametrize("command", ["check", "fix"])
@pytest.mark.parametrize("name", ["a" * 300, "a" * 5000, "b/" * 2500 + "a.py"])
def test_a_path_that_is_too_long_is_said(command: str, name: str) -> None:
    done = run(command, name)
    assert done.returncode == 2
    assert done.stderr == f"nnx-rng: {name}: no such file or directory; check the path\n"


@pytest.mark.parametrize(
    "name", ["a\nb.py", "a\x1b[31m.py", "乱😀.py", "a\udcff.py", " .py", "-.py"]
)
def test_a_file_of_any_name_is_fixed_and_its_name_is_shown_in_one_line(
    directory: Path, name: str
) -> None:
    write(directory, name, NOISY)
    found = run("check", "--format", "short", ".")
    assert (found.returncode, len(found.stdout.splitlines())) == (1, 1)
    assert found.stdout[:-1].isprintable()
    assert found.stderr == ""
    fixed = run("fix", ".")
    assert (fixed.returncode, fixed.stderr) == (0, "")
    assert len(fixed.stdout.splitlines()) == 2
    assert run("check", ".").returncode == 0


def test_a_file_in_a_deep_directory_is_fixed(directory: Path) -> None:
    path = Path(*["d" * 200] * 15, "a.py")
    write(directory, str(path), NOISY)
    assert run("fix", ".").returncode == 0
    assert (directory / path).read_text("utf-8") != NOISY


AS_ANOTHER = """
import os, sys
from flake8_nnx_rng.adapters.cli import main
import flake8_nnx_rng.codemod.applying.running, flake8_nnx_rng.adapters.verdicts
import flake8_nnx_rng.codemod.planning.plan
if os.geteuid() == 0:
    os.setgid(65534), os.setuid(65534)
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("command", ["check", "fix"])
def test_a_file_or_directory_that_may_not_be_read_is_said(
    command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with tempfile.TemporaryDirectory() as place:  # pytest closes its own to other users
        monkeypatch.chdir(place)
        os.chmod(place, 0o755)
        for name in ("a.py", "closed/b.py"):
            write(Path(place), name, NOISY).chmod(0)
        os.chmod("closed", 0)
        command_line = [sys.executable, "-c", AS_ANOTHER, command, "--nnx-rng-no-cache"]
        done = subprocess.run(
            [*command_line, "a.py", "closed/b.py"],
            capture_output=True,
            env=ENVIRONMENT,
            text=True,
        )
        os.chmod("closed", 0o755)
        monkeypatch.undo()
    assert done.returncode == 2
    assert sorted(done.stderr.splitlines()) == [
        "nnx-rng: a.py: cannot be read: Permission denied; check the path and its permissions",
        "nnx-rng: closed/b.py: no such file or directory; check the path",
    ]


@pytest.mark.parametrize("then", [b"", b"\x00\xff", NOISY.encode()[:-9], None])
def test_a_file_that_changes_or_vanishes_while_it_is_planned_is_left(
    directory: Path, monkeypatch: pytest.MonkeyPatch, then: bytes | None
) -> None:
    first = write(directory, "a.py", NOISY)
    write(directory, "b.py", NOISY)

    def read(path: Path, name: str) -> bytes:
        data = read_bytes(path, name)
        if path.name == first.name:
            first.unlink()
            if then is not None:
                first.write_bytes(then)
        return data

    monkeypatch.setattr(running, "read_bytes", read)
    outcomes = list(Run(Task(mend, wanted_by_default)).over(["a.py", "b.py"]))
    assert [bool(outcome.error) for outcome in outcomes] == [True, False]
    said = "has changed meanwhile; run again" if then is not None else "cannot be written: "
    assert outcomes[0].error.startswith(f"a.py: {said}")
    assert (first.read_bytes() if first.exists() else None) == then
    assert len(outcomes[1].fixed) == 1


def test_files_that_come_and_go_while_they_are_read_are_errors_or_findings(directory: Path) -> None:
    """Another process writes, cuts, removes and makes a directory of what is read."""
    text = module(noisy("A", "B"))
    stirring = subprocess.Popen([sys.executable, "-c", STIRRING, text], cwd=directory)
    try:
        end = time.monotonic() + 2
        while time.monotonic() < end:
            try:
                data = read_bytes(directory / "a.py", "a.py")
            except SourceError as error:
                assert str(error).startswith("a.py: ")
                continue
            assert text.encode().startswith(data)
            outcome = running.planned(Task(mend, wanted_by_default), {}, "a.py")
            assert "internal error" not in outcome.error, outcome.error
    finally:
        stirring.kill()
        stirring.wait()


STIRRING = """
import random, os, pathlib, sys
path, text = pathlib.Path("a.py"), sys.argv[1]
while True:
    kind = random.randrange(4)
    if path.is_dir():
        path.rmdir()
    elif kind == 0:
        path.unlink(missing_ok=True)
    elif kind == 1:
        path.unlink(missing_ok=True)
        path.mkdir()
    else:
        path.write_text(text[:random.randrange(len(text))] if kind == 2 else text)
"""
