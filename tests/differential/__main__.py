"""`python -m differential --seed 1 --count 5000`: the proof, and where it fails.

Exit status 0 if linter, oracle and codemod agree on every module, 1 if not.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from .report import apart, table
from .running import Case, cases
from .verdict import Count


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit status."""
    options = _parser().parse_args(arguments)
    counts: Counter[Count] = Counter()
    wrong = 0
    begin = time.monotonic()
    for done, case in enumerate(cases(options.seed, options.count, options.jobs), start=1):
        counts.update(case.counts)
        if case.wrong:
            wrong += 1
            _keep(case, options.out)
        if sys.stderr.isatty() or done % 100 == 0 or done == options.count:
            spent = time.monotonic() - begin
            print(
                f"\r{done}/{options.count} modules, {wrong} wrong, {spent:.0f} s",
                end="",
                file=sys.stderr,
            )
    print(file=sys.stderr)
    print(table(counts, markdown=options.markdown))
    print(f"\nCounted apart:\n\n{apart(counts) or 'nothing'}")
    print(f"\n{options.count} modules of seed {options.seed}: {wrong or 'no'} disagreement(s)")
    return int(wrong > 0)


def _keep(case: Case, directory: Path | None) -> None:
    """Writes what one side is wrong about, to be looked at."""
    if directory is not None:
        directory.mkdir(parents=True, exist_ok=True)
        (directory / f"{case.seed}-{case.number:05}.txt").write_text(case.text, encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m differential", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="of the recipes")
    parser.add_argument("--count", type=int, default=300, help="how many modules")
    parser.add_argument("--jobs", type=int, default=2, help="how many processes")
    parser.add_argument("--out", type=Path, help="directory for the modules that are disagreed on")
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    return parser


if __name__ == "__main__":
    sys.exit(main())
