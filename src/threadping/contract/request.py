"""What `probe run` reads: one trial."""

from typing import Annotated

from msgspec import Meta

from threadping.contract.values import HOUR_NS, MOST_THREADS, CpuNumber, Message, Name, Params, Pin, Version, WindowUnit


class ThreadRequest(Message, frozen=True):
    """Where one measuring thread stands; `cpu` None leaves it to the scheduler."""

    cpu: CpuNumber | None


class WarmupRequest(Message, frozen=True):
    """The very windows that will be measured: `rounds` rounds of `ops` operations, and on until the pace is steady.

    Steady is a pace whose last two stretches differ by at most the share `steady`, while the runtime compiled and
    collected nothing; None does not wait for it. `limit_ns` ends the warm-up in any case. A stretch of work of
    `look_ns` tells how long an operation takes. An `uninterrupted` round is one loop, which a JIT replaces under way.
    """

    rounds: Annotated[int, Meta(ge=0, le=1_000_000)]
    ops: Annotated[int, Meta(ge=1, le=1_000_000_000_000)]
    steady: Annotated[float, Meta(gt=0, le=1)] | None
    limit_ns: Annotated[int, Meta(ge=0, le=HOUR_NS)]
    look_ns: Annotated[int, Meta(ge=1, le=HOUR_NS)]
    uninterrupted: bool


class WindowsRequest(Message, frozen=True):
    """How long a throughput window and a sampling one are, in `unit`, and how often the clock is read.

    With ops they are shortened until there is time for `visits` visits to every line. With ns a thread works about
    `chunk_ns` between two looks at its orders, and the clock takes at most `clock_share` of a sampling window.
    """

    unit: WindowUnit
    throughput: Annotated[int, Meta(ge=1, le=HOUR_NS)]
    sampling: Annotated[int, Meta(ge=1, le=HOUR_NS)]
    visits: Annotated[int, Meta(ge=1, le=1000)]
    chunk_ns: Annotated[int, Meta(ge=1, le=1_000_000_000)]
    clock_share: Annotated[float, Meta(gt=0, le=1)]


class OutliersRequest(Message, frozen=True):
    """What is looked into: what takes at least `least_ns` and `factor` times the median so far; `most` of a thread."""

    factor: Annotated[float, Meta(ge=1, le=1_000_000)]
    least_ns: Annotated[int, Meta(ge=1, le=HOUR_NS)]
    most: Annotated[int, Meta(ge=1, le=10_000)]


class Request(Message, frozen=True):
    """One trial, as `probe run` is asked for it; `home` are the CPUs on which the cells are made and first touched."""

    experiment: Name
    mechanism: Name
    params: Params
    threads: Annotated[tuple[ThreadRequest, ...], Meta(min_length=1, max_length=MOST_THREADS)]
    pin: Pin
    lines: Annotated[int, Meta(ge=1, le=65536)]
    home: Annotated[tuple[CpuNumber, ...], Meta(min_length=1)] | None
    warmup: WarmupRequest
    windows: WindowsRequest
    outliers: OutliersRequest | None
    measure_ns: Annotated[int, Meta(ge=1_000_000, le=HOUR_NS)]
    bound_ns: Annotated[int, Meta(ge=1_000_000, le=2 * HOUR_NS)]
    patience_ns: Annotated[int, Meta(ge=1_000_000, le=HOUR_NS)]
    seed: Annotated[int, Meta(ge=0, le=2**53 - 1)]
    schema: Version
