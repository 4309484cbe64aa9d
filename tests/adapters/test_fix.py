"""`nnx-rng fix`: what it writes, what it says and its exit status."""

from __future__ import annotations

import codecs
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from planning import DRAW, MENDED, NOISY, SOUND, dies, mend, mend_with_bases, noisy, write
from support import module

from flake8_nnx_rng.adapters.cli import main
from flake8_nnx_rng.adapters.status import CLEAN, FAILED, FOUND, INTERRUPTED
from flake8_nnx_rng.codemod.applying import running
from flake8_nnx_rng.codemod.applying.outcome import Change

from .conftest import Run

PLANNER = "flake8_nnx_rng.adapters.fix.planner"
LINE = NOISY[: NOISY.index("class Noisy")].count("\n") + 1
_TAIL = NOISY[NOISY.rindex("        self.rngs = rngs") :]
DIFF = "--- a.py\n+++ a.py\n" + "".join(
    [
        f"@@ -{LINE + 2},4 +{LINE + 2},4 @@\n",
        *(f" {line}" for line in _TAIL.splitlines(keepends=True)[:-1]),
        *(f"{sign}{text.splitlines()[-1]}\n" for sign, text in (("-", NOISY), ("+", SOUND))),
    ]
)

BASE = """
class Base(StatefulModule):
    def __init__(self, rngs):
        self.rngs = rngs

    def noise(self, x):
        return self.rngs.normal(x.shape)
"""
SUB = """

class Sub(Base):
    def __call__(self, state, x, rollout_extras=None):
        return StatefulModuleOutput(state, x + self.noise(x), 0.0, {})
"""


@pytest.fixture(autouse=True)
def planner(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PLANNER, mend)


def _text(name: str) -> str:
    return Path(name).read_bytes().decode()


def test_everything_that_is_found_is_fixed(run: Run, directory: Path) -> None:
    write(directory, "a.py", NOISY)
    write(directory, "b.py", SOUND)
    done = run("fix", ".")
    expected = f"./a.py:{LINE}: Noisy: fixed NNX101\nfixed 1 class in 1 file, left 0\n"
    assert (done.status, done.out, done.err) == (CLEAN, expected, "")
    assert (_text("a.py"), _text("b.py")) == (SOUND, SOUND)


def test_nothing_to_fix_changes_nothing(run: Run, directory: Path) -> None:
    path = write(directory, "a.py", SOUND)
    os.utime(path, (1, 1))
    done = run("fix", "a.py")
    assert (done.status, done.out, done.err) == (CLEAN, "nothing to fix\n", "")
    assert path.stat().st_mtime == 1


def test_what_is_left_is_said_with_the_reason(run: Run, directory: Path) -> None:
    write(directory, "a.py", module(noisy("UnsafeOne", "Hopeless", "Noisy")))
    done = run("fix", "a.py")
    assert done.status == FOUND
    assert done.out.splitlines() == [
        f"a.py:{LINE}: UnsafeOne: left NNX101: the carry changes "
        "(unsafe: --unsafe-fixes applies it)",
        f"a.py:{LINE + 8}: Hopeless: left NNX101: noise of weights is shared",
        f"a.py:{LINE + 16}: Noisy: fixed NNX101",
        "fixed 1 class in 1 file, left 2",
    ]
    assert run("fix", "--unsafe-fixes", "a.py").out.splitlines() == [
        f"a.py:{LINE}: UnsafeOne: fixed NNX101",
        f"a.py:{LINE + 8}: Hopeless: left NNX101: noise of weights is shared",
        "fixed 1 class in 1 file, left 1",
    ]
    assert run("check", "a.py").status == FOUND


def test_a_diff_is_printed_and_nothing_written(run: Run, directory: Path) -> None:
    write(directory, "a.py", NOISY)
    done = run("fix", "--diff", "a.py")
    assert (done.status, done.out) == (FOUND, DIFF)
    assert done.err == (
        f"a.py:{LINE}: Noisy: would fix NNX101\nwould fix 1 class in 1 file, left 0\n"
    )
    assert _text("a.py") == NOISY


def test_a_check_says_what_would_change_and_writes_nothing(run: Run, directory: Path) -> None:
    write(directory, "a.py", NOISY)
    done = run("fix", "--check", "a.py")
    expected = f"a.py:{LINE}: Noisy: would fix NNX101\nwould fix 1 class in 1 file, left 0\n"
    assert (done.status, done.out, done.err) == (FOUND, expected, "")
    assert _text("a.py") == NOISY
    write(directory, "a.py", SOUND)
    for option in ("--check", "--diff"):
        assert run("fix", option, "a.py").status == CLEAN


