"""Files of any size and depth: read or refused with a clear message, in bounded time and memory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .faces import NOT_TOLD
from .sizes import CASES, DEEP, MEGABYTE, SHALLOW, Case

resource = pytest.importorskip("resource", reason="no limits on this system")

pytestmark = pytest.mark.slow

MEMORY, PROCESSOR, WALL = 6 << 30, 400, 1_200
"""Bytes of addresses, seconds of a processor and of a clock: far more than is needed."""

LIMITED = f"""
import resource, sys
from flake8_nnx_rng.adapters.cli import main
resource.setrlimit(resource.RLIMIT_AS, ({MEMORY}, {MEMORY}))
resource.setrlimit(resource.RLIMIT_CPU, ({PROCESSOR}, {PROCESSOR}))
status = main(sys.argv[1:])
used = resource.getrusage(resource.RUSAGE_SELF)
try:
    peak = open("/proc/self/status").read().partition("VmHWM:")[2].split()[0]
except OSError:
    peak = used.ru_maxrss
print(f"{{used.ru_utime + used.ru_stime:.1f}} s, {{int(peak) >> 10}} MB", file=sys.stderr)
sys.exit(status)
"""
QUICK = {f"attributes, {SHALLOW} deep", "100,000 conditions", "100,000 strings in a row"} | {
    f"{name}, {DEEP} deep" for name in ("parentheses", "signs", "generators")
}
"""Those that CI has time for."""


def run(directory: Path, case: Case, *command: str) -> tuple[int, str, str]:
    """The exit status of a command on a file, what it says and what it needs."""
    (directory / "pyproject.toml").touch()
    (directory / "a.py").write_text(case.text(), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, *command, "--nnx-rng-no-cache", "a.py"],
        cwd=directory,
        capture_output=True,
        text=True,
        timeout=WALL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    *errors, used = done.stderr.splitlines() or [""]
    return done.returncode, done.stdout + "\n".join(errors), used


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=[] if n in QUICK else pytest.mark.thorough, id=n) for n in CASES],
)
def test_code_of_any_size_is_read_or_refused(tmp_path: Path, name: str) -> None:
    case = CASES[name]
    status, said, used = run(tmp_path, case, "check", "-v", "--format", "short")
    assert status in (1, 2), (status, said[-500:], used)
    assert case.says in said, said[-500:]
    assert NOT_TOLD not in said
    assert said.startswith(("a.py:", "nnx-rng: a.py"))
    print(f"{name}: {(tmp_path / 'a.py').stat().st_size / MEGABYTE:.2f} MB, check: {used}")
    if case.fix and name not in QUICK:
        before = (tmp_path / "a.py").read_bytes()
        status, said, used = run(tmp_path, case, "fix", "--check", "-j1")
        assert status in (0, 1, 2), (status, said[-500:], used)
        assert NOT_TOLD not in said
        assert (tmp_path / "a.py").read_bytes() == before
        print(f"{name}: fix: {used}")
