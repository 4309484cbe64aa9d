"""Code and configuration of someone else: read, never run, and never a way to other files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path

import pytest
from codemod.rewriting import HELPER
from planning import DRAW, NOISY, write
from support import module

from flake8_nnx_rng.adapters.status import CLEAN, FAILED, FOUND
from flake8_nnx_rng.cache import SUFFIX

pytestmark = pytest.mark.slow


def thorough(*values: object) -> list[object]:
    """Parameters that CI has no time for: they go the same way as others."""
    return [pytest.param(value, marks=pytest.mark.thorough) for value in values]


def some_of(every: Iterable[str], *quick: str) -> list[object]:
    """The names of cases, most of them thorough."""
    return [*quick, *thorough(*(name for name in every if name not in quick))]


NEEDS_LINKS = pytest.mark.skipif(os.name != "posix", reason="links are for everybody on POSIX only")
TRACE = "open({!r}, 'a').write('run')\n"
MODULES = 10
IMPORTED = ("multiprocessing", "signal", "struct", "libcst", "flake8_nnx_rng", "conftest", "setup")
"""Modules that something may look for in the current directory."""

HOSTILE = module("""
    {trace}
    class Meta(type):
        def __init__(cls, *_, **__):
            {trace}

    def decorated(function):
        {trace}
        return function

    class Base(StatefulModule):
        def __init_subclass__(cls):
            {trace}

        def __getattr__(self, name):
            {trace}

    @decorated
    class Noisy(Base, metaclass=Meta):
        field: [{trace}] = lambda: {trace}

        @decorated
        def __init__(self, rngs: nnx.Rngs):
            self.rngs = rngs

        def initialize_state(self, batch_size):
            return ()

        def __call__(self, state, x, rollout_extras={trace}):
            {trace}
            return StatefulModuleOutput(state, x + self.rngs.normal(x.shape), 0.0, {{}})
""")

WATCHED = """
import json, os, sys
heard = []
def hear(event, arguments):
    if event in ("import", "exec", "compile", "subprocess.Popen", "os.system", "os.exec") or (
        event.startswith(("socket.", "ctypes.dlopen"))
    ):
        heard.append([event, [str(one) for one in arguments]])
    writes = event == "open" and (arguments[2] or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
    if writes and not isinstance(arguments[0], int):
        heard.append([event, [os.path.abspath(str(arguments[0]))]])
FACE, here, out = sys.argv[1], os.getcwd(), open(os.environ["HEARD"], "w")
from flake8_nnx_rng.adapters import cli
if FACE == "flake8":
    from flake8.main.cli import main
    run = lambda: main(["--isolated", "--select=NNX", "-j1", *sys.argv[2:]])
elif FACE == "tool":
    from libcst.tool import main
    options = ["codemod", "-x", "flake8_nnx_rng.Fix", "--no-format", "-j1"]
    run = lambda: main("libcst.tool", [*options, *sys.argv[2:]])
else:
    run = lambda: cli.main([*FACE.split(), *sys.argv[2:]])
sys.addaudithook(hear)
status = run()
loaded = [str(getattr(one, "__file__", None)) for one in [*sys.modules.values()]]
result = {"status": status, "heard": heard, "loaded": [f for f in loaded if f.startswith(here)]}
json.dump(result, out)
"""


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The tree that someone else has written, which is the current directory."""
    tree = tmp_path / "tree"
    tree.mkdir()
    monkeypatch.chdir(tree)
    (tree / "pyproject.toml").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    places = [path for path in sys.path if path]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(places))
    return tree


def script(name: str) -> list[str]:
    """An installed command, which does not import from the current directory."""
    start = f"import sys; from {name} import main; sys.exit(main())"
    return [sys.executable, "-P", "-c", start]


NNX_RNG = script("flake8_nnx_rng.adapters.cli")
FLAKE8 = script("flake8.main.cli")


def planted(directory: Path) -> Path:
    """Fills a tree with code that leaves a trace if anything runs it; where the trace would be."""
    trace = directory.parent / "trace"
    line = TRACE.format(str(trace)).strip()
    for number in range(MODULES):
        write(directory, f"m{number:02}.py", HOSTILE.format(trace=line))
    for name in IMPORTED:
        write(directory, f"{name}.py", line + "\n")
    write(directory, "sitecustomize.py", line + "\n")
    write(directory, "evil.pth", f"import os; {line}\n")
    write(directory, "encodings/evil.py", line + "\n")
    write(directory, "evil.py", f"{line}\ndef getregentry(): pass\n")
    write(directory, "cookie.py", "# -*- coding: evil -*-\n" + HOSTILE.format(trace=line))
    write(directory, "dotted.py", "# -*- coding: evil.sub -*-\n")
    return trace


