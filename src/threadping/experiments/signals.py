"""One thread tells another: `signal` and `self-test` by memory or a lock, `wakeup` by a call, `network` by a network.

- `signal`: the one-way latency is half a round trip: median (`typical` in JSON) and mean from whole windows, which the
  clock does not disturb. The distribution is of single round trips, between which the clock is read, and not halved: in
  a slow one either way may have been slow.
- `self-test`: as `signal`, but pong works between seeing and telling, for as long as was asked, and stalls in every
  n-th turn. What the delay takes is timed by itself too, by another clock. It checks threadping, and no machine.
- `wakeup`: N pairs of threads, as published ("Notify... oh, wait! I have a signal", 2015): the notifier fills a buffer,
  calls, and pauses; the waiter waits until it is called, and pauses. Two distributions, of the duration of the call and
  of the delay from its start to the woken thread's first instruction, and why the slow ones were slow.
- `network`: a message goes to a far end, which sends it back. One way is half a round trip, as of `signal`.
"""

from threadping.analysis.causes import crowded
from threadping.analysis.checks import Facts, warns
from threadping.analysis.declaration import Column, Figure, Percentiles, Question, Row
from threadping.analysis.row_warnings import ClosedLoop
from threadping.experiments import common
from threadping.experiments.common import Experiment
from threadping.model import reading
from threadping.model.contract import Result
from threadping.planning.defaults import CaseDefaults, DefaultCase, Pace, in_blocks, in_long_periods

ROUND_TRIPS = Percentiles("round_trip_ns", "single round trips", head="round trip", says="signal.round_trip_ns")
SHORTEST_SLICE_NS = 100_000
"""No scheduler of Linux takes the CPU from a thread sooner (EEVDF's base slice is 0.7 ms and more). A faster one
gave the CPU away, by a yield or by parking."""


@warns("time-slice", "note")
def time_slice(row: Row) -> Facts | None:
    typical = row.headline.value if row.headline else 0.0
    waits_for_slices = typical >= SHORTEST_SLICE_NS and not row.case.blocking and crowded(row)
    return {"one_way": typical, "per_second": 1e9 / typical} if waits_for_slices else None


@warns("one-line", "note")
def one_line(row: Row) -> Facts | None:
    alone = not row.case.blocking and row.case.lines == 1
    return {"lines": row.number("lines")} if alone else None


SPINNING, BLOCKED = "signal a spinning thread", "wake a blocked thread"  # the operations of the first screen
WAKE_UP_CALL = "wake-up call, {number} independent pairs"

SIGNAL = Experiment(
    help="Measure what it costs one thread to signal another (one-way latency).",
    examples=[
        ("signal", "every mechanism, on every placement"),
        ("signal --mechanism xadd-one-line --wait spin,pause", "PAUSE?"),
        ("signal --cpus 0,1 --budget 20s", "between these two CPUs"),
    ],
    defaults=CaseDefaults(
        threads=2,
        first=(
            DefaultCase("cas-one-line", where=("home", "apart")),  # how far are my CPUs from each other?
            DefaultCase("condition"),  # what does it cost to sleep?
            DefaultCase("release-one-line", {"wait": "pause"}),  # what is the cheapest there is?
            DefaultCase("release-two-lines"),  # what does a queue pay?
            DefaultCase("condition", where=("unpinned",)),  # and without pinning?
        ),
    ),
    pace=Pace(in_blocks, sleeps=True, promised={"handoffs": True}),
    figures=common.declare(
        ROUND_TRIPS,
        title="one-way latency",
        metric="one way",
        headline="latency_ns.typical",
        mixed="latency_ns.mean",
        figures=(
            *common.round_trips("signal", reading.typical, reading.ns_per_op),
            *common.mixture("ns", reading.ns_per_op),
            Figure("line_ns.min", "ns", lambda result: min(reading.line_medians(result)), over="least"),
            Figure("line_ns.max", "ns", lambda result: max(reading.line_medians(result)), over="most"),
            Figure("lines_spread", "share", reading.lines_spread),
        ),
        checks=(
            time_slice,
            one_line,
            # Ping times two handoffs at once. Each round trip begins where the one before has ended, so that their
            # mean is the pace, which `regime` looks at.
            ClosedLoop(ROUND_TRIPS, under_way=lambda _: 2).checks[0],
        ),
        questions=(
            Question(SPINNING, "release-one-line", params={"wait": "pause"}),
            Question(SPINNING, "cas-one-line", rank=6),
            Question(SPINNING, "release-two-lines", rank=8),
            Question(BLOCKED, "condition"),
            Question(BLOCKED, "condition", unpinned=True, rank=7),
        ),
        op="handoff",
        measures="one-way",
        notes=(
            "One way is half a round trip: median and mean, from whole blocks. Percentiles are of single round trips, "
            "not halved; nothing is subtracted.",
        ),
    ),
    options={"wait": common.WAIT},
)


