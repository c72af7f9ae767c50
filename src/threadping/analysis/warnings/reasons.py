"""What the runtime, the scheduler and the hypervisor did meanwhile: reasons to be named beside a warning."""

from collections.abc import Iterator

from threadping import quantities
from threadping.analysis.answer import Row
from threadping.model import DEFAULT_WARMUP

COMPILING_SHARE = 0.02
"""Of the measuring time: below it the JIT was at work on something rare, such as an exit that was seldom taken."""

STEAL = 0.01
"""Of the time of the CPUs in use."""

PREEMPTIONS = 200
"""A second, of threads that have a CPU each: with 100 or so the medians of windows are still clean."""

OUR_WAKES_A_WINDOW = 6
"""The coordinator wakes to see all at rest, all at work, and at the end, in naps; where every CPU is taken it takes one
from a worker each time, between the windows. 3 to 6 were seen."""


def crowded(row: Row) -> bool:
    """Whether there are more threads than CPUs for them."""
    return row.case.threads > row.number("counters.cpus")


def competing(row: Row) -> bool:
    """Whether the scheduler takes CPUs from the threads, as was asked for: they share them, or busy threads do."""
    return crowded(row) or row.case.busy.threads > 0


def reasons(row: Row) -> str:
    """What happened meanwhile that may be why, in a few words; `no reason was seen` where nothing did."""
    return "; ".join(_reasons(row)) or "no reason was seen"


def _reasons(row: Row) -> Iterator[str]:
    trials = len(row.trials)
    compiled = sum(
        one.figures.get("counters.compile_ns", 0.0) > COMPILING_SHARE * one.figures["counters.measured_ns"]
        for one in row.trials
    )
    if compiled:
        yield f"the JIT was compiling in {compiled} of {trials} trials"
    unready = sum(one.figures.get("counters.warmup_cut", 0.0) > 0 for one in row.trials)
    if unready and row.case.warmup == DEFAULT_WARMUP:
        yield f"the warm-up ended at its time limit in {unready} of {trials} trials"
    if collections := row.number("counters.collections"):
        yield f"the collector ran {quantities.counted(int(collections), 'time')}"
    seconds = row.number("counters.measured_ns") / 1e9
    if not seconds:  # an imported run may hold anything
        return
    steal = row.number("counters.steal_ns") / (seconds * 1e9 * max(1.0, row.number("counters.cpus")))
    if steal > STEAL:
        yield f"the hypervisor took {quantities.percent(steal)} of the CPU time"
    if not row.case.blocking and not competing(row):
        by_others = row.number("counters.preempted") - row.declared.ours * row.number("counters.windows")
        if by_others / seconds > PREEMPTIONS:
            yield f"others took the CPU from the threads {by_others / seconds:,.0f} times a second"
    if faults := row.number("counters.major_faults"):
        yield f"threads waited for the disk {quantities.counted(int(faults), 'time')}"
