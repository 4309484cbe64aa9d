"""Ctrl-C that waits for the step under way."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any, Self


class Interrupt:
    """While entered, the first Ctrl-C only sets `requested`; the second one interrupts.

    It does nothing outside the main thread, where Python handles no signals, and where Ctrl-C is
    ignored or handled outside Python.
    """

    def __init__(self) -> None:
        self.requested = False
        self._previous: Any = None
        self._installed = False

    def __enter__(self) -> Self:
        handled = signal.getsignal(signal.SIGINT) not in (signal.SIG_IGN, None)
        if handled and threading.current_thread() is threading.main_thread():
            self._previous = signal.signal(signal.SIGINT, self._handle)
            self._installed = True
        return self

    def __exit__(self, *_: object) -> None:
        self._restore()

    def _handle(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self.requested = True
        self._restore()

    def _restore(self) -> None:
        if self._installed:
            signal.signal(signal.SIGINT, self._previous)
            self._installed = False
