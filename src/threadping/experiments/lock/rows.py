"""How the trials of `lock` become rows.

Operations a second and fairness come from plain windows, in which no operation reads the clock; the distribution of
waits from sampled ones.
"""

from collections.abc import Iterable, Sequence
from statistics import fmean, median, median_low

from msgspec.structs import replace

from threadping.contract import LockResult, Window
from threadping.experiments.about import about, latency, timed
from threadping.experiments.lock.trust import verdicts
from threadping.model import Case, Contention, Fairness, Row, Sampling, Trial, Updates
from threadping.stats.estimate import mean_over_trials, median_over_trials
from threadping.stats.fairness import jain, least_and_most
from threadping.stats.percentiles import merge


def rows(cases: Sequence[Case], trials: Sequence[Trial], seed: int) -> list[Row]:
    """One row a case, in the order of the cases; a case without a single good trial has a row that says so."""
    return [_row(case, [trial for trial in trials if trial.case == case], seed) for case in cases]


def _row(case: Case, trials: Sequence[Trial], seed: int) -> Row:
    results = [r for trial in trials if isinstance(r := trial.result, LockResult) and _ops(_plain(r))]
    row = about(case, trials, results, case.timed)
    rates = [_rate(result) for result in results]
    if results:
        rate = median_over_trials(rates, seed)
        waits = [of_trial for of_trial in timed(results) if of_trial]
        means = [sum(ns * count for ns, count in one.items()) / sum(one.values()) for one in waits]
        row = replace(
            row,
            latency_ns=latency(mean_over_trials(means, seed), merge(waits)) if waits else None,
            ops_per_s=rate.mean,
            lines=sum(len({window.line for window in result.windows}) for result in results),
            lock=Contention((rate.low, rate.high), _fairness(results), _sampling(results), _updates(results)),
        )
    return replace(row, verdicts=verdicts(row, case, trials, results, rates))


def _plain(result: LockResult) -> list[Window]:
    return [window for window in result.windows if not window.sampled]


def _ops(windows: Iterable[Window]) -> int:
    return sum(sum(window.ops) for window in windows)


def _ns(windows: Iterable[Window]) -> int:
    return sum(window.ns for window in windows)


def _rate(result: LockResult) -> float:
    """Operations a second, of all threads together."""
    plain = _plain(result)
    return 1e9 * _ops(plain) / _ns(plain)


def _fairness(results: Sequence[LockResult]) -> Fairness:
    """How even the windows were, and how even whole trials: what evens out in time is unfair in the short run only."""
    plain = [window for result in results for window in _plain(result)]
    shares = [least_and_most([sum(ops) for ops in zip(*(w.ops for w in _plain(r)), strict=True)]) for r in results]
    return Fairness(
        jain=fmean(jain(window.ops) for window in plain if any(window.ops)),  # nothing done is not shared
        shares=(median(least for least, _ in shares), median(most for _, most in shares)),
        window_ns=fmean(window.ns for window in plain),
    )


def _sampling(results: Sequence[LockResult]) -> Sampling:
    """By what share an operation is slower in sampled windows; no difference is known where there were none."""
    plain = [window for result in results for window in result.windows if not window.sampled]
    sampled = [window for result in results for window in result.windows if window.sampled]
    known = _ops(sampled) > 0
    cost = (_ns(sampled) / _ops(sampled)) / (_ns(plain) / _ops(plain)) - 1 if known else 0.0
    return Sampling(median_low(result.sampling.every for result in results), cost)


def _updates(results: Sequence[LockResult]) -> Updates:
    return Updates(sum(result.counter.made for result in results), sum(result.counter.found for result in results))
