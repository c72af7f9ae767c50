"""The work of a Dask worker on its host: say which it is, measure, be the far end of a hop. Workers import it.

Its functions return bytes of a format of ours: nothing that a host sends is unpickled.
"""

import hashlib
import os
import platform
import signal
import socket
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from importlib.metadata import version
from pathlib import Path

import msgspec
import psutil  # distributed requires it
from distributed import get_worker

from threadping.model.errors import ThreadpingError
from threadping.model.quantities import duration
from threadping.model.run import Host
from threadping.probes.owner import holder, machine_lock
from threadping.probes.process import NotStarted, run_bounded, temporary_folder
from threadping.probes.runtimes import find_cpp
from threadping.probes.trial import serving
from threadping.studies.fleet.jobs import HostReport, HostResult

MACHINE_ID, BOOT_ID = Path("/etc/machine-id"), Path("/proc/sys/kernel/random/boot_id")

MOST_SENT = 64 << 20  # bytes of a run that travel at most

PEER = "THREADPING_PEER"
"""The variable that gives a probe the far end of a hop: host, port, and a number that a stranger does not know."""

BEGIN = (
    "import os, sys; from threadping.probes.process import die_with; die_with(int(sys.argv.pop(1))); sys.argv.pop(0); "
    "os.environ['TMPDIR'] = os.getcwd(); from threadping.__main__ import main; main()"
)
"""Python that starts `threadping`, which ends with its worker, and leaves nothing outside its folder even if killed.

Its arguments are the worker's process and the words.
"""


def look() -> bytes:
    """Return a `HostReport`, encoded."""
    boot = _text(BOOT_ID)
    engine = f"dask {version('distributed')}, Python {platform.python_version()}"
    key, machine = _digest(_text(MACHINE_ID) or socket.gethostname(), boot), _digest(boot)
    host = Host(key, machine, socket.gethostname(), "", version("threadping"), engine)
    return msgspec.msgpack.encode(HostReport(host, holder(), time.time(), tuple(os.sched_getaffinity(0))))


def _digest(*parts: str) -> str:
    """Systemd asks not to show a machine id; 64 bits tell as many hosts apart as there will be."""
    return hashlib.sha256("\0".join(("threadping", *parts)).encode()).hexdigest()[:16]


def _text(file: Path) -> str:
    try:
        return file.read_text().strip()
    except OSError:
        return ""


def measure(words: Sequence[str], fleet: str, limit_s: float, far_end: bytes | None = None) -> bytes:
    """Carry out a command of threadping in a process of its own, within a limit in seconds: a `HostResult`, encoded.

    Meanwhile the worker's thread sleeps. The process has a session of its own, a store in a temporary folder, and ends
    when the worker does, with its probes. Of a hop, `far_end` is what `listen` gave on the other host.
    """
    variables = {}
    if far_end is not None:
        opened = msgspec.msgpack.decode(far_end, type=HostResult)
        if opened.said:
            return far_end
        variables = {PEER: opened.run.decode()}  # every user can read an argument
    try:
        # Dask clears the folders of workers that died.
        with temporary_folder(get_worker().local_directory) as folder:
            run = folder / "fleet.run"
            begin = [sys.executable, "-c", BEGIN, str(os.getpid()), _name(fleet)]
            command = [*begin, *words, "-o", str(run), "--store", str(folder / "runs.sqlite3")]
            ended = run_bounded(command, folder=folder, seconds=limit_s, variables=variables)
            if not run.exists():
                sent = HostResult(b"", _said(ended.log, ended.status, limit_s))
            elif (size := run.stat().st_size) > MOST_SENT:
                sent = HostResult(b"", f"its run has {size / 1e6:,.0f} MB, too much to send")
            else:
                sent = HostResult(run.read_bytes(), "")
    except NotStarted as error:
        sent = HostResult(b"", str(error))
    return msgspec.msgpack.encode(sent)


def _said(log: str, status: int | None, limit_s: float) -> str:
    if status is None:
        return f"it was stopped, since it had not ended after {duration(limit_s)}"
    lines = [line.removeprefix("threadping: ") for line in log.splitlines() if line.startswith("threadping: ")]
    return lines[-1] if lines else " ".join(log.split()[-30:]) or f"it ended with {status} and said nothing"


def _name(fleet: str) -> str:
    """Name the host's own threadping where a second one is refused."""
    return f"threadping, fleet {fleet}:"


def stop(fleet: str) -> None:
    """End what this worker measures for a fleet, whatever it is doing: its run is interrupted, and goes no further."""
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):  # it has ended meanwhile
            if _name(fleet) in child.cmdline():
                child.send_signal(signal.SIGTERM)


LISTENING: dict[str, ExitStack] = {}
"""The far ends of this worker, by the pair."""


def listen(key: str, address: str, limit_s: float, cpu: int) -> bytes:
    """Open the far end of a hop at this address, within a limit in seconds: where it is, as a `HostResult`, encoded.

    It has this CPU, and ends with `close`, or with the worker. Meanwhile no other threadping measures here.
    """
    with ExitStack() as stack:
        try:
            stack.enter_context(machine_lock())
            address = str(socket.getaddrinfo(address, None)[0][4][0])  # a probe takes no names
            said = stack.enter_context(serving(find_cpp(os.environ), address, limit_s, cpu))
        except (ThreadpingError, OSError) as error:
            return msgspec.msgpack.encode(HostResult(b"", f"the far end, {socket.gethostname()}: {error}"))
        LISTENING[key] = stack.pop_all()
    return msgspec.msgpack.encode(HostResult(f"{address} {said}".encode(), ""))


def close(key: str) -> None:
    """End the far end of this pair, if it is still there."""
    if stack := LISTENING.pop(key, None):
        stack.close()
