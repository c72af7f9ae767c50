"""Processes that a probe leaves behind in a session of their own, where no signal to its group reaches them."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache

PR_SET_CHILD_SUBREAPER = 36

MOST_GENERATIONS = 100
"""Who is killed leaves its own children to us: so often we look again, at a process that forks without an end too."""


@contextmanager
def none_left_behind() -> Iterator[None]:
    """Kill at the end whatever became a child of this process meanwhile: what it started itself has ended by then.

    Only where it is the main thread that starts: a Dask worker's threads are not alone in their process, which has
    children that are not ours. Where the kernel does not list children, nothing is killed.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _become_parent_of_orphans()
    before = _children()
    try:
        yield
    finally:
        for _ in range(MOST_GENERATIONS):
            left = _children() - before
            for process in left:  # nobody else waits for it, so that its number is still its own
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
                with suppress(ChildProcessError):
                    os.waitpid(process, 0)
            if not left:
                break


@cache
def _become_parent_of_orphans() -> None:
    """See that processes below this one whose parent ends become its children, and not those of process 1."""
    import ctypes

    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _children() -> set[int]:
    """Those of the main thread, to which orphans come too."""
    try:
        listed = os.open(f"/proc/self/task/{os.getpid()}/children", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return set()
    with os.fdopen(listed, "rb", buffering=0) as file:
        return set(map(int, file.read().split()))
