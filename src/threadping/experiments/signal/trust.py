"""Whether a figure of `signal` can be trusted."""

from collections.abc import Iterator, Sequence

from threadping.contract import Result
from threadping.experiments import trust
from threadping.experiments.trust.interference import cpus_of
from threadping.experiments.trust.spread import counted
from threadping.model import Case, Row, Trial, Verdict

SHORTEST_SLICE_NS = 100_000
"""No scheduler of Linux takes the CPU from a thread sooner (EEVDF's base slice is 0.7 ms and more). Who is quicker gave
the CPU away, by a yield or by parking."""


def verdicts(row: Row, case: Case, trials: Sequence[Trial], results: Sequence[Result]) -> tuple[Verdict, ...]:
    """Judge one case.

    Args:
        row: the case's row, its verdicts still empty.
        case: what was measured.
        trials: all its trials.
        results: those of them that can be counted.
    """
    found = [*trust.failures(case, trials, results, "a single round trip in a block")]
    if results:
        found += [*trust.pin_lost(results), *trust.stolen(results), *trust.paging(results)]
        if not case.blocking and len(cpus_of(results)) == 1:
            found += _time_slice(row)
        elif not case.blocking:
            found += trust.preempted(results)
        found += [*trust.cut(results, "block"), *trust.warmup(case, results, "hand-overs")]
        found += [*trust.runtime_at_work(results), *trust.few_trials(results), *_one_line(row, case)]
        found += trust.disagreement([_mean(result) for result in results])
        if row.latency_ns is not None:
            found += trust.wide_interval(row.latency_ns.mean, row.latency_ns.ci95, "The mean is")
        found += [*trust.few_samples(row, "single round trips"), *trust.censored(row, results)]
        found += trust.coarse_clock(row, results, "one-way percentiles", 2, "The mean, from whole blocks, does not.")
    return tuple(found)


def _time_slice(row: Row) -> Iterator[Verdict]:
    if row.latency_ns is not None and row.latency_ns.mean >= SHORTEST_SLICE_NS:
        yield Verdict(
            "time-slice",
            "info",
            "Both threads spin on one CPU, so a hand-over waits until the scheduler takes the CPU from the spinner "
            f"and costs a time slice of it: {row.latency_ns.mean / 1e6:.3g} ms one way, "
            f"{1e9 / row.latency_ns.mean:.0f} hand-overs a second. This is the scheduler, not the mechanism. Spin "
            "only with a CPU for each thread.",
        )


def _one_line(row: Row, case: Case) -> Iterator[Verdict]:
    if not case.blocking and case.lines == 1:
        yield Verdict(
            "one-line",
            "info",
            f"One line is not a sample: where it lives in the last-level cache is luck. This figure is from "
            f"{counted(row.lines, 'line')}, one a trial. Leave out --lines to measure many in each.",
        )


def _mean(result: Result) -> float:
    """One-way nanoseconds over everything that the measuring phase did: a rough figure, to compare trials with."""
    return result.measured.ns / max(1, result.measured.ops)
