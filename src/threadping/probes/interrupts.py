"""Ctrl-C, SIGTERM and SIGHUP, as Ctrl-C, or held back while something may not be left half done."""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class HeldSignals:
    """Signals that arrived while they were held back."""

    def __init__(self) -> None:
        self._open = False
        self._came: list[int] = []
        self._before: dict[int, signal._HANDLER] = {}

    @contextmanager
    def let_through(self) -> Iterator[None]:
        """Let the first signal end this block, even one that has come already; hold back later ones."""
        self._open = True
        try:
            if self._came:
                self._handle(self._came.pop(0), None)
            yield
        finally:
            self._open = False

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if not self._open:
            self._came.append(number)
            return
        self._open = False
        handler = self._before[number]
        if callable(handler):
            handler(number, frame)
        else:  # the system's own, which ends the process
            signal.signal(number, handler)
            signal.raise_signal(number)


@contextmanager
def held_back(*, dropped: bool = False) -> Iterator[HeldSignals]:
    """Hold back what would end the process; what came takes effect at the end, or is `dropped` there.

    They reach the main thread only, so in another one nothing is held back.
    """
    held = HeldSignals()
    if threading.current_thread() is not threading.main_thread():
        yield held
        return
    for number in ENDS:
        if signal.getsignal(number) != signal.SIG_IGN:
            held._before[number] = signal.signal(number, held._handle) or signal.SIG_DFL
    try:
        yield held
    finally:
        for held_number, handler in held._before.items():
            signal.signal(held_number, handler)
    for came in [] if dropped else held._came:
        signal.raise_signal(came)


ONCE_S = 0.3  # seconds in which signals are the same wish: a closed terminal sends two, an impatient hand five


def interrupt_from_now_on() -> "list[tuple[int, signal._HANDLER]]":
    """Have signals that end a process raise KeyboardInterrupt, unless they are handled; return old handlers.

    It is raised once for those that come together: the next would hit the clearing up. A terminal closes once: the
    second of its two signals may have been held back, and come when all is written.
    """
    quiet_until, closed = 0.0, False

    def interrupt(number: int, _frame: FrameType | None) -> None:
        nonlocal quiet_until, closed
        now, again = time.monotonic(), number == signal.SIGHUP and closed
        closed = closed or number == signal.SIGHUP
        if now >= quiet_until and not again:
            quiet_until = now + ONCE_S
            raise KeyboardInterrupt

    ends = [one for one in ENDS if signal.getsignal(one) in (signal.SIG_DFL, signal.default_int_handler)]
    return [(one, signal.signal(one, interrupt)) for one in ends]


def ignore_from_now_on() -> None:
    """Let nothing change the exit code any more: all is done."""
    for one in ENDS:
        signal.signal(one, signal.SIG_IGN)


@contextmanager
def as_interrupt() -> Iterator[None]:
    """SIGTERM and a closed terminal end it as Ctrl-C does; what is ignored, as under nohup, stays so."""
    before = interrupt_from_now_on()
    try:
        yield
    finally:
        for one, handler in before:
            signal.signal(one, handler)
