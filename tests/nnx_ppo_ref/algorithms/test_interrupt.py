"""Ctrl-C: waits for the step under way, and leaves a state that training goes on from."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nnx_ppo_ref.algorithms.interrupt import Interrupt
from nnx_ppo_ref.algorithms.training import train_ppo

from .kinds import unoptimized
from .runs import ENV, STEP, assert_identical, contents, network, plain_network, settings, weights


@pytest.fixture(autouse=True)
def quick_to_compile() -> Iterator[None]:
    with unoptimized():
        yield


@pytest.fixture(autouse=True)
def handler_stays() -> Iterator[None]:
    """Also where the tests run in the background, as a shell's jobs ignore interrupts there."""
    inherited = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    signal.signal(signal.SIGINT, inherited)


def _interrupt() -> None:
    signal.raise_signal(signal.SIGINT)


def test_the_first_interrupt_is_only_noted() -> None:
    with Interrupt() as interrupt:
        assert not interrupt.requested
        _interrupt()
        assert interrupt.requested


def test_the_second_interrupt_interrupts() -> None:
    with pytest.raises(KeyboardInterrupt), Interrupt():
        _interrupt()
        _interrupt()


def test_the_previous_handler_comes_back() -> None:
    calls = []
    mine = lambda *_: calls.append(1)  # noqa: E731
    before = signal.signal(signal.SIGINT, mine)
    try:
        with Interrupt() as interrupt:
            _interrupt()
            assert not calls
            _interrupt()
            assert calls == [1]
        assert signal.getsignal(signal.SIGINT) is mine
        assert interrupt.requested
        with pytest.raises(ZeroDivisionError), Interrupt():
            raise ZeroDivisionError
        assert signal.getsignal(signal.SIGINT) is mine
    finally:
        signal.signal(signal.SIGINT, before)


def test_where_interrupts_are_ignored_they_stay_ignored() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with Interrupt() as interrupt:
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
            _interrupt()
            assert not interrupt.requested
    finally:
        signal.signal(signal.SIGINT, before)


def test_one_interrupt_may_be_inside_another() -> None:
    with Interrupt() as outer:
        with Interrupt() as inner:
            _interrupt()
            assert inner.requested
            assert not outer.requested
        _interrupt()
        assert outer.requested


@pytest.mark.slow
def test_training_goes_on_from_an_interrupted_state_as_if_nothing_had_been() -> None:
    whole = train_ppo(ENV, network(), settings(4))

    def interrupt_after_two(metrics: dict[str, Any], steps: int) -> None:
        if steps == 2 * STEP:
            _interrupt()

    modules = network()
    part = train_ppo(ENV, modules, settings(4), log_fn=interrupt_after_two)
    assert (part.total_steps, part.total_iterations) == (2 * STEP, 2)
    assert part.training_state.networks is modules
    assert int(part.training_state.steps_taken) == 2 * STEP
    rest = train_ppo(ENV, modules, settings(4), initial_state=part.training_state)
    assert (rest.total_steps, rest.total_iterations) == (4 * STEP, 2)
    assert_identical(contents(rest.training_state), contents(whole.training_state))


@pytest.mark.parametrize("interrupts", [0, 2])
@pytest.mark.slow
def test_after_an_error_or_a_second_interrupt_the_network_holds_the_last_whole_step(
    interrupts: int,
) -> None:
    modules = plain_network()

    def fail_after_two(metrics: dict[str, Any], steps: int) -> None:
        if steps == 2 * STEP:
            for _ in range(interrupts):
                _interrupt()
            raise ZeroDivisionError

    with pytest.raises(KeyboardInterrupt if interrupts else ZeroDivisionError):
        train_ppo(ENV, modules, settings(4), log_fn=fail_after_two)
    whole = plain_network()
    train_ppo(ENV, whole, settings(2))
    np.testing.assert_array_equal(weights(modules), weights(whole))


@pytest.mark.slow
def test_training_runs_in_any_thread() -> None:
    results = []
    thread = threading.Thread(
        target=lambda: results.append(train_ppo(ENV, plain_network(), settings(2)))
    )
    thread.start()
    thread.join()
    assert results[0].total_steps == 2 * STEP


PROGRAM = """
import sys
from nnx_ppo_ref.algorithms.training import train_ppo
from tests.nnx_ppo_ref.algorithms.kinds import unoptimized
from tests.nnx_ppo_ref.algorithms.runs import ENV, plain_network, settings

with unoptimized():
    result = train_ppo(
        ENV,
        plain_network(),
        settings(int(sys.argv[1]), eval={"enabled": True, "every_steps": 10**9}),
        log_fn=lambda metrics, steps: print(steps, flush=True),
    )
print("ended", result.total_steps, int(result.training_state.steps_taken), flush=True)
"""


def _run(steps: int, stderr: Any) -> subprocess.Popen[bytes]:
    root = Path(__file__).parents[3]
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(steps)],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root), "COLUMNS": "120", "TERM": "xterm"},
        stdout=subprocess.PIPE,
        stderr=stderr,
    )


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_on_a_terminal_training_shows_its_progress_and_stops_cleanly_on_an_interrupt() -> None:
    main, terminal = pty.openpty()
    process = _run(10**6, terminal)
    os.close(terminal)
    assert process.stdout is not None
    lines: list[bytes] = []
    for line in process.stdout:  # the log goes to the pipe, not to the terminal
        lines.append(line)
        if len(lines) == 5:
            process.send_signal(signal.SIGINT)
    assert process.wait() == 0
    shown = b""
    while chunk := _read(main):
        shown += chunk
    os.close(main)
    _, taken, of_state = lines[-1].split()
    assert taken == of_state == lines[-2].strip()
    assert 4 * STEP <= int(taken) < 10**5
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown.decode())
    assert f"interrupted after {int(taken):,} steps" in text
    assert f"/{10**6 * STEP:,} steps" in text
    assert " steps/s" in text
    assert "return -" in text


@pytest.mark.slow
def test_in_a_pipe_training_is_quiet() -> None:
    process = _run(2, subprocess.PIPE)
    out, err = process.communicate()
    assert process.returncode == 0
    assert out.splitlines()[-1] == b"ended %d %d" % (2 * STEP, 2 * STEP)
    assert err == b""


def _read(file: int) -> bytes:
    """What there is; nothing once the other side has been closed."""
    try:
        return os.read(file, 65536)
    except OSError:
        return b""