@pytest.mark.parametrize("command", ["check", "fix -j2", *thorough("fix --check -j2", "fix -j1")])
def test_nothing_that_is_read_is_run(directory: Path, command: str) -> None:
    trace = planted(directory)
    done = subprocess.run(
        [*NNX_RNG, *command.split(), "--unsafe-fixes", "."]
        if "fix" in command
        else [*NNX_RNG, command, "."],
        capture_output=True,
        text=True,
    )
    assert done.returncode == FAILED  # there are files in an encoding that is none
    assert done.stderr.count("wrong encoding: unknown encoding") == 2, done.stderr
    assert done.stderr.count("\n") == 2
    assert f"m{MODULES - 1:02}.py" in done.stdout
    assert not trace.exists()


@pytest.mark.parametrize("face", ["flake8", "check", "fix --diff", "fix -j1", "tool"])
def test_a_face_imports_compiles_and_opens_nothing_of_the_tree_but_to_read(
    directory: Path, face: str
) -> None:
    trace = planted(directory)
    heard = directory.parent / "heard"
    done = subprocess.run(
        [sys.executable, "-P", "-c", WATCHED, face, "m00.py", "m01.py"],
        capture_output=True,
        text=True,
        env={**os.environ, "HEARD": str(heard)},
        timeout=300,
    )
    said = heard.read_text("utf-8")
    assert said, done.stderr
    result = json.loads(said)
    assert not trace.exists()
    assert result["loaded"] == []
    events = [(event, arguments) for event, arguments in result["heard"]]
    assert [
        event for event in events if event[0] not in ("import", "exec", "compile", "open")
    ] == []
    of_tree = [
        (event, arguments)
        for event, arguments in events
        if event in ("import", "exec") and any(str(directory) in one for one in arguments)
    ]
    assert of_tree == []
    opened = {arguments[0] for event, arguments in events if event == "open"}
    allowed = (str(directory.parent / "cache"), os.devnull)
    rewrites = () if face in ("flake8", "check", "fix --diff") else (str(directory),)
    assert [path for path in opened if not path.startswith((*allowed, *rewrites, PYCACHE))] == []


PYCACHE = str(Path(sysconfig.get_paths()["stdlib"]).parents[1])
"""Where interpreters keep what they compile of their own modules."""


def test_a_plugin_that_the_tree_names_for_flake8_is_not_loaded_by_the_command(
    directory: Path,
) -> None:
    trace = planted(directory)
    write(directory, ".flake8", "[flake8:local-plugins]\nextension = X = evil:Checker\npaths = .\n")
    done = subprocess.run([*NNX_RNG, "check", "m00.py"], capture_output=True, text=True)
    assert done.returncode == FOUND
    assert not trace.exists()


OUT = ["./link/out", *thorough("../out", "{parent}/out", "./link", "./a/../../out")]


@NEEDS_LINKS
@pytest.mark.parametrize("place", OUT)
@pytest.mark.parametrize("command", [FLAKE8, [*NNX_RNG, "check"], [*NNX_RNG, "fix", "--check"]])
def test_a_configuration_cannot_put_the_cache_outside_of_its_directory(
    directory: Path, command: list[str], place: str
) -> None:
    parent = directory.parent
    (directory / "link").symlink_to(parent)
    write(directory, "a.py", NOISY)
    named = place.format(parent=parent)
    write(directory, ".flake8", f"[flake8]\nselect = NNX\nnnx-rng-cache-dir = {named}\n")
    before = sorted(parent.iterdir())
    done = subprocess.run([*command, "a.py"], capture_output=True, text=True)
    assert done.returncode not in (CLEAN, -1)
    assert "nnx-rng-cache-dir: " in done.stdout + done.stderr
    assert "is not below" in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert sorted(parent.iterdir()) == before
    assert a_text(directory) == NOISY


def a_text(directory: Path) -> str:
    return (directory / "a.py").read_text("utf-8")


@pytest.mark.parametrize("command", [FLAKE8, [*NNX_RNG, "check"]])
def test_the_command_line_may_put_the_cache_anywhere(directory: Path, command: list[str]) -> None:
    write(directory, "a.py", NOISY)
    place = directory.parent / "elsewhere"
    write(directory, ".flake8", "[flake8]\nselect = NNX\nnnx-rng-cache-dir = ./here\n")
    done = subprocess.run([*command, f"--nnx-rng-cache-dir={place}", "a.py"], capture_output=True)
    assert (done.returncode, done.stderr) == (FOUND, b"")
    assert len(list(place.glob(f"*{SUFFIX}"))) == 1
    assert not (directory / "here").exists()


