"""Which process carries a run out, and whether it still does.

A process that is killed cannot write that it was. So a run records its owner, and whoever reads a run that is still
`running` looks for that owner. Process numbers are reused; together with the boot and the tick at which the process
started they are not.
"""

import os
import socket
from contextlib import suppress
from pathlib import Path

from threadping.model import Owner

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_DEAD_STATES = frozenset("ZXx")  # zombie, dead: killed, though its parent has not yet asked; see proc_pid_stat(5)


def owner_of_this_process() -> Owner:
    """Describe this process so that another, later, can tell whether it still runs."""
    _, started_ticks = _state_and_start(os.getpid()) or ("", 0)
    return Owner(hostname=socket.gethostname(), boot_id=_boot_id(), pid=os.getpid(), started_ticks=started_ticks)


def is_gone(owner: Owner) -> bool:
    """Tell whether the process certainly runs no more; False where this machine cannot know.

    Of another host's processes nothing can be known from here, nor of any where there is no /proc.
    """
    boot_id = _boot_id()
    if is_elsewhere(owner) or not boot_id:
        return False
    if owner.boot_id != boot_id or not _exists(owner.pid):
        return True
    # What cannot be read is hidden by /proc's hidepid option; it may well be the owner.
    state, started_ticks = _state_and_start(owner.pid) or ("", owner.started_ticks)
    return state in _DEAD_STATES or started_ticks != owner.started_ticks


def is_elsewhere(owner: Owner) -> bool:
    """Tell whether it runs, or ran, on another host."""
    return owner.hostname != socket.gethostname()


def _boot_id() -> str:
    try:
        return _BOOT_ID.read_text().strip()
    except OSError:
        return ""


def _exists(pid: int) -> bool:
    if pid <= 0:  # to kill(2) these mean groups, not a process
        return False
    try:
        with suppress(PermissionError):
            os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    return True


def _state_and_start(pid: int) -> tuple[str, int] | None:
    """Return a process's state and the clock tick since boot at which it started; None if that cannot be read."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()  # the name, in parentheses, may itself hold spaces and parentheses
    return fields[0], int(fields[19])
