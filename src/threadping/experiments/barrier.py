"""barrier: what it costs to release many threads, and to wait until all have done their part.

The coordinator begins a round and its workers run: a barrier, a broadcast, a fork and join. Each timed round has four
times from the coordinator's start: until its call returned, until the first and the last worker ran, and until the
coordinator knew that all were done. Rounds a second come from windows in which no thread reads a clock.
"""

from typing import Any

from threadping.analysis.causes import OUR_WAKES_A_WINDOW
from threadping.analysis.declaration import Column, Figure, Percentiles, Row
from threadping.experiments import common
from threadping.model import reading
from threadping.model.cases import Case
from threadping.model.contract import Params, Result
from threadping.planning.defaults import STREAM_COMPILING_REST_S, Pace, in_rounds, visit_of_rounds

DONE = Percentiles("done_ns", "rounds", of="done", head="done", outliers="", across=True)
CALL = Percentiles("call_ns", "releases", of="call", head="call", outliers="call_outliers", column=False)
OF_SEVERAL: dict[str, Any] = {
    **{"outliers": "", "across": True, "column": False, "applies": lambda case: case.threads > 2},
    "why_not": "One worker is the first and the last: ask for last_ns, or give --threads 3.",
}
FIRST = Percentiles("first_ns", "first to run", of="first", head="first", **OF_SEVERAL)
LAST = Percentiles("last_ns", "last to run", of="last", head="last", outliers="", across=True)
FIRST_TO_LAST = Percentiles("spread_ns", "rounds, first to last", of="spread", head="spread", **OF_SEVERAL)
CPU_PERCENT = common.known(reading.cpu_percent_of("coordinator", "worker"))
WORKER_CPU = common.known(reading.cpu_ns_of("worker"))


def _switches(result: Result) -> float | None:
    found = reading.switches_of("worker")(result)
    return None if found is None else found / (len(result.threads) - 1)


def _offered(params: Params) -> float | None:
    pause_us = int(params.get("pause", 0))
    return 1e6 / pause_us if pause_us and params.get("pacing") == "period" else None


def _without_a_cpu(row: Row) -> str:
    if row.case.blocking:
        return "A worker that is woken may find no CPU free, and the last one decides when all are done."
    return "A thread that spins keeps the CPU from those that it waits for, but for a yield now and then."


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
    DONE,
    CALL,
    FIRST,
    LAST,
    FIRST_TO_LAST,
    pace=Pace(
        in_rounds,
        crowded_visit_ns=visit_of_rounds,
        thread_s=0.0015,
        compiling_rest_s=STREAM_COMPILING_REST_S,
        lasts=_lasts,
        promised={"rounds": True},
        every_s=common.pause_s,
    ),
    figures=(
        *common.middle(DONE, Column("done"), None),
        *common.middle(CALL, Column("call", 1), None),
        *common.middle(FIRST, Column("first", 4), None),
        *common.middle(LAST, Column("last", 2), None),
        *common.middle(FIRST_TO_LAST, Column("spread", 5), None),
        Figure("ops_per_s", "per_s", reading.rate, Column("rounds/s", 6), better="more", says="barrier.ops_per_s"),
        Figure("cpu_percent", "percent", CPU_PERCENT, better="less", says="barrier.cpu_percent"),
        Figure("switches_per_op", "index", common.known(_switches), better="less", says="barrier.switches_per_op"),
        Figure(
            "sustained_per_s", "per_s", lambda result: 1e9 * result.measured.ops / result.measured.ns, better="more"
        ),
        Figure("offered_per_s", "per_s", lambda _: None, asked=lambda request: _offered(request.params)),
        Figure(
            "coordinator_cpu_ns_per_op",
            "ns",
            reading.cpu_ns_of("coordinator"),
            Column("CPU coordinator", 10),
            better="less",
        ),
        Figure("worker_cpu_ns_per_op", "ns", WORKER_CPU, Column("CPU workers", 11), better="less"),
    ),
    checks=(common.oversubscribed("oversubscribed", _without_a_cpu),),
    ours=OUR_WAKES_A_WINDOW,
)
