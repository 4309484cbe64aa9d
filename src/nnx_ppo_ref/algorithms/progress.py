"""A line of progress on a terminal: steps, steps per second, return."""

from __future__ import annotations

import sys
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn


class TrainingProgress:
    """Shows how far training is, on standard error, and nothing if that is not a terminal."""

    def __init__(self, total_steps: int, steps: int, console: Console | None = None) -> None:
        """Makes a bar that is shown while this is entered.

        Args:
            total_steps: Environment steps of the whole run.
            steps: Steps that were taken before.
            console: Where to show it; standard error by default.
        """
        console = Console(stderr=True) if console is None else console
        self._progress = Progress(
            TextColumn("{task.completed:,.0f}/{task.total:,.0f} steps"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[speed]}"),
            TextColumn("{task.fields[measure]}"),
            TimeRemainingColumn(),
            console=console,
            # What a program prints stays where it was sent, unless that is this terminal too.
            redirect_stdout=sys.stdout is not None and sys.stdout.isatty(),
            disable=not console.is_terminal,
        )
        self._task = self._progress.add_task(
            "", total=total_steps, completed=steps, speed="compiling", measure=""
        )

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        if not self._progress.disable:  # older versions of rich end even nothing with a new line
            self._progress.stop()

    def stepped(self, steps: int, steps_per_second: float, reward: float) -> None:
        """Shows a step of PPO.

        Args:
            steps: Environment steps so far.
            steps_per_second: Of the last step of PPO.
            reward: Mean reward of an environment step, shown as long as no return is known.
        """
        self._progress.update(self._task, completed=steps, speed=f"{steps_per_second:,.0f} steps/s")
        if not str(self._progress.tasks[0].fields["measure"]).startswith("return"):
            self._progress.update(self._task, measure=f"reward {reward:.3g} a step")

    def evaluated(self, episode_return: float) -> None:
        """Shows the mean return of an evaluation."""
        self._progress.update(self._task, measure=f"return {episode_return:.4g}")

    def say(self, message: str) -> None:
        """Prints a line above the bar."""
        self._progress.console.print(message)
