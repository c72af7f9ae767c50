"""What the scheduler, the hypervisor and others did to the threads."""

from collections.abc import Callable

from threadping.analysis.declaration import Check, Evidence, Facts

STEAL = 0.01
"""A hundredth of the time: p99 is then the hypervisor's."""

PREEMPTIONS = 200
"""A second: with 100 or so the medians of windows are still clean."""


OUR_WAKES_A_WINDOW = 6
"""The coordinator wakes to see all at rest, all at work, and at the end, in naps; where every CPU is taken it takes one
from a worker each time, between the windows. 3 to 6 were seen."""


def crowded(seen: Evidence) -> bool:
    """Whether there are more threads than CPUs for them."""
    return seen.case.threads > seen.row.figures["counters.cpus"]


def oversubscribed(follows: Callable[[Evidence], str]) -> Check:
    """A check that is true where threads share CPUs; `follows` says what that does to them."""

    def find(seen: Evidence) -> Facts | None:
        if not crowded(seen):
            return None
        cpus = seen.row.figures["counters.cpus"]
        return {"threads": seen.case.threads, "cpus": cpus, "follows": follows(seen)}

    return Check(
        code="oversubscribed",
        severity="info",
        find=find,
        brief="{threads} threads on {cpus} CPUs",
        means="{threads} threads share {cpus} CPUs, so some are always without one. {follows} Shares and the tail are "
        "partly the scheduler's.",
    )


def seconds(seen: Evidence) -> float:
    """How long was measured in all."""
    return seen.row.figures["counters.measured_ns"] / 1e9


def _pin_lost(seen: Evidence) -> Facts | None:
    threads = seen.row.figures["counters.moved"]
    trials = sum(value > 0 for value in seen.over_trials("counters.moved"))
    return {"threads": threads, "in_trials": trials} if threads else None


def _stolen(seen: Evidence) -> Facts | None:
    steal = seen.row.figures.get("counters.steal_ns", 0.0)
    share = steal / (seconds(seen) * 1e9 * seen.row.figures["counters.cpus"])
    return {"share": share} if share > STEAL else None


def _preempted(seen: Evidence) -> Facts | None:
    if seen.case.blocking or crowded(seen):
        return None
    figures = seen.row.figures
    by_others = figures["counters.preempted"] - seen.declared.ours * figures["counters.windows"]
    per_second = by_others / seconds(seen)
    return {"per_second": per_second} if per_second > PREEMPTIONS else None


def _unseen(seen: Evidence) -> Facts | None:
    """Only where there is something to explain."""
    count = sum(seen.row.figures.get(f"{one.outliers}.count", 0.0) for one in seen.declared.timed)
    lacking = dict.fromkeys(sentence for one in seen.counted for sentence in one.lacking)
    return {"count": count, "lacking": " ".join(lacking)} if count and lacking else None


CHECKS = (
    Check(
        code="less-evidence",
        severity="info",
        find=_unseen,
        brief="{count} outliers",
        means="Causes of {count} outliers were told with less than can be seen elsewhere. {lacking}",
    ),
    Check(
        code="pin-lost",
        severity="error",
        find=_pin_lost,
        brief="{threads} threads in {in_trials} trials",
        means="A thread's affinity changed while it was measured ({threads} threads in {in_trials} trials), by a "
        "cpuset or a taskset from outside, or because a CPU went offline: the placement did not hold.",
        remedy="Stop what changes it and measure again.",
    ),
    Check(
        code="steal",
        severity="warning",
        find=_stolen,
        brief="{share:share} of the time",
        means="The hypervisor kept these CPUs from running for {share:share} of the time; the tail is partly its own.",
        remedy="Use a machine with CPUs of its own, or a quieter hour.",
    ),
    Check(
        code="paging",
        severity="warning",
        find=lambda seen: {"faults": faults} if (faults := seen.row.figures["counters.major_faults"]) else None,
        brief="{faults} times",
        means="A thread waited for a page from disk while it was measured, {faults} times.",
        remedy="Free some memory.",
    ),
    Check(
        code="preempted",
        severity="warning",
        find=_preempted,
        brief="{per_second} a second",
        means="Others took the CPU from the spinning threads {per_second} times a second: p99 and above are partly "
        "theirs.",
        remedy="Stop other load, or isolate CPUs (isolcpus, cpuset).",
    ),
    Check(
        code="cut",
        severity="info",
        find=lambda seen: (
            {"cut": cut, "trials": seen.row.trials} if (cut := seen.row.figures["counters.cut"]) else None
        ),
        brief="{cut} of {trials} trials",
        means="{cut} of {trials} trials were stopped inside a window, at their time bound; what they had measured is "
        "counted.",
    ),
)
