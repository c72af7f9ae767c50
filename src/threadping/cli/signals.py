"""Signals that end a command that measures."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


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
