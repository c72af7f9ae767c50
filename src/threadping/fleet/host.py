"""What a Dask worker does on its host: say which host that is, and measure there. Workers import it.

What it returns are bytes of a format of ours: nothing that a host sends is unpickled.
"""

import ctypes
import hashlib
import os
import platform
import re
import select
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
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

SELF_CHECK = ("compare", "signal", "--mechanism", "cas-one-line", "--metric", "mean", "--margin", "1%")
SELF_CHECK_S = 10.0
"""What Dask costs on a host: a short comparison, for so long at most, whose A has the engine paused. The mean counts
what interruptions take, and a median would not."""

PAUSED = """#!/bin/sh -e
# The probe holds this lock until it ends, however it ends. Who waits for it lets the engine go on, from a session where
# nobody ends it with the probe; it is there before the engine is paused.
exec 9< "$0"
flock 9
waiting="$(setsid sh -c 'flock "$0" kill -CONT {engine} 9<&- > /dev/null 2>&1 &' "$0")"
kill -STOP {engine}
exec {probe} "$@"
"""

RUNNING = """#!/bin/sh
kill -CONT {engine}
exec {probe} "$@"
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
            run, sent = folder / "fleet.run", Sent(b"", "")
            begin = [*environment, sys.executable, "-c", BEGIN, str(os.getpid()), _name(fleet)]
            for of_them in _commands(words, folder, run):
                command = [*begin, *of_them, "--store", str(folder / "runs.sqlite3")]
                ended = run_bounded(command, folder=folder, seconds=limit_s, most_bytes=LARGEST_STORE)
                sent = Sent(b"", sent.said or _said(ended.log, ended.status, limit_s))
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


def _commands(words: Sequence[str], folder: Path, run: Path) -> list[list[str]]:
    """What writes the run of these words into a file; NotStarted where the engine cannot be paused."""
    if tuple(words) != SELF_CHECK:
        return [[*words, "-o", str(run)]]
    engine = [os.getppid(), *_children(os.getppid())] if get_worker().nanny else [os.getpid()]
    if 1 in engine:
        raise NotStarted("Dask is the first process of its container, which nothing can pause: start it below an init")
    fields = {"engine": " ".join(map(str, engine)), "probe": shlex.quote(find_runtimes(os.environ).cpp().command[0])}
    for name, script in {"engine-paused": PAUSED, "engine-running": RUNNING}.items():
        (folder / name).write_text(script.format(**fields))
        (folder / name).chmod(0o700)
        words = [*words, "--runtime", shlex.quote(f"cpp={folder / name}")]
    return [[*words, "--budget", f"{SELF_CHECK_S}s"], ["show", "-o", str(run)]]


def _children(process: int) -> Iterator[int]:
    """All processes below this one."""
    for file in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(OSError):  # a thread that has ended meanwhile
            for child in map(int, file.read_text().split()):
                yield child
                yield from _children(child)


def stop(fleet: str) -> None:
    """End what this worker measures for a fleet, at whatever it is: its run is interrupted, and goes no further."""
    for child in _children(os.getpid()):
        with suppress(OSError):  # it has ended meanwhile
            if _name(fleet).encode() in Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0"):
                os.kill(child, signal.SIGTERM)


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
