"""Fails unless enough branches were taken: `python tests/branch_coverage.py coverage.json 95`."""

import json
import sys
from pathlib import Path


def main(report: str, wanted: float) -> int:
    """Prints the share of branches taken; 1 if it is below the wanted percentage, else 0."""
    totals = json.loads(Path(report).read_text(encoding="utf-8"))["totals"]
    share = 100 * totals["covered_branches"] / totals["num_branches"]
    print(f"branches: {totals['covered_branches']} of {totals['num_branches']} = {share:.1f} %")
    if share < wanted:
        print(f"wanted at least {wanted} %", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], float(sys.argv[2])))
