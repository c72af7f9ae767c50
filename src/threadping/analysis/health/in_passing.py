"""What a check-up would call unfit and any run sees in passing: it stands in one line above the answer."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from statistics import fmean, median

from threadping import quantities
from threadping.analysis.answer import Answer
from threadping.analysis.checks import Facts
from threadping.analysis.health.effects import cpus_of
from threadping.analysis.health.limits import LIMITS
from threadping.grouping import gathered
from threadping.model.trials import Observation

OF_BENCHMARKS = LIMITS["benchmark"]

COST = "clock_cost_ns"

LEAST_STOLEN_NS = 50e6
"""The kernel counts what a hypervisor took in ticks of 10 ms: fewer than five are no evidence."""


def _throttled(answer: Answer) -> Iterator[str]:
    told = [(one.throttled_ns, one.wall_ns * cpus_of(answer, one)) for one in answer.observations]
    known = [(ns, of) for ns, of in told if ns is not None]
    share = sum(ns for ns, _ in known) / max(1, sum(of for _, of in known))
    if share > OF_BENCHMARKS["throttled"]:
        yield f"a quota took {quantities.percent(min(1.0, share))} of the CPU time"


def _stolen(answer: Answer) -> Iterator[str]:
    stolen = of = 0.0
    for one in answer.observations:
        if (ns := one.figures.get("counters.steal_ns")) is not None:
            stolen += ns
            of += one.figures.get("counters.measured_ns", 0.0) * cpus_of(answer, one)
    if stolen >= LEAST_STOLEN_NS and of and stolen / of > OF_BENCHMARKS["stolen"]:
        yield f"the hypervisor took {quantities.percent(stolen / of)} of the CPU time"


def _clock(answer: Answer) -> Iterator[str]:
    """Of our own probes alone: what a custom one says of its clock is no fault of the machine (`slow-clock` has it)."""
    custom = {one.label for one in answer.run.runtimes if one.probe == "probe"}
    known = [one for one in answer.observations if COST in one.figures and one.case.runtime not in custom]
    costs = gathered((one.case.runtime, one.figures[COST]) for one in known)
    dear = {runtime: cost for runtime, each in costs.items() if (cost := median(each)) > OF_BENCHMARKS["clock"]}
    if dear:
        yield f"a reading of the clock takes {quantities.span([*dear.values()])} in {', '.join(dear)}"


def share_of_others(trials: Iterable[Observation]) -> float | None:
    """Return the share of the CPU time that other programs took during trials; None if no trial knows.

    Where threads of ours ran elsewhere too, as those of a compiler, a trial has less than nothing: that is none.
    """
    shares = [max(0.0, one.others) for one in trials if one.others is not None]
    return fmean(shares) if shares else None


def _load(answer: Answer) -> Iterator[str]:
    share = share_of_others(answer.observations) or 0.0
    if OF_BENCHMARKS["others"] < share < BUSY_SHARE:
        yield f"other programs used {quantities.percent(share)} of the CPU time"


BUSY_SHARE = 0.4
"""The share of the CPU time of all trials that others used from which figures are not to be used: two of five trials,
or two fifths of each, shared a CPU."""

SEEN: Mapping[str, Callable[[Answer], Iterator[str]]] = {
    "stolen": _stolen,
    "clock": _clock,
    "throttled": _throttled,
    "others": _load,
}
"""By the effect of a check-up that it would be, in the order of its layers."""


def seen_in_passing(answer: Answer) -> Facts | None:
    """All that is beyond the limits for benchmarks, as one fact; None where nothing is."""
    why = [clause for find in SEEN.values() for clause in find(answer)]
    return {"why": "; ".join(why)} if why else None
