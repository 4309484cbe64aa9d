"""Mutation testing of the linter's rules and interpreter: `python tests/linter_mutants.py`.

mutmut makes a mutant of every operator, constant, argument and assignment in a function and runs
the tests that reach the function; what it reads is in `[tool.mutmut]` of `pyproject.toml`. There
are some ten thousand mutants, so a sample is drawn: of every file its share, at least `LEAST`.
Rules' texts and examples, tables, types and docstrings are no behaviour or no part of a function,
and are not mutated.
"""

from __future__ import annotations

import argparse
import collections
import os
import random
import subprocess
import sys
import tomllib
from pathlib import Path

LEAST = 4
"""Mutants of the smallest files, if there are as many for each."""

FIRST = "flake8_nnx_rng.rules.rule.x_way__*"
"""A few that are run to have all of them made."""

# Every call of a mutated function goes through two more of mutmut's, and the tests nest deeply.
MUTMUT = "import sys; sys.setrecursionlimit(10_000); from mutmut.__main__ import cli; cli()"

DETECTED = ("killed", "timeout", "segfault", "suspicious")
"""What tells a mutant from the program: a failure, no end, a crash."""


def mutmut(*arguments: str, shown: bool = False) -> str:
    """Runs mutmut in the project's directory and returns what it says."""
    done = subprocess.run(
        [sys.executable, "-c", MUTMUT, *arguments],
        stdout=None if shown else subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"mutmut {arguments[0]} failed:\n{done.stdout or ''}")
    return done.stdout or ""


def second_look(mutant: str) -> str:
    """What becomes of a mutant that may have survived because it was never run.

    mutmut switches to a mutant when all modules are there. What runs while they are imported, such
    as a function that makes the entries of a table, is reached by no test or by the first alone:
    it is imported as the mutant, and all tests are run.
    """
    reached = mutmut("tests-for-mutant", mutant).splitlines()
    if len(reached) > 1:
        return "survived"
    settings = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["tool"]["mutmut"]
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-x", "-q"),
            *settings["pytest_add_cli_args"],
            *settings["pytest_add_cli_args_test_selection"],
        ],
        cwd="mutants",
        env={**os.environ, "MUTANT_UNDER_TEST": mutant, "PYTHONPATH": "src"},
        capture_output=True,
        check=False,
    )
    return "killed" if done.returncode else "survived"


def results() -> dict[str, str]:
    """Every mutant and what became of it."""
    lines = mutmut("results", "--all", "true").splitlines()
    pairs = (line.strip().partition(": ")[::2] for line in lines if "__mutmut_" in line)
    return dict(pairs)


def module_of(mutant: str) -> str:
    """The module of a mutant, without the package: `rules.carry`."""
    return mutant.rpartition(".")[0].partition(".")[2]


def sampled(mutants: list[str], count: int, seed: int) -> list[str]:
    """Some mutants of every module, as many as its share; the same for the same seed."""
    by_module = collections.defaultdict(list)
    for mutant in sorted(mutants):
        by_module[module_of(mutant)].append(mutant)
    least = min(LEAST, max(1, count // len(by_module)))
    chance = random.Random(seed)
    return [
        mutant
        for own in by_module.values()
        for mutant in chance.sample(
            own, min(len(own), max(least, round(count * len(own) / len(mutants))))
        )
    ]


def report(became: dict[str, str]) -> str:
    """What became of the mutants, for each module, and of all of them."""
    states = sorted(set(became.values()))
    rows: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for mutant, state in became.items():
        rows[module_of(mutant)][state] += 1
    rows["all"] = sum(rows.values(), collections.Counter())
    width = max(map(len, rows))
    lines = [f"{'':{width}}  tried  " + "  ".join(states)]
    for module, counts in rows.items():
        cells = "  ".join(f"{counts[state]:{len(state)}}" for state in states)
        lines.append(f"{module:{width}}  {counts.total():5}  {cells}")
    undetected = sum(state not in DETECTED for state in became.values())
    lines.append(f"undetected: {undetected} of {len(became)}, {undetected / len(became):.1%}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("--count", type=int, default=800, help="how many mutants, about")
    parser.add_argument("--seed", type=int, default=1, help="which ones")
    parser.add_argument("--jobs", type=int, default=1, help="how many at the same time")
    parser.add_argument("--diffs", action="store_true", help="show those that were not detected")
    options = parser.parse_args()

    jobs = ("--max-children", str(options.jobs))
    mutmut("run", *jobs, FIRST, shown=True)
    everything = results()
    sample = sampled(list(everything), options.count, options.seed)
    mutmut("run", *jobs, *sample, shown=True)
    after = results()
    became = {
        mutant: after[mutant] if after[mutant] in DETECTED else second_look(mutant)
        for mutant in sample
    }
    if options.diffs:
        for mutant, state in became.items():
            if state not in DETECTED:
                print(mutmut("show", mutant))
    print(f"\n{len(sample)} of {len(everything)} mutants, seed {options.seed}")
    print(report(became))


if __name__ == "__main__":
    main()