def test_the_diff_of_a_tree_is_what_patch_makes_the_same_tree_of(
    directory: Path,
) -> None:
    """In every encoding, with every newline."""
    encoded = {
        "latin.py": b"# coding: latin-1\n# \xe9\n" + NOISY.encode(),
        "crlf.py": codecs.BOM_UTF8 + NOISY.replace("\n", "\r\n").encode(),
        "short.py": NOISY.rstrip("\n").encode(),
        "base.py": b"# base",
    }
    for place in ("old", "new"):
        for name, data in encoded.items():
            write(directory, f"{place}/{name}", "").write_bytes(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PLANNER, mend_with_bases)
        patch.chdir(directory / "old")
        command = ["git", "apply", "-p0", "--whitespace=nowarn", "-"]
        stdout = io.TextIOWrapper(io.BytesIO())
        patch.setattr(sys, "stdout", stdout)
        assert main(["fix", "--diff", "latin.py", "crlf.py", "short.py"]) == FOUND
        stdout.flush()
        diff = stdout.buffer.getvalue()
        subprocess.run(command, input=diff, check=True)
        patch.chdir(directory / "new")
        assert main(["fix", "latin.py", "crlf.py", "short.py"]) == CLEAN
    for name in encoded:
        new = (directory / "new" / name).read_bytes()
        assert (directory / "old" / name).read_bytes() == new != encoded[name]


@pytest.mark.parametrize(
    "options",
    [["--ignore", "NNX101"], ["--select", "NNX2"], ["--exclude", "a.py"], ["--ignore", "NNX"]],
)
def test_what_is_not_wanted_is_not_fixed(run: Run, directory: Path, options: list[str]) -> None:
    write(directory, "a.py", NOISY)
    done = run("fix", *options, "a.py")
    assert (done.status, done.out) == (CLEAN, "nothing to fix\n")
    assert _text("a.py") == NOISY


@pytest.mark.parametrize("exclude", ["base.py", "layers", "layers/*"])
def test_what_must_change_with_an_excluded_file_is_left(
    run: Run, directory: Path, monkeypatch: pytest.MonkeyPatch, exclude: str
) -> None:
    from flake8_nnx_rng.codemod.planning import plan

    monkeypatch.setattr("flake8_nnx_rng.adapters.fix.planner", plan.proposals)
    write(directory, "pyproject.toml", "")
    (directory / "layers").mkdir()
    write(directory, "layers/base.py", module(BASE))
    write(directory, "one.py", module("from layers.base import Base" + SUB))
    done = run("fix", "--unsafe-fixes", "--exclude", exclude, ".")
    assert done.status == FOUND
    assert "NNX101: layers/base.py must change with it, and is excluded" in done.out
    assert run("fix", "--unsafe-fixes", ".").status == CLEAN
    assert "def noise(self, key, x):" in _text("layers/base.py")


def test_the_configuration_counts(run: Run, directory: Path) -> None:
    write(directory, "setup.cfg", "[flake8]\nper-file-ignores =\n  a.py: NNX101\n")
    write(directory, "a.py", NOISY)
    assert run("fix", "a.py").out == "nothing to fix\n"
    write(directory, "setup.cfg", "[flake8]\nnnx-rng-base = acme.Layer\n")
    text = "import acme\n" + module(noisy("Noisy", base="acme.Layer"))
    write(directory, "a.py", text)
    assert run("fix", "a.py").status == CLEAN
    assert _text("a.py") == text.replace(DRAW, MENDED)
    assert run("fix", "--config", "none.cfg", "a.py").status == FAILED


def test_a_base_named_on_the_command_line_counts(run: Run, directory: Path) -> None:
    text = "import acme\n" + module(noisy("Noisy", base="acme.Layer"))
    write(directory, "a.py", text)
    assert run("fix", "a.py").out == "nothing to fix\n"
    assert run("fix", "--nnx-rng-base", "acme.Layer", "a.py").status == CLEAN
    assert _text("a.py") == text.replace(DRAW, MENDED)


