"""The process that measures a run, by which a later one finds out whether it still does.

A process that is killed cannot write that it was. So a run records its owner, and a reader of a run that is still
`running` looks for that process. Process numbers are reused, and are of one PID namespace (a container has its own);
together with the boot and the tick at which the process started they are unique.
"""

import os
import socket
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from threadping.model.run import Owner

_PROC, _MACHINE_ID = Path("/proc"), Path("/etc/machine-id")
_DEAD_STATES = frozenset("ZXx")  # zombie, dead: killed, though its parent has not yet asked; see proc_pid_stat(5)


def owner_of_this_process() -> Owner:
    """Describe this process so that another, later, can find out whether it still runs."""
    namespace = boot_id = ""
    with suppress(OSError):  # without /proc nothing can be found out later
        boot_id = (_PROC / "sys/kernel/random/boot_id").read_text().strip()
        namespace = (_PROC / "self/ns/pid").readlink().name
    _, started_ticks = _state_and_start(os.getpid()) or ("", 0)
    return Owner(socket.gethostname(), boot_id, os.getpid(), started_ticks, namespace, _machine())


def _machine() -> str:
    """Return a digest of the machine's id, which systemd asks not to show; empty without one, as in a container."""
    try:
        found = _MACHINE_ID.read_text(errors="replace").strip()
    except OSError:
        return ""
    return sha256(f"threadping {found}".encode()).hexdigest()[:16] if found else ""


def is_running(owner: Owner) -> bool | None:
    """Return if the process certainly runs; None where that cannot be known from here.

    Nothing is known of the processes of another host or another container, nor of any where there is no /proc.
    """
    here = owner_of_this_process()
    if not here.boot_id:
        return None
    if owner.boot_id != here.boot_id:  # another host, or this one before it was started anew
        return False if owner.hostname == here.hostname else None
    if owner.pid_namespace != here.pid_namespace:
        return None
    if not _exists(owner.pid):
        return False
    # What cannot be read is hidden by /proc's hidepid option; it may well be the owner.
    state, started_ticks = _state_and_start(owner.pid) or ("", owner.started_ticks)
    return state not in _DEAD_STATES and started_ticks == owner.started_ticks


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
        stat = (_PROC / str(pid) / "stat").read_text(errors="replace")
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()  # the name, in parentheses, may itself hold spaces and parentheses
    return fields[0], int(fields[19])
