"""What a Dask worker does on its host: say which it is, measure, be the far end of a hop. Workers import it.

What it returns are bytes of a format of ours: nothing that a host sends is unpickled.
"""

import hashlib
import os
import platform
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from importlib.metadata import version
from pathlib import Path

import msgspec
from distributed import get_worker

from threadping.model.bounds import Record
from threadping.model.errors import ThreadpingError
from threadping.model.fleet import Host
from threadping.model.quantities import duration
from threadping.probes.machine_lock import holder, machine_lock
from threadping.probes.process import NotStarted, run_bounded, temporary_folder
from threadping.probes.runtimes import find_cpp
from threadping.probes.trial import serving


def children(process: int) -> Iterator[int]:
    """All processes below this one."""
    for file in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(OSError):  # a thread that has ended meanwhile
            for child in map(int, file.read_text().split()):
                yield child
                yield from children(child)


MACHINE_ID, BOOT_ID = Path("/etc/machine-id"), Path("/proc/sys/kernel/random/boot_id")
SYSTEMD = Path("/run/systemd/system")

MOST_SENT = 64 << 20
"""In bytes: what of a run travels."""

SCOPE_S = 10.0
"""So long systemd may take to make a scope: one that hangs must not hold the host up."""

PEER = "THREADPING_PEER"
"""The variable that gives a probe the far end of a hop: host, port, and a number that a stranger does not know."""

BEGIN = (
    "import os, sys; from threadping.probes.process import die_with; die_with(int(sys.argv.pop(1))); sys.argv.pop(0); "
    "os.environ['TMPDIR'] = os.getcwd(); from threadping.__main__ import main; main()"
)
"""Starts `threadping`, which ends with its worker, and leaves nothing outside its folder even where it is killed.

What follows are the worker's process and the words.
"""


class Look(Record, frozen=True):
    """What a worker says of its host.

    `measuring` names what measures there now, `clock` its time in seconds since 1970, `cpus` those that it may use.
    """

    host: Host
    measuring: str | None
    clock: float
    cpus: tuple[int, ...] = (0,)


class Sent(Record, frozen=True):
    """What a host sends: its run, as `--format run` writes it, or what its threadping said instead."""

    run: bytes
    said: str


def look() -> bytes:
    """A `Look`, encoded."""
    boot = _text(BOOT_ID)
    identity = [_text(MACHINE_ID) or socket.gethostname(), boot]
    engine = f"dask {version('distributed')}, Python {platform.python_version()}"
    host = Host(_digest(*identity), _digest(boot), socket.gethostname(), "", version("threadping"), engine)
    return msgspec.msgpack.encode(Look(host, holder(), time.time(), tuple(os.sched_getaffinity(0))))


def measure(
    words: Sequence[str], fleet: str, limit_s: float, far_end: bytes | None = None, not_on: int | None = None
) -> bytes:
    """Carry out a command of threadping in a process of its own, for so many seconds at most: a `Sent`, encoded.

    Meanwhile the worker's thread sleeps. The process has a session and a scope of its own, a store in a temporary
    folder, and ends when the worker does, with its probes. Of a hop, `far_end` is what `far_end.listen` gave on the
    other host, and `not_on` its CPU where that is one of this machine.
    """
    variables = {}
    if far_end is not None:
        opened = msgspec.msgpack.decode(far_end, type=Sent)
        if opened.said:
            return far_end
        variables = {PEER: opened.run.decode()}  # every user can read an argument, in the name of a scope too
    try:
        # Dask clears the folders of workers that died.
        with temporary_folder(get_worker().local_directory) as folder, _without(not_on):
            run = folder / "fleet.run"
            begin = [*scope(), sys.executable, "-c", BEGIN, str(os.getpid()), _name(fleet)]
            command = [*begin, *words, "-o", str(run), "--store", str(folder / "runs.sqlite3")]
            ended = run_bounded(command, folder=folder, seconds=limit_s, variables=variables)
            sent = Sent(b"", _said(ended.log, ended.status, limit_s))
            if run.exists():
                size = run.stat().st_size
                sent = Sent(b"", f"its run has {size / 1e6:,.0f} MB, too much to send")
                if size <= MOST_SENT:
                    sent = Sent(run.read_bytes(), "")
    except NotStarted as error:
        sent = Sent(b"", str(error))
    return msgspec.msgpack.encode(sent)


@contextmanager
def _without(cpu: int | None) -> Iterator[None]:
    """Nothing that this thread starts meanwhile has this CPU, where it may use another."""
    mine = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {one for one in mine if one != cpu} or mine)
    try:
        yield
    finally:
        os.sched_setaffinity(0, mine)


def scope() -> list[str]:
    """What starts a command in a scope of its own, so that no limit of the worker's unit holds there.

    Nothing where there is no systemd, or it refuses, as it does without a session of this user, or does not answer.
    `systemd-run --scope` becomes the command that it starts, which so stays the worker's child.
    """
    in_scope = ["systemd-run", "--scope", "--quiet", "--collect", *(["--user"] if os.geteuid() else [])]
    if not SYSTEMD.is_dir() or not shutil.which("systemd-run"):
        return []
    with suppress(subprocess.SubprocessError):
        subprocess.run([*in_scope, "true"], capture_output=True, check=True, timeout=SCOPE_S)
        return in_scope
    return []


def stop(fleet: str) -> None:
    """End what this worker measures for a fleet, whatever it is doing: its run is interrupted, and goes no further."""
    for child in children(os.getpid()):
        with suppress(OSError):  # it has ended meanwhile
            if _name(fleet).encode() in Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0"):
                os.kill(child, signal.SIGTERM)


def _name(fleet: str) -> str:
    """What the host's own threadping calls itself where a second one is refused."""
    return f"threadping, fleet {fleet}:"


def _said(log: str, status: int | None, limit_s: float) -> str:
    if status is None:
        return f"it was stopped, since it had not ended after {duration(limit_s)}"
    lines = [line.removeprefix("threadping: ") for line in log.splitlines() if line.startswith("threadping: ")]
    return lines[-1] if lines else " ".join(log.split()[-30:]) or f"it ended with {status} and said nothing"


def _digest(*parts: str) -> str:
    """Systemd asks not to show a machine id; 64 bits tell as many hosts apart as there will be."""
    return hashlib.sha256("\0".join(("threadping", *parts)).encode()).hexdigest()[:16]


def _text(file: Path) -> str:
    try:
        return file.read_text().strip()
    except OSError:
        return ""


LISTENING: dict[str, ExitStack] = {}
"""What ends each far end of this worker."""


def listen(key: str, address: str, limit_s: float, cpu: int, *, anyway: bool) -> bytes:
    """Open the far end of a hop at this address, for so many seconds at most: where it is, as a `Sent`, encoded.

    It has this CPU, and ends with `close`, or with the worker. Meanwhile no other threadping measures here, unless
    `anyway`: the near end is on this machine too.
    """
    with ExitStack() as stack:
        try:
            stack.enter_context(machine_lock(anyway=anyway))
            address = str(socket.getaddrinfo(address, None)[0][4][0])  # a probe takes no names
            said = stack.enter_context(serving(find_cpp(os.environ), address, limit_s, cpu))
        except (ThreadpingError, OSError) as error:
            return msgspec.msgpack.encode(Sent(b"", f"the far end, {socket.gethostname()}: {error}"))
        LISTENING[key] = stack.pop_all()
    return msgspec.msgpack.encode(Sent(f"{address} {said}".encode(), ""))


def close(key: str) -> None:
    """End the far end of this name, if it is still there."""
    if stack := LISTENING.pop(key, None):
        stack.close()