PLANTED_TRIPS = Percentiles(
    "round_trip_ns",
    "single round trips",
    of="round-trip",
    head="round trip",
    says="self-test.round_trips",
    outliers="",
)


def _round_trip(result: Result) -> float | None:
    """Read whole windows, in which nobody reads a clock: two handoffs."""
    typical = reading.typical(result)  # of whole windows, in which nobody reads a clock: two handoffs
    return None if typical is None else 2 * typical


def _delay(result: Result) -> float | None:
    """Read what the delay takes by itself, by the raw clock, in picoseconds."""
    alone = result.distributions.get("delay-alone")  # by the raw clock, in picoseconds
    typical = reading.median_of(alone) if alone else None
    return None if typical is None else typical / 1_000


def _stalls(result: Result) -> float:
    counts = result.counts.get("stalls")  # absent if it counted nothing
    return float(counts.made) if counts else 0.0


SELF_TEST = Experiment(
    help="Check threadping itself: known delays and stalls planted in a signal (`doctor --self-test` judges them).",
    examples=(),  # `doctor --self-test` measures it
    own_command=True,
    defaults=CaseDefaults(threads=2, first=(DefaultCase("release-two-lines"), DefaultCase("condition"))),
    pace=Pace(in_blocks),
    figures=common.declare(
        PLANTED_TRIPS,
        title="round trips with planted delays",
        metric="a round trip",
        conditions=("delay", "stall", "stall-every"),
        headline="self-test.round_trip_ns",
        figures=(
            Figure("self-test.round_trip_ns", "ns", _round_trip, Column("round trip"), "less"),
            Figure("self-test.delay_ns", "ns", _delay, Column("delay alone", 1)),
            Figure("self-test.stalls", "count", _stalls, Column("stalls", 2), over="total"),
        ),
        op="handoff",
        measures="round trip",
    ),
)


CALLS = Percentiles("latency_ns", "calls", of="call", head="call", idle="another", says="wakeup.latency_ns")
WAKES = Percentiles("wake_ns", "wake-ups", of="wake", head="wake", outliers="wake_outliers", idle="own", across=True)


def _found_waiting(result: Result) -> float | None:
    wakes = result.counts.get("wake-ups")
    return wakes.found / wakes.made if wakes and wakes.made else None


