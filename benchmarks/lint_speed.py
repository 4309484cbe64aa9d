"""Prints what the linter costs flake8: `python benchmarks/lint_speed.py`.

Each ratio compares medians of runs in turns. flax and nnx-ppo are linted where they are installed:
`pip install -e '.[test]'`.
"""

from __future__ import annotations

import importlib.util
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

RUNS = 5
ALONE = """
import importlib.metadata as metadata, sys
every = metadata.distributions
metadata.distributions = lambda: (d for d in every() if d.name != "flake8-nnx-rng")
from flake8.main.cli import main
sys.exit(main(sys.argv[1:]))
"""
"""flake8 as if the linter were not installed."""

NOISY = """\
from flax import nnx
from nnx_ppo.networks.types import StatefulModule, StatefulModuleOutput


class Noisy(StatefulModule):
    def __init__(self, rngs: nnx.Rngs):
        self.rngs = rngs

    def __call__(self, state, x, rollout_extras=None):
        return StatefulModuleOutput(state, x + self.rngs.normal(x.shape), 0.0, {})
"""
IRRELEVANT = "import os\n\n\nclass Plain(Exception):\n    place = os.curdir\n"


@dataclass(frozen=True)
class Way:
    """A way to run flake8.

    Attributes:
        command: What to run, before the paths.
        cache: The directory of kept findings.
        is_cold: Whether nothing is kept when it starts.
    """

    command: tuple[str, ...]
    cache: Path
    is_cold: bool = False

    def seconds(self, paths: Sequence[Path]) -> float:
        """How long one run takes."""
        if self.is_cold:
            shutil.rmtree(self.cache, ignore_errors=True)
        start = time.perf_counter()
        done = subprocess.run([*self.command, *map(str, paths)], capture_output=True, check=False)
        taken = time.perf_counter() - start
        if done.stderr:
            raise RuntimeError(done.stderr.decode())
        return taken


def ways(directory: Path) -> dict[str, Way]:
    """flake8 alone, and with the linter, once with nothing kept and once with everything."""
    options = ("--isolated", "-j1", "--select=E999,NNX")
    linting = (sys.executable, "-m", "flake8", *options)
    cold, warm = directory / "cold", directory / "warm"
    return {
        "alone": Way((sys.executable, "-c", ALONE, *options[:2], "--select=E999"), cold),
        "cold": Way((*linting, f"--nnx-rng-cache-dir={cold}"), cold, is_cold=True),
        "cached": Way((*linting, f"--nnx-rng-cache-dir={warm}"), warm),
    }


def medians(paths: Sequence[Path], directory: Path) -> dict[str, float]:
    """The median time of each way, run in turns after one run of each to warm up."""
    every = ways(directory)
    for way in every.values():
        way.seconds(paths)
    times = [{name: way.seconds(paths) for name, way in every.items()} for _ in range(RUNS)]
    return {name: statistics.median(one[name] for one in times) for name in every}


def package(name: str) -> list[Path]:
    """Where a package is installed, without importing it; nowhere if it is not."""
    spec = importlib.util.find_spec(name)
    return [] if spec is None else [Path(one) for one in spec.submodule_search_locations or ()]


def main() -> None:
    """Prints a table."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        for file, text in {"noisy.py": NOISY, "plain.py": IRRELEVANT}.items():
            (directory / file).write_text(text, encoding="utf-8")
        subjects = {
            "one small file with a finding": [directory / "noisy.py"],
            "one irrelevant file": [directory / "plain.py"],
            "flax, few relevant files": package("flax"),
            "nnx-ppo": package("nnx_ppo"),
        }
        print(f"{'':32}{'alone':>10}{'cold':>10}{'cached':>10}")
        for subject, paths in subjects.items():
            if not paths:
                print(f"{subject:32}not installed")
                continue
            times = medians(paths, directory)
            alone = times.pop("alone")
            ratios = "".join(f"{taken / alone:>9.2f}x" for taken in times.values())
            print(f"{subject:32}{alone:>9.2f}s{ratios}")


if __name__ == "__main__":
    main()
