"""What is read from a result alike in every experiment: rates, counters, and what was timed one by one."""

from collections.abc import Callable
from itertools import accumulate
from statistics import fmean, median

from threadping.contract import Distribution, Result


def rate(result: Result) -> float:
    """Operations a second of all threads together, from plain windows, in which no operation reads the clock."""
    plain = result.windows.of("plain")
    return 1e9 * plain.total_ops / plain.total_ns


def ns_per_op(result: Result) -> float:
    """From one operation of any thread to the next, over all plain windows; of `signal` the mean one way."""
    plain = result.windows.of("plain")
    return plain.total_ns / plain.total_ops


def line_medians(result: Result) -> list[float]:
    """Nanoseconds an operation: the median plain window of each line that was reached."""
    by_line: dict[int, list[float]] = {}
    plain = result.windows.of("plain")
    for line, ns, ops in zip(plain.line, plain.ns, plain.ops_in_each, strict=True):
        if ops:
            by_line.setdefault(line, []).append(ns / ops)
    return [median(windows) for windows in by_line.values()]


def typical(result: Result) -> float:
    """Nanoseconds an operation: the mean over lines of each line's median plain window.

    One line is not a sample, since its home in the last-level cache is luck; and a window that was disturbed is no
    median.
    """
    return fmean(line_medians(result))


def undisturbed(result: Result) -> float:
    """Nanoseconds an operation: the mean of the middle half of the lines' medians.

    For a result so short that a thread which loses its CPU once spoils every window of some lines. Beside builds, tests
    and two programs that took both CPUs none of 100 soundings was off by a quarter; by the mean of all lines 29 were.
    """
    medians = sorted(line_medians(result))
    quarter = len(medians) // 4
    return fmean(medians[quarter : len(medians) - quarter])


def cpu_ns_per_op(result: Result) -> float | None:
    """The CPU time of all threads, waiting included, for each operation of the whole measuring phase."""
    return sum(thread.cpu_ns for thread in result.threads) / result.measured.ops if result.measured.ops else None


def cpu_ns_of(role: str) -> Callable[[Result], float | None]:
    """The same of the threads of one role."""

    def read(result: Result) -> float | None:
        spent = sum(thread.cpu_ns for thread in result.threads if thread.role == role)
        return spent / result.measured.ops if result.measured.ops else None

    return read


def skew_ns(result: Result) -> float | None:
    """How far the clocks of two CPUs seem apart: the middle of the bounds, as if both ways took equally long."""
    skew = result.clock.skew
    return None if skew is None else abs(skew.least_ns + skew.most_ns) / 2


def skew_bound_ns(result: Result) -> float | None:
    """How far that may be off: half of what lies between the bounds."""
    skew = result.clock.skew
    return None if skew is None else (skew.most_ns - skew.least_ns) / 2


def mean_of(timed: Distribution) -> float | None:
    """The mean of what was timed one by one, in nanoseconds; None where nothing was."""
    samples = sum(timed.counts)
    return sum(ns * count for ns, count in timed.by_value.items()) / samples if samples else None


def median_of(timed: Distribution) -> int | None:
    """The median of what was timed one by one, in nanoseconds, the lower of two; None where nothing was."""
    reached = accumulate(timed.counts)
    half = sum(timed.counts) / 2
    return next((ns for ns, so_far in zip(timed.values_ns, reached, strict=True) if so_far >= half), None)


def timed_window_ns(result: Result) -> float | None:
    """How long a timed window is."""
    windows = result.windows.of("timed").ns
    return fmean(windows) if windows else None


def cpus(result: Result) -> int:
    """On how many CPUs the threads may run."""
    return len({cpu for thread in result.threads for cpu in thread.cpus_start})


def moved(result: Result) -> int:
    """How many threads ended with another affinity than they began with."""
    return sum(thread.cpus_start != thread.cpus_end for thread in result.threads)
