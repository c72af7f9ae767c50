"""Figures read from a result alike in every experiment: rates, counters, distributions."""

import math
from collections.abc import Callable, Sequence
from itertools import accumulate, groupby
from statistics import fmean, median
from typing import Literal

from msgspec.structs import replace

from threadping.model.base import gathered
from threadping.model.contract import Distribution, Result, ThreadResult, WindowKind, Windows

# Roles whose operations do not count, as every probe describes them: they are counted on arrival, or at their cause.
FOLLOWING = frozenset({"producer", "sender", "waiter", "worker"})
ResultReader = Callable[[Result], float | None]  # reads a number from a result; None if unknown
FEWEST_WINDOWS = 6  # two in each third, or no change of pace can be seen


def counted(result: Result, kind: WindowKind) -> Windows:
    """Return the measured windows of a kind, with the operations of those threads whose operations count."""
    windows = result.windows.of(kind)
    those = zip(windows.ops, result.threads, strict=True)
    return replace(windows, ops=tuple(ops for ops, thread in those if thread.role not in FOLLOWING))


def receivers(result: Result) -> int:
    """Return the number of threads that receive and count each operation: the consumers of `queue`."""
    return max(1, sum(thread.role == "consumer" for thread in result.threads))


def rate(result: Result) -> float:
    """Return operations a second of all threads, from throughput windows; NaN where no operation ended."""
    return 1e9 / ns_per_op(result)


def ns_per_op(result: Result) -> float:
    """Return the time between operations of any thread, over throughput windows; NaN where none ended."""
    return (_pace(counted(result, "throughput")) or math.nan) * receivers(result)


def sampling_pace(result: Result) -> float | None:
    """Return the ratio of an operation's time in sampling windows to that in throughput windows."""
    sampled, undisturbed_ns = (_pace(counted(result, kind)) for kind in ("sampling", "throughput"))
    return sampled / undisturbed_ns if sampled and undisturbed_ns else None


def _pace(windows: Windows) -> float | None:
    return windows.total_ns / windows.total_ops if windows.total_ops else None