WAKEUP = Experiment(
    help="Measure the call that wakes a thread: what it costs, how late the thread wakes, and why slow calls are slow.",
    examples=[
        ("wakeup", "every way to wake a thread"),
        ("wakeup --mechanism futex --outlier-limit 20us", "slow"),
    ],
    defaults=CaseDefaults(
        threads=None,
        group=2,
        groups=(16, 1, 256),  # published: 16 and 256
        first=(DefaultCase("condition"),),  # what does it cost to wake one, in every language?
    ),
    # 16 pairs, a call a millisecond each, six trials: 10,000 calls, which p99.9 needs. With 512 threads processes took
    # 0.3 s more in C++ and 1.1 s in Java.
    pace=Pace(
        in_long_periods,
        measure_s=0.18,
        crowded_visits=0,
        thread_s=0.0015,
        sleeps=True,
        promised={"calls": True},
        every_s=common.pause_s,
    ),
    figures=common.declare(
        CALLS,
        WAKES,
        title="duration of the call that wakes a thread",
        metric="for the call that wakes",
        conditions=("message-bytes", "pause", "waiter-pause"),
        headline="latency_ns.typical",
        by_state=lambda _: False,
        figures=(
            *common.middle(CALLS, Column("call"), Column("mean", 4)),
            *common.middle(WAKES, Column("wake", 2, of_rows=False)),
            Figure("ops_per_s", "per_s", reading.rate, Column("calls/s", 5), better="more", says="wakeup.ops_per_s"),
            Figure("wakeup.found_waiting", "share", _found_waiting),
        ),
        checks=(common.oversubscribed("threads-share-cpus", lambda _: ""),),
        questions=(
            Question(WAKE_UP_CALL, "condition", groups=16, rank=1),
            Question(
                WAKE_UP_CALL,
                "condition",
                figure="wake_ns.typical",
                what="until the thread runs",
                groups=16,
                rank=5,
            ),
        ),
        op="call",
        measures="call",
        along="pairs",
        notes=(
            "call is the duration of the call that wakes, wake the delay from its start to the woken thread's first "
            "instruction; one reading of the clock is in each.",
        ),
    ),
    options={
        "message-bytes": "Fill N bytes before each call; N,M both.",
        "pause": "Pause the notifier after each call, such as 1ms.",
    },
)


HOP_ROUND_TRIPS = Percentiles("round_trip_ns", "single round trips", head="round trip", says="network.round_trip_ns")


def _lost(result: Result) -> float | None:
    datagrams = result.counts.get("datagrams")
    return 1 - datagrams.found / datagrams.made if datagrams and datagrams.made else None


def _far_cpu(result: Result) -> float | None:
    found = result.distributions.get("far-end-cpu")  # of sampling windows, at whose ends the far end is asked
    return reading.mean_of(found) if found else None


NETWORK = Experiment(
    help="Measure the one-way latency of the network, over loopback.",
    examples=[("network", "tcp and udp over loopback"), ("network --message-bytes 1000", "messages of 1,000 bytes")],
    own_command=True,
    defaults=CaseDefaults(
        threads=1, first=(DefaultCase("tcp-loopback"), DefaultCase("tcp-loopback-spin"), DefaultCase("udp-loopback"))
    ),
    # the windows of threads that sleep: a round trip through a network takes as long
    pace=Pace(lambda measure, warmup, crowding, _: in_blocks(measure, warmup, crowding, blocking=True), measure_s=0.3),
    figures=common.declare(
        HOP_ROUND_TRIPS,
        title="one-way latency",
        metric="one way",
        conditions=("message-bytes",),
        headline="latency_ns.typical",
        figures=(
            *common.round_trips(
                "network", lambda result: reading.typical(result) / 2, lambda result: reading.ns_per_op(result) / 2
            ),
            Figure(
                "cpu_ns_per_op", "ns", reading.cpu_ns_per_op, Column("CPU/op", 3), "less", says="network.cpu_ns_per_op"
            ),
            Figure("network.far_cpu_ns_per_op", "ns", _far_cpu, Column("far CPU", 6), better="less"),
            Figure("network.lost", "share", _lost, Column("lost", 4), better="less"),
        ),
        op="round trip",
        measures="one-way",
        notes=(
            "One way is half a round trip: median and mean, from whole windows. Percentiles are of single round trips, "
            "not halved. CPU is that of the near end, far CPU that of the far end, for each round trip.",
        ),
    ),
    options={"message-bytes": "Set the bytes of a message [default: 64]."},
)
