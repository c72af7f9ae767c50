"""Processes below a Dask worker: which there are, and that they end with it."""

import ctypes
import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

PR_SET_PDEATHSIG = 1


def children(process: int) -> Iterator[int]:
    """All processes below this one."""
    for file in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(OSError):  # a thread that has ended meanwhile
            for child in map(int, file.read_text().split()):
                yield child
                yield from children(child)


def die_with(parent: int) -> None:
    """See that this process is killed when its parent ends, however that ends."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # which has ended before
        raise SystemExit(1)
