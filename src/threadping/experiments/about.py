"""What a row says whatever the experiment."""

from collections.abc import Mapping, Sequence
from statistics import median

from msgspec import UNSET, UnsetType

from threadping.contract import Result
from threadping.model import Case, Latency, Row, Trial
from threadping.stats.estimate import Estimate
from threadping.stats.percentiles import QUANTILES, carried_percentiles


def countable(trials: Sequence[Trial]) -> list[Result]:
    """The results that can be counted: of trials that did something in a plain window."""
    results = (trial.result for trial in trials)
    return [result for result in results if result and result.windows.of("plain").total_ops]


def about(case: Case, trials: Sequence[Trial], results: Sequence[Result], measures: str) -> Row:
    """The case's row, all its figures still to come but those that are taken alike everywhere.

    Args:
        case: what was measured.
        trials: all its trials.
        results: those of them that can be counted.
        measures: what its latency is the latency of.
    """
    ops = sum(result.measured.ops for result in results)
    return Row(
        experiment=case.experiment,
        runtime=case.runtime,
        mechanism=case.mechanism,
        params=case.params,
        varied=case.varied,
        placement=case.placement.name,
        cpus=case.placement.cpus,
        pin=case.placement.pin,
        home=case.home.name if case.home else None,
        warmup=case.warmup.text,
        threads=case.threads,
        trials=len(results),
        failed_trials=len(trials) - len(results),
        measures=measures,
        latency_ns=None,
        ops_per_s=None,
        cpu_ns_per_op=sum(t.cpu_ns for r in results for t in r.threads) / ops if ops else None,
        clock_cost_ns=median(result.clock.cost_ns for result in results) if results else None,
        samples=sum(sum(result.timed.counts) for result in results),
        censored=sum(result.timed.censored for result in results),
        lines=0,
        line_ns=None,
        verdicts=(),
    )


def latency(estimate: Estimate, histogram: Mapping[int, int], parts: int = 1) -> Latency:
    """A mean with its interval, and the distribution of what was timed one by one; `parts` divides each of its times.

    A percentile that the samples cannot carry is left out.
    """
    percentiles = carried_percentiles(histogram)

    def part(whole: int | None) -> float | UnsetType:
        return UNSET if whole is None else whole / parts

    return Latency(
        mean=estimate.mean,
        ci95=(estimate.low, estimate.high),
        min=part(min(histogram, default=None)),
        max=part(max(histogram, default=None)),
        **{name: part(percentiles.get(name)) for name in QUANTILES},
    )


def single_times(results: Sequence[Result]) -> list[dict[int, int]]:
    """For each trial how often each time occurred that was taken by itself."""
    return [result.timed.by_value for result in results]
