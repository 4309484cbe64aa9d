"""Does a module reproduce its rollout when PPO replays it? Runs it and says what holds.

`check` returns a report; `assert_replays` is for a test suite, also as a pytest fixture of that
name; `python -m nnx_ppo_ref.oracle package.module:factory` checks from a shell. What each
observable means stands in the file of that name in `observables`.
"""

from nnx_ppo_ref.oracle.checking import assert_replays, check
from nnx_ppo_ref.oracle.report import OBSERVABLES, Figures, Report, Result, Verdict

__all__ = ["OBSERVABLES", "Figures", "Report", "Result", "Verdict", "assert_replays", "check"]