HOSTILE_TOML = {
    "nested arrays": "a = " + "[" * 100_000,
    "nested tables": "a" + ".a" * 200_000 + " = 1",
    "tables in quotes": "[a" + " . 'a'" * 200_000 + "]",
    "a name that never ends": "a" * 1_000_000,
    "strings that never end": '"\\"' * 300_000,
    "inline tables": "a = " + "{a = " * 50_000,
    "a number without end": "a = " + "9" * 1_000_000,
    "a root that is no path": '[tool.uv.build-backend]\nmodule-root = "a\\u0000b"',
    "a root that is too long": f'[tool.uv.build-backend]\nmodule-root = "{"a" * 100_000}"',
    "roots upwards": '[tool.uv.build-backend]\nmodule-root = "' + "../" * 5_000 + '"',
    "roots without end": "[tool.uv.build-backend]\nmodule-root = [" + '"a",' * 20_000 + "]",
}


SOME_TOML = some_of(HOSTILE_TOML, "nested arrays", "nested tables", "a root that is no path")


@pytest.mark.parametrize("name", SOME_TOML)
def test_no_project_file_keeps_the_linter_from_its_findings(directory: Path, name: str) -> None:
    write(directory, "a.py", NOISY)
    (directory / "pyproject.toml").write_text(HOSTILE_TOML[name], encoding="utf-8")
    done = subprocess.run(
        [*NNX_RNG, "check", "--format", "short", "a.py"], capture_output=True, timeout=120
    )
    assert (done.returncode, done.stderr) == (FOUND, b"")


HOSTILE_CONFIG = {
    "exclude": "*" * 2_000 + "a," + "*a" * 200 + "b",
    "per-file-ignores": "*" * 2_000 + "a*b*c:NNX1",
    "nnx-rng-root": "../" * 5_000 + "," + "a" * 10_000,
    "nnx-rng-base": "a" + ".a" * 20_000,
    "select": ",".join(["NNX"] * 20_000),
    "nnx-rng-sampler": ",".join(f"a.B{at}" for at in range(2_000)),
}


@pytest.mark.parametrize("option", some_of(HOSTILE_CONFIG, "exclude", "nnx-rng-root"))
def test_no_configuration_takes_the_linter_long(directory: Path, option: str) -> None:
    write(directory, "a" * 100 + ".py", NOISY)
    write(directory, ".flake8", f"[flake8]\n{option} = {HOSTILE_CONFIG[option]}\n")
    done = subprocess.run([*NNX_RNG, "check", "."], capture_output=True, timeout=120, text=True)
    assert done.returncode in (CLEAN, FOUND, FAILED)
    assert "Traceback" not in done.stderr
    assert "internal error" not in done.stderr


@NEEDS_LINKS
@pytest.mark.parametrize("arguments", [["."], *thorough(["link.py"])])
def test_a_link_out_of_the_tree_is_not_written_through(
    directory: Path, arguments: list[str]
) -> None:
    outside = directory.parent / "outside.py"
    outside.write_text(NOISY, encoding="utf-8")
    (directory / "link.py").symlink_to(Path("..", "outside.py"))
    done = subprocess.run([*NNX_RNG, "fix", *arguments], capture_output=True, text=True)
    assert done.returncode == FAILED
    assert f"it is a link to {outside}, outside of the project; name that file itself" in (
        done.stdout
    )
    assert outside.read_text("utf-8") == NOISY
    named = subprocess.run([*NNX_RNG, "fix", str(outside)], capture_output=True, text=True)
    assert named.returncode == CLEAN
    assert DRAW not in outside.read_text("utf-8")


BASE = module(HELPER)
LEAF = module("""
    from base import Base

    class Leaf(Base):
        def __call__(self, state, x, rollout_extras=None):
            return StatefulModuleOutput(state, x + self.noise(x), 0.0, {})
""")


@NEEDS_LINKS
@pytest.mark.parametrize("way", ["a link", "a configured root", "a named root"])
def test_a_base_outside_of_the_tree_does_not_change_with_a_class(directory: Path, way: str) -> None:
    base = directory.parent / "other" / "base.py"
    base.parent.mkdir()
    base.write_text(BASE, encoding="utf-8")
    write(directory, "leaf.py", LEAF)
    if way == "a link":
        (directory / "base.py").symlink_to(base)
    elif way == "a configured root":
        text = '[tool.setuptools.package-dir]\n"" = "../other"\n'
        (directory / "pyproject.toml").write_text(text, encoding="utf-8")
    else:
        write(directory, ".flake8", "[flake8]\nnnx-rng-root = ../other\n")
    fix = [*NNX_RNG, "fix", "--unsafe-fixes"]
    done = subprocess.run([*fix, "leaf.py"], capture_output=True, text=True)
    assert done.returncode == FOUND
    assert (base.read_text("utf-8"), (directory / "leaf.py").read_text("utf-8")) == (BASE, LEAF)
    if way == "a link":
        reason = "base.py must change with it, and is outside of the project; name it too"
        assert reason in done.stdout
        named = subprocess.run([*fix, "leaf.py", str(base)], capture_output=True, text=True)
        assert named.returncode == CLEAN, named.stdout
        assert base.read_text("utf-8") != BASE