def test_a_class_whose_findings_are_all_silenced_is_not_rewritten(
    run: Run, directory: Path
) -> None:
    silenced = noisy("Quiet").replace("0.0, {})", "0.0, {})  # noqa: NNX101")
    write(directory, "a.py", module(silenced + "\n\n" + noisy("Noisy")))
    done = run("fix", "a.py")
    assert (done.status, done.out.splitlines()[-1]) == (CLEAN, "fixed 1 class in 1 file, left 0")
    assert _text("a.py") == module(silenced + "\n\n" + noisy("Noisy", draw=MENDED))


def test_what_cannot_be_done_is_status_2_and_the_rest_is_done(run: Run, directory: Path) -> None:
    write(directory, "a.py", NOISY)
    write(directory, "broken.py", "# nnx_ppo\ndef f(:\n")
    write(directory, "locked.py", NOISY).chmod(0o444)
    done = run("fix", "a.py", "broken.py", "locked.py", "none.py")
    assert done.status == FAILED
    missing, broken, locked = done.err.splitlines()
    assert missing == "nnx-rng: none.py: no such file or directory; check the path"
    assert broken.startswith("nnx-rng: broken.py:2: syntax error: ")
    assert locked == "nnx-rng: locked.py: is read-only; it is as it was; make it writable"
    assert (_text("a.py"), _text("locked.py")) == (SOUND, NOISY)
    assert sorted(os.listdir(directory)) == ["a.py", "broken.py", "locked.py"]


def test_a_read_only_file_can_be_looked_at(run: Run, directory: Path) -> None:
    write(directory, "a.py", NOISY).chmod(0o444)
    assert run("fix", "--check", "a.py").status == FOUND


def test_a_file_under_two_names_is_fixed_once(run: Run, directory: Path) -> None:
    write(directory, "a.py", NOISY)
    (directory / "b.py").symlink_to("a.py")
    done = run("fix", "a.py", "b.py", "./a.py")
    assert (done.status, done.out.splitlines()[-1]) == (CLEAN, "fixed 1 class in 1 file, left 0")
    assert (directory / "b.py").is_symlink()
    assert _text("a.py") == SOUND


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_tree_is_fixed_by_any_number_of_processes(run: Run, directory: Path, jobs: str) -> None:
    for number in range(10):
        write(directory, f"package/inner/file{number}.py", NOISY)
    done = run("fix", "--jobs", jobs, "package")
    assert (done.status, done.err) == (CLEAN, "")
    assert done.out.splitlines()[-1] == "fixed 10 classes in 10 files, left 0"
    assert {path.read_text("utf-8") for path in directory.rglob("*.py")} == {SOUND}


def test_a_process_that_dies_is_status_2(
    run: Run, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PLANNER, dies)
    for number in range(10):
        write(directory, f"file{number:02}.py", NOISY)
    done = run("fix", "-j2", *sorted(os.listdir(directory)))
    assert done.status == FAILED
    assert "nnx-rng: file07.py: a process died; run again with --jobs 1" in done.err.splitlines()


def test_standard_input_comes_out_fixed(run: Run) -> None:
    done = run("fix", "-", stdin=NOISY.encode())
    assert (done.status, done.out) == (CLEAN, SOUND)
    assert done.err == f"stdin:{LINE}: Noisy: fixed NNX101\nfixed 1 class in 1 file, left 0\n"


