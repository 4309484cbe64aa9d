"""Progress: shown on a terminal and nowhere else."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from typing import Any

import pytest
from rich.console import Console

from nnx_ppo_ref.algorithms.progress import TrainingProgress


def _shown(terminal: bool, **more: Any) -> str:
    """What a run of a million steps, now in its middle, writes to a console."""
    file = io.StringIO()
    console = Console(file=file, force_terminal=terminal, width=120, **more)
    with TrainingProgress(1_000_000, 0, console) as progress:
        progress.stepped(500_000, 12_345.6, 0.25)
        if more.get("color_system") is None:
            progress.evaluated(-123.456)
            progress.stepped(750_000, 11_111.1, 0.25)
    return file.getvalue()


def test_a_terminal_shows_steps_speed_and_return() -> None:
    shown = _shown(terminal=True)
    assert "750,000/1,000,000 steps" in shown
    assert "75%" in shown
    assert "11,111 steps/s" in shown
    assert "return -123.5" in shown


def test_until_a_return_is_known_the_mean_reward_is_shown() -> None:
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, width=120)
    with TrainingProgress(100, 0, console) as progress:
        progress.stepped(50, 10.0, 0.25)
    assert "reward 0.25 a step" in file.getvalue()


def test_until_the_first_step_is_done_it_says_that_it_compiles() -> None:
    file = io.StringIO()
    with TrainingProgress(100, 40, Console(file=file, force_terminal=True, width=120)):
        pass
    assert "40/100 steps" in file.getvalue()
    assert "compiling" in file.getvalue()


def test_nothing_is_shown_where_there_is_no_terminal() -> None:
    assert _shown(terminal=False) == ""


PROGRAM = """
from nnx_ppo_ref.algorithms.progress import TrainingProgress

with TrainingProgress(100, 0) as progress:
    print("printed meanwhile")
    progress.stepped(50, 10.0, 0.25)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_what_a_program_prints_goes_where_it_was_sent() -> None:
    import pty

    main, terminal = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, stderr=terminal, check=True
    )
    os.close(terminal)
    seen = os.read(main, 100_000).decode()
    os.close(main)
    assert done.stdout == b"printed meanwhile\n"
    assert "50/100 steps" in seen
    assert "printed" not in seen
