"""Ctrl-C, SIGTERM and SIGHUP, as Ctrl-C, or held back while something may not be left half done."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Held:
    """What came while they were held back."""

    def __init__(self) -> None:
        """Hold nothing yet."""
        self._open = False
        self._came: list[int] = []
        self._before: dict[int, signal._HANDLER] = {}

    @contextmanager
    def let_through(self) -> Iterator[None]:
        """Let the first of them end what stands here, be it one that has come; later ones are held back again."""
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
def held_back(*, dropped: bool = False) -> Iterator[Held]:
    """Hold back what would end the process; what came takes effect at the end, or is `dropped` there.

    They reach the main thread only, so in another one nothing is held back.
    """
    held = Held()
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


@contextmanager
def as_interrupt() -> Iterator[None]:
    """SIGTERM and a closed terminal end it as Ctrl-C does; what is ignored, as under nohup, stays so."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    ends = [one for one in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(one) != signal.SIG_IGN]
    before = [(one, signal.signal(one, interrupt)) for one in ends]
    try:
        yield
    finally:
        for one, handler in before:
            signal.signal(one, handler)
