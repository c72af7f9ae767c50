"""The far end of a hop, on a worker's host: opened for one pair of hosts, and closed after it."""

import os
import socket
from contextlib import ExitStack

import msgspec

from threadping.errors import ThreadpingError
from threadping.fleet.host import Sent
from threadping.machine.turn import turn
from threadping.probes.beside import serving
from threadping.probes.runtimes import find_cpp

LISTENING: dict[str, ExitStack] = {}
"""What ends each far end of this worker."""


def listen(key: str, address: str, limit_s: float, cpu: int, *, anyway: bool) -> bytes:
    """Open the far end of a hop at this address, for so many seconds at most: where it is, as a `Sent`, encoded.

    It has this CPU, and ends with `close`, or with the worker. Meanwhile no other threadping measures here, unless
    `anyway`: the near end is on this machine too.
    """
    with ExitStack() as stack:
        try:
            stack.enter_context(turn(anyway=anyway))
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
