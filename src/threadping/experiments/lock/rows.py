"""How the trials of `lock` become rows.

Operations a second and fairness come from plain windows, in which no operation reads the clock; the distribution of
waits from timed ones.
"""

from collections.abc import Sequence
from statistics import fmean, median, median_low

from msgspec.structs import replace

from threadping.contract import Result, Windows
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
    plain = [result.windows.of("plain") for result in results]
    rates = [1e9 * windows.total_ops / windows.total_ns for windows in plain]
    if results:
        rate = median_over_trials(rates, seed)
        waits = [of_trial for of_trial in single_times(results) if of_trial]
        means = [sum(ns * count for ns, count in one.items()) / sum(one.values()) for one in waits]
        row = replace(
            row,
            latency_ns=latency(mean_over_trials(means, seed), merge(waits)) if waits else None,
            ops_per_s=rate.mean,
            lines=sum(len(set(result.windows.line)) for result in results),
            lock=Contention(
                (rate.low, rate.high),
                _fairness(plain),
                _sampling(plain, [result.windows.of("timed") for result in results]),
                _updates(results),
            ),
        )
    return replace(row, verdicts=verdicts(row, case, trials, results, rates))


def _fairness(plain: Sequence[Windows]) -> Fairness:
    """How even the windows were, and how even whole trials: what evens out in time is unfair in the short run only."""
    shares = [least_and_most([sum(of_thread) for of_thread in windows.ops]) for windows in plain]
    in_windows = [of_each for windows in plain for of_each in zip(*windows.ops, strict=True)]
    return Fairness(
        jain=fmean(jain(of_each) for of_each in in_windows if any(of_each)),  # nothing done is not shared
        shares=(median(least for least, _ in shares), median(most for _, most in shares)),
        window_ns=fmean(ns for windows in plain for ns in windows.ns),
    )


def _sampling(plain: Sequence[Windows], timed: Sequence[Windows]) -> Sampling:
    """By what share an operation is slower in timed windows; no difference is known where there were none."""
    known = any(windows.total_ops for windows in timed)
    cost = _op_ns(timed) / _op_ns(plain) - 1 if known else 0.0
    return Sampling(median_low(windows.every for windows in plain), cost)


def _op_ns(trials: Sequence[Windows]) -> float:
    """From one operation of any thread to the next."""
    return sum(windows.total_ns for windows in trials) / sum(windows.total_ops for windows in trials)


def _updates(results: Sequence[Result]) -> Updates:
    counts = [count for result in results for count in result.counts.values()]
    return Updates(sum(count.made for count in counts), sum(count.found for count in counts))
