"""One thread tells another: `signal` and `self-test` by memory or a lock, `wakeup` by a call, `network` by a network.

One tells many, and waits for them: `barrier`.

- `signal`: the one-way latency is half a round trip: median (`typical` in JSON) and mean from whole windows, which the
  clock does not disturb. The distribution is of single round trips, between which the clock is read, and not halved: in
  a slow one either way may have been slow.
- `self-test`: as `signal`, but pong works between seeing and telling, for as long as was asked, and stalls in every
  n-th turn. What the delay takes is timed by itself too, by another clock. It checks threadping, and no machine.
- `wakeup`: N pairs of threads, as published ("Notify... oh, wait! I have a signal", 2015): the notifier fills a buffer,
  calls, and pauses; the waiter waits until it is called, and pauses. Two distributions, of the duration of the call and
  of the delay from its start to the woken thread's first instruction, and why the slow ones were slow.
- `network`: a message goes to a far end, which sends it back. One way is half a round trip, as of `signal`.
- `barrier`: what it costs to release many threads, and to wait until all have done their part. The coordinator begins a
  round and its workers run: a barrier, a broadcast, a fork and join. Each timed round has four times from the
  coordinator's start: until its call returned, until the first and the last worker ran, and until the coordinator knew
  that all were done. Rounds a second come from windows in which no thread reads a clock.
"""

from collections.abc import Iterator
from functools import partial

from threadping.analysis.causes import OUR_WAKES_A_WINDOW, crowded
from threadping.analysis.checks import Finding, finding
from threadping.analysis.declaration import Row, RowCheck
from threadping.analysis.row_warnings import ClosedLoop
from threadping.experiments import common
from threadping.model import reading
from threadping.model.cases import Case
from threadping.model.contract import Request, Result
from threadping.planning import defaults

(ROUND_TRIPS,) = common.MEASURED["signal"].distributions
SHORTEST_SLICE_NS = 100_000
"""No scheduler of Linux takes the CPU from a thread sooner (EEVDF's base slice is 0.7 ms and more). A faster one
gave the CPU away, by a yield or by parking."""


def of_spinning(row: Row) -> Iterator[Finding]:
    """Find whether threads that spin wait for each other's time slices, or use one cache line in each trial."""
    if row.trials and not row.case.blocking:
        typical = row.headline.value if row.headline else 0.0
        if typical >= SHORTEST_SLICE_NS and crowded(row):
            yield finding("time-slice", one_way=typical, per_second=1e9 / typical)
        if row.case.lines == 1:
            yield finding("one-line", lines=row.number("lines"))


def own_of_lines(result: Result, _request: Request) -> dict[str, float | None]:
    medians = reading.line_medians(result)
    return {"line_ns.min": min(medians), "line_ns.max": max(medians)}


SIGNAL = common.experiment(
    "signal",
    own=own_of_lines,
    pace=defaults.Pace(defaults.in_blocks, sleeps=True, promised={"handoffs": True}),
    checks=(
        RowCheck(of_spinning, ("time-slice", "one-line")),
        # Ping times two handoffs at once. Each round trip begins where the one before has ended, so that their
        # mean is the pace, which `regime` looks at.
        ClosedLoop(ROUND_TRIPS, under_way=lambda _: 2).checks[0],
    ),
)


def own_of_delays(result: Result, _request: Request) -> dict[str, float | None]:
    """Return a round trip, by whole windows, in which nobody reads a clock; and the delay alone, and its stalls."""
    alone, stalls = result.timed("delay-alone"), result.counts.get("stalls")  # absent if it counted nothing
    delay_ps = reading.median_of(alone)  # by the raw clock
    return {
        "self-test.round_trip_ns": 2 * reading.typical(result),
        "self-test.delay_ns": None if delay_ps is None else delay_ps / 1_000,
        "self-test.stalls": float(stalls.made) if stalls else 0.0,
    }


SELF_TEST = common.experiment("self-test", own=own_of_delays, pace=defaults.Pace(defaults.in_blocks))


def own_of_calls(result: Result, _request: Request) -> dict[str, float | None]:
    wakes = result.counts.get("wake-ups")
    return {"wakeup.found_waiting": wakes.found / wakes.made if wakes and wakes.made else None}


SHARING = "threads-share-cpus"

WAKEUP = common.experiment(
    "wakeup",
    own=own_of_calls,
    # 16 pairs, a call a millisecond each, six trials: 10,000 calls, which p99.9 needs. With 512 threads processes took
    # 0.3 s more in C++ and 1.1 s in Java.
    pace=defaults.Pace(
        defaults.in_long_periods,
        measure_s=0.18,
        crowded_visits=0,
        thread_s=0.0015,
        sleeps=True,
        promised={"calls": True},
        every_s=common.pause_s,
    ),
    by_state=lambda _: False,
    checks=(RowCheck(partial(common.share_cpus, code=SHARING), (SHARING,)),),
)


def own_of_messages(result: Result, _request: Request) -> dict[str, float | None]:
    """Return one way, half of a round trip; the far end's CPU time, for which it is asked; and what was lost."""
    datagrams = result.counts.get("datagrams")
    return {
        "latency_ns.typical": reading.typical(result) / 2,
        "latency_ns.mean": reading.ns_per_op(result) / 2,
        "network.far_cpu_ns_per_op": reading.mean_timed(result, "far-end-cpu"),  # at the ends of sampling windows
        "network.lost": 1 - datagrams.found / datagrams.made if datagrams and datagrams.made else None,
    }


NETWORK = common.experiment(
    "network",
    own=own_of_messages,
    # the windows of threads that sleep: a round trip through a network takes as long
    pace=defaults.Pace(defaults.in_ops(defaults.SLEEPING), measure_s=0.3),
)


def own_of_rounds(result: Result, request: Request) -> dict[str, float | None]:
    """Return how often each worker gave up its CPU in a round, and the rounds a second that were due."""
    switches, workers = reading.per_op(result, "voluntary_switches", "worker"), len(result.threads) - 1
    pause_us = int(request.params.get("pause", 0)) if request.params.get("pacing") == "period" else 0
    return {
        "switches_per_op": None if switches is None else switches / workers,
        "offered_per_s": 1e6 / pause_us if pause_us else None,
    }


LEAST_S, USUAL_S, MOST_S = 0.04, 0.1, 3.0
FEW_ROUNDS, MANY_ROUNDS = 80, 240
"""Rounds of a trial at least, and where nothing hurries, where there is a pause between them."""


def _lasts(case: Case) -> tuple[float, float]:
    pause_s = common.pause_s(case)
    fewest, most = (
        min(MOST_S, max(least, rounds * pause_s)) for least, rounds in ((LEAST_S, FEW_ROUNDS), (USUAL_S, MANY_ROUNDS))
    )
    return fewest, most


BARRIER = common.experiment(
    "barrier",
    own=own_of_rounds,
    pace=defaults.Pace(
        defaults.in_rounds,
        crowded_visit_ns=defaults.visit_of_rounds,
        thread_s=0.0015,
        compiling_rest_s=defaults.STREAM_COMPILING_REST_S,
        lasts=_lasts,
        promised={"rounds": True},
        every_s=common.pause_s,
    ),
    checks=(common.OVERSUBSCRIBED,),
    ours=OUR_WAKES_A_WINDOW,
)
