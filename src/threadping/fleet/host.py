"""What a Dask worker does on its host: say which host that is, and measure there. Workers import it.

What it returns are bytes of a format of ours: nothing that a host sends is unpickled.
"""

import ctypes
import hashlib
import os
import platform
import re
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from importlib.metadata import version
from math import ceil
from pathlib import Path
from subprocess import DEVNULL, PIPE, STDOUT

import msgspec
from distributed import get_worker

from threadping.errors import ThreadpingError
from threadping.machine.turn import holder, named, turn
from threadping.model import Host, Record
from threadping.probes.process import NotStarted, run_bounded, temporary_folder
from threadping.probes.runtimes import find_runtimes
from threadping.quantities import duration

MACHINE_ID, BOOT_ID = Path("/etc/machine-id"), Path("/proc/sys/kernel/random/boot_id")

LARGEST_STORE, LARGEST_RUN = 4 << 30, 64 << 20
"""In bytes: what a run may leave in its temporary store, and what of it travels."""

PR_SET_PDEATHSIG = 1

PEER = "THREADPING_PEER"
"""The variable by which a probe is told the far end of a hop: host, port, and the number that tells strangers apart."""

LISTEN_S = 10.0
"""So long a far end may take to open."""

LISTENING: dict[str, ExitStack] = {}
"""What ends each far end of this worker."""

BEGIN = (
    "import os, sys; from threadping.fleet.host import die_with; die_with(int(sys.argv.pop(1))); sys.argv.pop(0); "
    "os.environ['TMPDIR'] = os.getcwd(); from threadping.cli.app import main; main()"
)
"""Starts `threadping`, which ends with its worker, and leaves nothing outside its folder even where it is killed.

What follows are the worker's process and the words.
"""


class Look(Record, frozen=True):
    """What a worker says of its host. `measuring` is who measures there now, `clock` its time in seconds since 1970."""

    host: Host
    measuring: str | None
    clock: float


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
    other = holder()
    return msgspec.msgpack.encode(Look(host, named(other) if other else None, time.time()))


def measure(words: Sequence[str], fleet: str, limit_s: float, far_end: bytes | None = None) -> bytes:
    """Carry out a command of threadping in a process of its own, for so many seconds at most: a `Sent`, encoded.

    Meanwhile the worker's thread sleeps. The process has a session of its own, a store in a temporary folder, and ends
    when the worker does, with its probes. Of a hop, `far_end` is what `listen` gave on the other host.
    """
    environment = []
    if far_end is not None:
        opened = msgspec.msgpack.decode(far_end, type=Sent)
        if opened.said:
            return far_end
        environment = ["env", f"{PEER}={opened.run.decode()}"]
    try:
        # Dask clears the folders of workers that died.
        with temporary_folder(get_worker().local_directory) as folder:
            run = folder / "fleet.run"
            command = [*environment, sys.executable, "-c", BEGIN, str(os.getpid()), _name(fleet), *words]
            command += ["--store", str(folder / "runs.sqlite3"), "-o", str(run)]
            ended = run_bounded(command, folder=folder, seconds=limit_s, most_bytes=LARGEST_STORE)
            sent = Sent(b"", _said(ended.log, ended.status, limit_s))
            if run.exists():
                size = run.stat().st_size
                sent = Sent(b"", f"its run has {size / 1e6:,.0f} MB, too much to send")
                if size <= LARGEST_RUN:
                    sent = Sent(run.read_bytes(), "")
    except NotStarted as error:
        sent = Sent(b"", str(error))
    return msgspec.msgpack.encode(sent)


def listen(key: str, address: str, limit_s: float, *, anyway: bool) -> bytes:
    """Open the far end of a hop at this address, for so many seconds at most: where it is, as a `Sent`, encoded.

    It ends with `hush`, or with the worker. Meanwhile no other threadping measures here, unless `anyway`.
    """
    name = f"the far end, {socket.gethostname()}"
    with ExitStack() as stack:
        try:
            stack.enter_context(turn(anyway=anyway))
            limits = ("--seconds", str(ceil(limit_s)), "--parent", str(os.getpid()))
            command = (*find_runtimes(os.environ).cpp().command, "serve", "--host", address, *limits)
            process = subprocess.Popen(command, stdin=DEVNULL, stdout=PIPE, stderr=STDOUT, text=True)
        except (ThreadpingError, OSError) as error:
            return msgspec.msgpack.encode(Sent(b"", f"{name}: {error}"))
        stack.callback(process.wait)
        stack.callback(process.kill)
        assert process.stdout is not None
        there, _, _ = select.select([process.stdout], [], [], LISTEN_S)
        said = process.stdout.readline().strip() if there else "it says nothing"
        if not re.fullmatch(r"\d+ \d+", said):
            return msgspec.msgpack.encode(Sent(b"", f"{name}: {said or 'it ended at once'}"))
        LISTENING[key] = stack.pop_all()
    return msgspec.msgpack.encode(Sent(f"{address} {said}".encode(), ""))


def hush(key: str) -> None:
    """End the far end of this name, if it is still there."""
    if stack := LISTENING.pop(key, None):
        stack.close()


def stop(fleet: str) -> None:
    """End what a fleet measures on this host: its run is interrupted there, and comes back as far as it went."""
    other = holder()
    if other and other.pid and other.command.startswith(_name(fleet)):
        os.kill(other.pid, signal.SIGTERM)


def die_with(parent: int) -> None:
    """See that this process is killed when its parent ends, however that ends."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # which has ended before
        raise SystemExit(1)


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