def test_standard_input_keeps_its_bytes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Encoding, byte order mark and newlines are those that came in."""
    latin = b"# coding: latin-1\r\n# \xe9\r\n" + NOISY.encode()
    for data in (latin, codecs.BOM_UTF8 + NOISY.replace("\n", "\r\n").encode()):
        stdout = io.TextIOWrapper(io.BytesIO())
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        monkeypatch.setattr(sys, "stdout", stdout)
        assert main(["fix", "-"]) == CLEAN
        fixed = stdout.buffer.getvalue()
        assert fixed == data.replace(DRAW.encode(), MENDED.encode())


@pytest.mark.parametrize(
    ("data", "status"),
    [(SOUND, CLEAN), (module(noisy("Hopeless")), FOUND), ("# nnx_ppo\ndef f(:\n", FAILED)],
)
def test_standard_input_that_cannot_be_fixed_comes_out_as_it_went_in(
    run: Run, data: str, status: int
) -> None:
    done = run("fix", "-", stdin=data.encode())
    assert (done.status, done.out) == (status, data)


def test_standard_input_can_be_looked_at(run: Run) -> None:
    named = ("--stdin-display-name", "a.py", "-")
    done = run("fix", "--diff", *named, stdin=NOISY.encode())
    assert (done.status, done.out) == (FOUND, DIFF)
    done = run("fix", "--check", *named, stdin=NOISY.encode())
    assert (done.status, done.out) == (FOUND, "")
    done = run("fix", "--exclude", "a.py", *named, stdin=NOISY.encode())
    assert (done.status, done.out) == (CLEAN, NOISY)


def test_standard_input_stands_alone(
    run: Run, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PLANNER, mend_with_bases)
    base = write(directory, "base.py", "# base\n")
    done = run("fix", "-", stdin=NOISY.encode())
    assert (done.status, done.out) == (FOUND, NOISY)
    assert "other files must change with it; name the files to nnx-rng fix" in done.err
    assert base.read_text("utf-8") == "# base\n"
    done = run("fix", "-", "base.py", stdin=NOISY.encode())
    assert (done.status, done.out) == (FAILED, "")


def test_an_interrupt_says_what_is_done(
    run: Run, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from flake8_nnx_rng.codemod.applying.writing import write as real

    def interrupted(changes: tuple[Change, ...]) -> None:
        if changes[0].name == "b.py":
            raise KeyboardInterrupt
        real(changes)

    monkeypatch.setattr(running, "write", interrupted)
    for name in ("a.py", "b.py", "c.py"):
        write(directory, name, NOISY)
    done = run("fix", "a.py", "b.py", "c.py")
    assert done.status == INTERRUPTED
    assert done.out == f"a.py:{LINE}: Noisy: fixed NNX101\nfixed 1 class in 1 file, left 0\n"
    assert [_text(name) for name in ("a.py", "b.py", "c.py")] == [SOUND, NOISY, NOISY]


@pytest.mark.parametrize("jobs", ["0", "-1", "many"])
def test_a_number_of_processes_is_positive(run: Run, jobs: str) -> None:
    done = run("fix", "--jobs", jobs, "a.py")
    assert (done.status, done.out) == (FAILED, "")
    assert "argument -j/--jobs: invalid" in done.err


def test_the_exit_statuses_are_documented(run: Run) -> None:
    out = " ".join(run("fix", "--help").out.split())
    assert "Exit status: 0 nothing to fix is left; 1 something is left, or would be changed" in out


def test_a_terminal_shows_how_far_it_is(
    run: Run, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(directory, "a.py", NOISY)
    write(directory, "b.py", SOUND)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    done = run("fix", "-j1", "a.py", "b.py")
    assert [part.strip() for part in done.err.split("\r\x1b[K")] == [
        "",
        f"[{' ' * 30}] 0/2",
        f"[{'#' * 15}{' ' * 15}] 1/2",
        "",
        "",
    ]


LOADED = """
import sys
from flake8_nnx_rng.adapters.cli import main
main(sys.argv[1:])
print(*sys.modules)
"""


def _loaded(*arguments: str) -> set[str]:
    command = [sys.executable, "-c", LOADED, *arguments]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    return set(done.stdout.split())


def test_linting_loads_nothing_of_the_codemod(directory: Path) -> None:
    write(directory, "a.py", NOISY)
    loaded = {name for name in _loaded("check", "a.py") if "codemod" in name}
    assert not loaded
    assert "multiprocessing" not in _loaded("check", "a.py")


def test_fixing_loads_libcst_only_for_a_file_that_matters_and_never_its_codemods(
    directory: Path,
) -> None:
    write(directory, "a.py", "import os\nclass A(B): ...\n")
    assert "libcst" not in _loaded("fix", "a.py")
    write(directory, "a.py", NOISY)
    loaded = _loaded("fix", "a.py")
    assert "libcst" in loaded
    assert not {"libcst.matchers", "libcst.codemod"} & loaded


def test_the_planner_is_the_codemod_s(directory: Path) -> None:
    """Whatever it proposes for a class with a finding, the class is accounted for."""
    write(directory, "a.py", NOISY)
    command = [sys.executable, "-m", "flake8_nnx_rng", "fix", "--check", "a.py"]
    done = subprocess.run(command, capture_output=True, check=False, text=True)
    assert (done.returncode, done.stderr) == (FOUND, "")
    assert "NNX101" in done.stdout
    assert _text("a.py") == NOISY
