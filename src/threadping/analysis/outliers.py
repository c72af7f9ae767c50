"""Outliers: each of a trial gets the cause that the evidence around it shows; and their figures, by cause.

A cause is claimed only where the evidence could have made the whole difference: what was counted once, or time that
makes up at least half of the outlier. What nothing explains is unknown, and counted.
"""

from collections.abc import Callable, Iterator, Sequence

from threadping.analysis.declaration import Figure, Idle, Percentiles, not_in_result
from threadping.model.cases import Case
from threadping.model.contract import Distribution, Evidence, Outlier, OutliersRequest, Pause, Result, Seen
from threadping.model.reading import median_of

ENOUGH = 0.5  # The share of an outlier that lost time must make up to be its cause
FAULT_NS, INTERRUPT_NS, WAKE_NS = 20_000, 50_000, 50_000
"""Maximum time of a page that is only mapped, of an interrupt, and of sending one to a CPU that sleeps, by
way of the hypervisor if there is one: so many of them must make up as much."""

SAFEPOINT, MIGRATED, PREEMPTED, FAULT, IDLE = "safepoint", "migrated", "preempted", "page-fault", "idle-cpu"
DELAYED, STOLEN, INTERRUPTED, UNSEEN, UNKNOWN = "scheduler-delay", "stolen", "interrupts", "not-looked-at", "unknown"
CAUSES = (SAFEPOINT, MIGRATED, PREEMPTED, DELAYED, STOLEN, FAULT, IDLE, INTERRUPTED, UNSEEN, UNKNOWN)
"""Causes in the order in which they are tried: the more particular first. `words.toml` says what each means."""


def threshold(timed: Distribution, policy: OutliersRequest) -> float:
    """Return from what duration on a trial's durations are outliers."""
    return max(policy.least_ns, policy.factor * (median_of(timed) or 0))


def causes(
    name: str, result: Result, policy: OutliersRequest, *, blocking: bool, idle: Idle = ""
) -> dict[str, list[int]]:
    """The durations of a trial's outliers by their causes.

    Those that were not kept one by one were not looked at, and count as 0 ns.

    Args:
        name: of the distribution.
        result: with its evidence.
        policy: by which it was looked at.
        blocking: whether its threads sleep while they wait.
        idle: whose sleeping CPU makes one longer.
    """
    timed = result.distributions[name]
    least = threshold(timed, policy)
    number = sum(count for ns, count in zip(timed.values, timed.counts, strict=True) if ns >= least)
    evidence = result.evidence or Evidence(0, 0, None, (), ())
    kept = sorted((one for one in evidence.outliers if one.of == name and one.ns >= least), key=lambda one: -one.ns)
    pauses = (result.managed and result.managed.pauses) or ()
    found: dict[str, list[int]] = {}
    for one in kept[:number]:
        found.setdefault(cause(one, pauses, blocking=blocking, idle=idle), []).append(one.ns)
    if beyond := number - len(kept[:number]):
        found.setdefault(UNSEEN, []).extend([0] * beyond)
    return found


def cause(one: Outlier, pauses: Sequence[Pause], *, blocking: bool, idle: Idle = "") -> str:
    """The first of CAUSES that is true of an outlier."""
    if _within(one, pauses) >= ENOUGH * one.ns:
        return SAFEPOINT
    if one.seen is None:
        return UNSEEN
    seen, enough = one.seen, ENOUGH * one.ns
    return next((name for name, holds in TRIED.items() if holds(seen, enough, blocking, idle)), UNKNOWN)


def _slept(seen: Seen, enough: float, _: bool, idle: Idle) -> bool:
    """Return whether a CPU had to be woken for at least half of it, or for as much as that takes at most.

    However long the thread's own CPU was awake between the looks, all the rest of the outlier it slept.
    """
    if idle == "own":
        return seen.awake_ns is not None and seen.awake_ns <= enough
    return idle == "another" and bool(seen.others_woken) and enough <= WAKE_NS


TRIED: dict[str, Callable[[Seen, float, bool, Idle], bool]] = {
    MIGRATED: lambda seen, *_: seen.cpu != seen.cpu_before and seen.involuntary_switches > 0,
    PREEMPTED: lambda seen, enough, blocking, _: (
        seen.involuntary_switches > 0 or (not blocking and (seen.others_run_delay_ns or 0) >= enough)
    ),
    DELAYED: lambda seen, enough, *_: max(seen.run_delay_ns or 0, seen.others_run_delay_ns or 0) >= enough,
    STOLEN: lambda seen, enough, *_: (  # it neither ran nor waited for a CPU, nor ever slept: its CPU did not run
        not seen.voluntary_switches and seen.ns - seen.cpu_ns - (seen.run_delay_ns or 0) >= enough
    ),
    FAULT: lambda seen, enough, *_: seen.major_faults > 0 or seen.minor_faults * FAULT_NS >= enough,
    IDLE: _slept,
    INTERRUPTED: lambda seen, enough, *_: (seen.interrupts or 0) * INTERRUPT_NS >= enough,
}


def _within(one: Outlier, pauses: Sequence[Pause]) -> int:
    end = one.at_ns + one.ns
    return sum(max(0, min(end, pause.at_ns + pause.ns) - max(one.at_ns, pause.at_ns)) for pause in pauses)


def figures_of(*distributions: Percentiles) -> tuple[Figure, ...]:
    """Declare the figures of the outliers of each of these distributions."""
    return tuple(figure for one in distributions for figure in _figures(one.outliers))


def read(
    of: Percentiles, case: Case, result: Result, policy: OutliersRequest | None
) -> tuple[dict[str, list[int]], dict[str, float]]:
    """The durations of a trial's outliers by cause, and their figures; empty where nothing was looked into or timed."""
    timed = of.read(result)
    if policy is None or not timed.counts:
        return {}, {}
    caused = causes(of.of or next(iter(result.distributions)), result, policy, blocking=case.blocking, idle=of.idle)
    figures = {"threshold_ns": threshold(timed, policy), "count": float(sum(map(len, caused.values())))}
    for cause, durations in caused.items():
        figures |= {f"causes.{cause}": len(durations)}
        if any(durations):  # of those that were not kept one by one the time is not known
            figures |= {f"time_ns.{cause}": sum(durations), f"worst_ns.{cause}": max(durations)}
    return caused, {f"{of.outliers}.{figure}": value for figure, value in figures.items()}


def _figures(name: str) -> Iterator[Figure]:
    yield Figure(f"{name}.threshold_ns", "ns", not_in_result, says="outliers.threshold_ns")
    yield Figure(f"{name}.count", "count", not_in_result, over="total")
    for cause in CAUSES:
        yield Figure(f"{name}.causes.{cause}", "count", not_in_result, over="total")
        yield Figure(f"{name}.time_ns.{cause}", "ns", not_in_result, over="total")
        yield Figure(f"{name}.worst_ns.{cause}", "ns", not_in_result, over="most")