def drift(result: Result) -> float | None:
    """Return the change of a trial's pace: the logarithm of an operation's time in the last third over the first.

    Of throughput windows. Above 0 the trial became slower, below 0 faster. None with fewer than six windows.
    """
    late = last_third(result)
    if late is None:
        return None
    windows, last = counted(result, "throughput"), _pace(counted(late, "throughput"))
    number = len(windows.ns)
    first = _pace(windows.those([place < number // 3 for place in range(number)]))
    return math.log(last / first) if first and last else None


def last_third(result: Result) -> Result | None:
    """Return the result with the last third of its throughput windows; None with fewer than six."""
    number = len(counted(result, "throughput").ns)
    if number < FEWEST_WINDOWS:
        return None
    return without(result, [place < number - number // 3 for place in range(number)])


def without(result: Result, marked: Sequence[bool]) -> Result:
    """Remove the marked throughput windows; `marked` has one entry for each that was measured."""
    marks = iter(marked)
    kept = [
        early or kind != "throughput" or not next(marks)
        for early, kind in zip(result.windows.warmup, result.windows.kind, strict=True)
    ]
    return replace(result, windows=result.windows.those(kept))


def paces(result: Result) -> list[float]:
    """Nanoseconds an operation of each throughput window that was measured; infinite without an operation."""
    windows = counted(result, "throughput")
    return [ns / sum(ops) if sum(ops) else math.inf for ns, *ops in zip(windows.ns, *windows.ops, strict=True)]


def marked(result: Result, event: str) -> list[bool]:
    """Return for each measured throughput window whether it had an event; all False if nobody counted."""
    windows = counted(result, "throughput")
    column = getattr(windows, event)
    return [bool(count) for count in column] if column is not None else [False] * len(windows.ns)


def same_cpu_shares(result: Result) -> list[float]:
    """Return for each measured throughput window the share of it with all threads on one CPU, 0 to 1.

    By their CPUs at its beginning, which is the end of the window before it, and at its end. If they moved in between,
    by its pace, if the paces of both kinds are known; else half of it. Empty if nobody looked.
    """
    windows = result.windows
    if windows.cpus is None:
        return []
    alone = [cpus == 1 for cpus in windows.cpus]
    ends = list(zip([*alone[:1], *alone], alone, windows.kind, windows.warmup, strict=False))
    stood = [(begin + end) / 2 for begin, end, kind, early in ends if kind == "throughput" and not early]
    of_kinds = counted(result, "throughput")
    one, several = (_pace(of_kinds.those([at == kind for at in stood])) for kind in (1.0, 0.0))
    if not one or not several or one == several:
        return stood
    each = zip(stood, of_kinds.ns, map(sum, zip(*of_kinds.ops, strict=True)), strict=True)
    return [
        at if at in (0.0, 1.0) else min(1.0, max(0.0, (ops / ns - 1 / several) / (1 / one - 1 / several)))
        for at, ns, ops in each
    ]


def same_cpu_share(result: Result) -> float | None:
    """Return the share of the throughput windows' time with the threads on one CPU; None if unknown."""
    stood = same_cpu_shares(result)
    return fmean(stood, counted(result, "throughput").ns) if stood else None


def on_one_cpu(result: Result, pace: Literal["rate", "ns_per_op"], share: float = 1.0) -> float | None:
    """Read the pace of the windows with the threads on one CPU throughout, on several (0); None if there are none."""
    others = [at != share for at in same_cpu_shares(result)]
    return None if all(others) else {"rate": rate, "ns_per_op": ns_per_op}[pace](without(result, others))


def line_medians(result: Result) -> list[float]:
    """Nanoseconds an operation: the median throughput window of each line that was reached."""
    each = zip(counted(result, "throughput").line, paces(result), strict=True)
    by_line = gathered((line, ns) for line, ns in each if ns < math.inf)
    return [median(of_line) for of_line in by_line.values()]


TENTH = 10  # lines left out at both ends: every visit to some was disturbed


def lines_spread(result: Result) -> float | None:
    """Return the relative difference of the ninth decile of lines to the first."""
    ordered = sorted(line_medians(result))
    out = len(ordered) // TENTH
    return ordered[-1 - out] / ordered[out] - 1 if ordered[out] else None


def typical(result: Result) -> float:
    """Nanoseconds an operation: the mean over lines of each line's median throughput window.

    One line is not a sample, since its home in the last-level cache is luck; and a window that was disturbed is no
    median. Not a number where no line was reached.
    """
    medians = line_medians(result)
    return fmean(medians) if medians else math.nan


def undisturbed(result: Result) -> float:
    """Nanoseconds an operation: the mean of the middle half of the lines' medians.

    For results so short that a thread which loses its CPU once spoils every window of some lines. While builds, tests
    and two programs used both CPUs, none of 100 pings was off by 25%; with the mean over all lines, 29 were.
    """
    medians = sorted(line_medians(result))
    quarter = len(medians) // 4
    return fmean(medians[quarter : len(medians) - quarter])


def _in_roles(result: Result, roles: Sequence[str]) -> list[ThreadResult] | None:
    """Return the threads in these roles, all if none is named; None if a library may have replaced one of them."""
    threads = [one for one in result.threads if not roles or one.role in roles]
    return threads if all(one.cpu_ns or one.migrations == 0 for one in threads) else None


def per_op(result: Result, counter: Literal["cpu_ns", "voluntary_switches"], *roles: str) -> float | None:
    """Return a counter of all threads, or of those in some roles, per operation: CPU time includes that of waiting."""
    threads = _in_roles(result, roles)
    if threads is None or not result.measured.ops:
        return None
    counts: list[int] = [getattr(one, counter) for one in threads]
    return sum(counts) * receivers(result) / result.measured.ops


def cpu_percent(result: Result, *roles: str) -> float | None:
    """Return the CPU time of the threads in some roles, waiting included, in percent of a core."""
    threads = _in_roles(result, roles)
    return None if threads is None else 100 * sum(one.cpu_ns for one in threads) / result.measured.ns


def mean_of(timed: Distribution) -> float | None:
    """Return the mean of what was timed, in nanoseconds; None if nothing was."""
    return fmean(timed.values, timed.counts) if timed.counts else None


def median_of(timed: Distribution, step: float = 1) -> float | None:
    """Return the median of what was timed, in nanoseconds, the lower of two; None if nothing was.

    What lies in one `step` of the clock is taken as spread evenly over it, as percentiles of all trials have it: else
    trials whose medians are a hair apart would be a step apart.
    """
    half, below = sum(timed.counts) / 2, 0
    if step <= 1:
        reached = accumulate(timed.counts)
        return next((ns for ns, so_far in zip(timed.values, reached, strict=True) if so_far >= half), None)
    each = zip(timed.values, timed.counts, strict=True)  # readings are whole: 20 and 21 are the same step of ten
    for number, of_it in groupby(each, lambda one: round(one[0] / step)):
        inside = sum(count for _, count in of_it)
        if below + inside >= half:
            found = step * (number + (half - below) / inside - 0.5)
            return float(min(max(found, timed.values[0]), timed.values[-1]))
        below += inside
    return None


def median_timed(result: Result, name: str = "") -> float | None:
    """Return the median of a distribution, by the steps of its clock."""
    return median_of(result.timed(name), result.clock.resolution_ns)


def mean_timed(result: Result, name: str = "") -> float | None:
    return mean_of(result.timed(name))


def sustained_per_s(result: Result) -> float:
    return 1e9 * result.measured.ops / result.measured.ns


def everywhere(result: Result) -> dict[str, float | None]:
    """Return the figures that every experiment has, by name; None where the probe does not tell."""
    throughput, sampling = result.windows.of("throughput"), result.windows.of("sampling")
    clock, measured, managed, skew = result.clock, result.measured, result.managed, result.clock.skew
    threads, compile_ms = result.threads, managed.compile_ms if managed else None
    migrations = [one.migrations for one in threads if one.migrations is not None]
    return {
        "drift": drift(result),
        "sampling_pace": sampling_pace(result),
        "sampling_every": median(sampling.every) if sampling.every else None,  # one operation in how many was timed
        "clock_cost_ns": clock.cost_ns,
        "lines": len(set(throughput.line)),
        "counters.slept": sum(one.voluntary_switches for one in threads),
        "counters.preempted": sum(one.involuntary_switches for one in threads),
        "counters.migrations": sum(migrations) if migrations else None,
        "counters.major_faults": sum(one.major_faults for one in threads),
        "counters.moved": sum(one.cpus_start != one.cpus_end for one in threads),
        "counters.steal_ns": result.machine.steal_ns,
        "counters.interrupts": result.machine.interrupts,
        "counters.compile_ns": None if compile_ms is None else compile_ms * 1e6,
        "counters.collections": managed.collections if managed else None,
        "counters.cpus": len({cpu for one in threads for cpu in one.cpus_start}),
        "counters.clock_step_ns": clock.resolution_ns,
        # The certain distance of the clocks of two CPUs, 0 where their bounds allow that they agree; and the largest
        "counters.skew_ns": None if skew is None else max(skew.least_ns, -skew.most_ns, 0),
        "counters.skew_bound_ns": None if skew is None else max(abs(skew.least_ns), abs(skew.most_ns)),
        "counters.windows": len(throughput.ns) + len(sampling.ns),
        "counters.sampling_window_ns": fmean(sampling.ns) if sampling.ns else None,
        "counters.looks": result.evidence.looks if result.evidence else None,
        "counters.measured_ns": measured.ns,
        "counters.cut": measured.cut,
        "counters.warmup_ops": result.warmup.ops,
        "counters.rested_ns": managed.rested_ns if managed else None,
        "counters.warmup_cut": result.warmup.ended == "limit",
    }
