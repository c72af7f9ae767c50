"""Faults that another branch mends: each moves to its kind when that has landed, and this file goes."""

import socket

from tests.end_to_end.faults.fault import NOTHING, Bench, Fault


def silent(bench: Bench) -> None:
    """A port that takes connections and says nothing."""
    bench.patch.setattr("threadping.store.silence.ANSWER_S", 0.5)
    server = socket.create_server(("127.0.0.1", 0))
    bench.holds.append(server)
    bench.env["THREADPING_STORE"] = f"postgresql://me:secret@127.0.0.1:{server.getsockname()[1]}/runs"


FAULTS = (
    Fault(
        "10^23 pings",
        "ping -c 99999999999999999999999",
        2,
        "Invalid value for '--count' / '-c': 99999999999999999999999 is not in the range 1<=x<=1000000000. "
        "`threadping ping --help` lists the options.",
        NOTHING,
    ),
    Fault(
        "trials of a millisecond",
        "signal --trial 1ms",
        2,
        "A trial of 1ms is not possible; it must be from 2ms to 1h, half of which is its warm-up.",
        NOTHING,
    ),
    Fault("PostgreSQL does not answer", "list", 1, "?", NOTHING, silent),
)
