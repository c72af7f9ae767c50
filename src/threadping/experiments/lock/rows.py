"""How the trials of `lock` become rows.

Operations a second and fairness come from plain windows, in which no operation reads the clock; the distribution of
waits from timed ones.
"""

from collections.abc import Sequence
from statistics import fmean, median, median_low

from msgspec.structs import replace

from threadping.contract import Kind, Result, Window, ns_of, ops_of
from threadping.experiments.about import about, countable, latency, single_times
from threadping.experiments.lock.trust import verdicts
from threadping.model import Case, Contention, Fairness, Row, Sampling, Trial, Updates
from threadping.stats.estimate import mean_over_trials, median_over_trials
from threadping.stats.fairness import jain, least_and_most
from threadping.stats.percentiles import merge


def row(case: Case, trials: Sequence[Trial], seed: int) -> Row:
    """The row of a case, from its trials; of one without a single good trial a row that says so."""
    results = countable(trials)
    row = about(case, trials, results, case.timed)
    rates = [1e9 * ops_of(plain) / ns_of(plain) for plain in (result.windows.of("plain") for result in results)]
    if results:
        rate = median_over_trials(rates, seed)
        waits = [of_trial for of_trial in single_times(results) if of_trial]
        means = [sum(ns * count for ns, count in one.items()) / sum(one.values()) for one in waits]
        row = replace(
            row,
            latency_ns=latency(mean_over_trials(means, seed), merge(waits)) if waits else None,
            ops_per_s=rate.mean,
            lines=sum(len(set(result.windows.line)) for result in results),
            lock=Contention((rate.low, rate.high), _fairness(results), _sampling(results), _updates(results)),
        )
    return replace(row, verdicts=verdicts(row, case, trials, results, rates))


def _windows(results: Sequence[Result], kind: Kind) -> list[Window]:
    return [window for result in results for window in result.windows.of(kind)]


def _fairness(results: Sequence[Result]) -> Fairness:
    """How even the windows were, and how even whole trials: what evens out in time is unfair in the short run only."""
    plain = _windows(results, "plain")
    trials = [_windows([result], "plain") for result in results]
    shares = [least_and_most([sum(ops) for ops in zip(*(w.ops for w in trial), strict=True)]) for trial in trials]
    return Fairness(
        jain=fmean(jain(window.ops) for window in plain if any(window.ops)),  # nothing done is not shared
        shares=(median(least for least, _ in shares), median(most for _, most in shares)),
        window_ns=fmean(window.ns for window in plain),
    )


def _sampling(results: Sequence[Result]) -> Sampling:
    """By what share an operation is slower in timed windows; no difference is known where there were none."""
    plain, timed = _windows(results, "plain"), _windows(results, "timed")
    cost = (ns_of(timed) / ops_of(timed)) / (ns_of(plain) / ops_of(plain)) - 1 if ops_of(timed) else 0.0
    return Sampling(median_low(result.windows.every for result in results), cost)


def _updates(results: Sequence[Result]) -> Updates:
    counts = [count for result in results for count in result.counts.values()]
    return Updates(sum(count.made for count in counts), sum(count.found for count in counts))
