"""barrier: what it costs to release many threads, and to wait until all have done their part.

The coordinator begins a round and its workers run: a barrier, a broadcast, a fork and join. Each timed round has four
times from the coordinator's start: until its call returned, until the first and the last worker ran, and until the
coordinator knew that all were done. Rounds a second come from windows in which no thread reads a clock.
"""

from threadping.analysis.causes import OUR_WAKES_A_WINDOW
from threadping.experiments import common
from threadping.model import reading
from threadping.model.cases import Case
from threadping.model.contract import Request, Result
from threadping.planning.defaults import STREAM_COMPILING_REST_S, Pace, in_rounds, visit_of_rounds


def own(result: Result, request: Request) -> dict[str, float | None]:
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
    own=own,
    pace=Pace(
        in_rounds,
        crowded_visit_ns=visit_of_rounds,
        thread_s=0.0015,
        compiling_rest_s=STREAM_COMPILING_REST_S,
        lasts=_lasts,
        promised={"rounds": True},
        every_s=common.pause_s,
    ),
    checks=(common.OVERSUBSCRIBED,),
    ours=OUR_WAKES_A_WINDOW,
)
