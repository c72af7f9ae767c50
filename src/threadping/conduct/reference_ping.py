"""The reference ping: core-to-core latency, measured between trials by the C++ probe."""

import random
import time
from collections.abc import Sequence

from msgspec.structs import replace

from threadping.analysis.percentiles import percentiles
from threadping.model import reading
from threadping.model.cases import Pair, Runtime
from threadping.model.contract import SCHEMA, Request, ThreadRequest, WarmupRequest
from threadping.model.trials import ReferencePing
from threadping.probes.trial import START_SECONDS, Launch, Outcome, run_trials
from threadping.probes.windows import BLOCKS, MILLISECOND, SECOND

MECHANISM, PROMISED = "cas-one-line", {"hand-overs": True}

LINES, MEASURE_NS = 64, 5 * MILLISECOND
"""With 256 lines in the same time too few blocks fall on each: figures over their pings varied by 3.2% in place of
1.1% (nine runs of seven trials between two near virtual CPUs of an EPYC)."""

WARMUP_NS, BOUND_NS = MILLISECOND // 10, 100 * MILLISECOND


STARTED = time.time() - time.monotonic()
"""The wall clock as it was when this began: pings are as far apart as they were taken, though it is set meanwhile."""


def reference_pings(cpp: Runtime, pairs: Sequence[Pair], trials: int) -> list[ReferencePing]:
    """Ping pairs at once with the C++ probe; never raises for what the probe does wrong.

    Args:
        cpp: the probe.
        pairs: the CPUs; none is in two of them.
        trials: how many trials of the run have ended.
    """
    begun = time.monotonic_ns()
    outcomes = run_trials([Launch(cpp, _request(pair), START_SECONDS, PROMISED) for pair in pairs])
    wall_ns = time.monotonic_ns() - begun
    return [_seen(pair, trials, outcome, wall_ns) for pair, outcome in zip(pairs, outcomes, strict=True)]


def _seen(pair: Pair, trials: int, outcome: Outcome, wall_ns: int) -> ReferencePing:
    seen = ReferencePing(pair, STARTED + time.monotonic(), trials, None, wall_ns=wall_ns)
    if outcome.failure:
        return replace(seen, failure=outcome.failure.message)
    if outcome.result is None or not reading.counted(outcome.result, "throughput").total_ops:
        return replace(seen, failure="Nothing was measured in its time.")
    tail = percentiles([outcome.result.timed()])
    return replace(
        seen,
        ns=reading.undisturbed(outcome.result),
        round_trip_p99_ns=tail.get("p99"),
        round_trip_max_ns=tail.get("max"),
    )


def _request(pair: Pair) -> Request:
    return Request(
        schema=SCHEMA,
        experiment="signal",
        mechanism=MECHANISM,
        params={},
        threads=tuple(map(ThreadRequest, pair)),
        pin="thread",
        lines=LINES,
        home=pair[:1],
        warmup=WarmupRequest(1, 1000, None, WARMUP_NS, BLOCKS.look_ns, uninterrupted=False),
        windows=BLOCKS.windows,
        outliers=None,
        measure_ns=MEASURE_NS,
        bound_ns=BOUND_NS,
        patience_ns=SECOND,
        seed=random.getrandbits(48),
    )
