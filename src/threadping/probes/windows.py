"""The parts of a request that say how a trial is timed, and those that most requests share."""

from msgspec import Struct

from threadping.model.contract import OutliersRequest, WindowsRequest

MILLISECOND, SECOND = 1_000_000, 1_000_000_000

CHUNK_NS, CLOCK_SHARE = 20_000, 0.02
"""How long a thread works between two looks at its orders: short beside a window, long beside a look. The share of a
sampling window that reading the clock may take."""

OUTLIERS = OutliersRequest(factor=10.0, least_ns=5_000, most=2048)
"""What is looked into, and how many of a trial are kept one by one: more are counted, and nobody knows why."""


class Policy(Struct, frozen=True):
    """What a request says of how to measure."""

    windows: WindowsRequest
    look_ns: int
    patience_ns: int


BLOCKS = Policy(WindowsRequest("ops", 1000, 300, 5, CHUNK_NS, CLOCK_SHARE), look_ns=MILLISECOND, patience_ns=SECOND)
"""1000 operations in a throughput window: the clock pair costs each of them below 0.1 ns. Five visits to a line: its
median survives two that were disturbed."""
