"""Prints what a second process gains `nnx-rng fix`: `python benchmarks/fix_speed.py [FILES]`.

The files are sound modules of nnx-ppo, broken in many ways: `pip install -e '.[test]'`.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from mutation.mutants import mutants

FILES = 60


def seconds(directory: Path, jobs: int) -> float:
    """How long a run takes that writes nothing."""
    options = ("fix", "--check", "--unsafe-fixes", "--nnx-rng-no-cache", f"-j{jobs}")
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "flake8_nnx_rng", *options, str(directory)],
        capture_output=True,
        check=False,
    )
    if done.stderr:
        raise RuntimeError(done.stderr.decode())
    return time.perf_counter() - start


def main() -> None:
    """Prints a line."""
    files = int(sys.argv[1]) if len(sys.argv) > 1 else FILES
    with tempfile.TemporaryDirectory() as name:
        for number, mutant in enumerate(islice(mutants(), files)):
            (Path(name) / f"file{number:03}.py").write_text(mutant.source, encoding="utf-8")
        one, two = (seconds(Path(name), jobs) for jobs in (1, 2))
    print(f"{files} files: {one:.1f}s by one process, {two:.1f}s by two, {one / two:.2f}x")


if __name__ == "__main__":
    main()
