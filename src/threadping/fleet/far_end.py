"""The far end of a hop, on a worker's host: opened for one pair of hosts, and closed after it."""

import os
import re
import select
import socket
import subprocess
from contextlib import ExitStack, suppress
from math import ceil
from subprocess import DEVNULL, PIPE, STDOUT

import msgspec

from threadping.errors import ThreadpingError
from threadping.fleet.host import Sent
from threadping.machine.turn import turn
from threadping.probes.runtimes import find_runtimes

LISTEN_S = 10.0
"""So long a far end may take to open."""

LISTENING: dict[str, ExitStack] = {}
"""What ends each far end of this worker."""


def listen(key: str, address: str, limit_s: float, cpu: int, *, anyway: bool) -> bytes:
    """Open the far end of a hop at this address, for so many seconds at most: where it is, as a `Sent`, encoded.

    It has this CPU, and ends with `close`, or with the worker. Meanwhile no other threadping measures here, unless
    `anyway`: the near end is on this machine too.
    """
    name = f"the far end, {socket.gethostname()}"
    with ExitStack() as stack:
        try:
            stack.enter_context(turn(anyway=anyway))
            address = str(socket.getaddrinfo(address, None)[0][4][0])  # a probe takes no names
            limits = ("--seconds", str(ceil(limit_s)), "--parent", str(os.getpid()))
            command = (*find_runtimes(os.environ).cpp().command, "serve", "--host", address, *limits)
            process = subprocess.Popen(command, stdin=DEVNULL, stdout=PIPE, stderr=STDOUT, text=True)
        except (ThreadpingError, OSError) as error:
            return msgspec.msgpack.encode(Sent(b"", f"{name}: {error}"))
        stack.enter_context(process)
        stack.callback(process.kill)
        with suppress(ProcessLookupError):  # it has ended already, and says why
            os.sched_setaffinity(process.pid, {cpu})
        assert process.stdout is not None
        there, _, _ = select.select([process.stdout], [], [], LISTEN_S)
        said = process.stdout.readline().strip() if there else "it says nothing"
        if not re.fullmatch(r"\d+ \d+", said):
            return msgspec.msgpack.encode(Sent(b"", f"{name}: {said or 'it ended at once'}"))
        LISTENING[key] = stack.pop_all()
    return msgspec.msgpack.encode(Sent(f"{address} {said}".encode(), ""))


def close(key: str) -> None:
    """End the far end of this name, if it is still there."""
    if stack := LISTENING.pop(key, None):
        stack.close()
