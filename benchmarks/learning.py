"""Prints what PPO learns with nnx-ppo, with ours and with a faulty network:
`python benchmarks/learning.py [SEEDS]`.

Returns of the last evaluation, with the same settings. Every network has a bottleneck; the twin's
draws from the module's stream instead of carried keys, and runs on ours.

Needs the test extra: `pip install -e '.[test]'`.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.nnx_ppo_ref.algorithms import tasks
from tests.nnx_ppo_ref.networks.libraries import OURS, THEIRS

TASKS = {
    "CartPole-v1": tasks.CART_POLE,
    "Pendulum-v1": tasks.PENDULUM,
    "Memory, LSTM": tasks.MEMORY,
    "Memory, no LSTM": tasks.MEMORYLESS,
}


def main(seeds: int) -> None:
    print(f"{'task':<16} {'seed':>4} {'ours':>9} {'nnx-ppo':>9} {'twin':>9}")
    for name, task in TASKS.items():
        for seed in range(seeds):
            returns = (
                task.returns(seed, OURS)[-1],
                task.returns(seed, THEIRS)[-1],
                task.returns(seed, OURS, stream=True)[-1],
            )
            print(f"{name:<16} {seed:>4} " + " ".join(f"{value:9.2f}" for value in returns))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
