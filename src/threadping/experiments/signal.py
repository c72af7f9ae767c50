"""signal: what it costs one thread to tell another something.

Measures the one-way latency, half a round trip: the mean from whole blocks, which the clock does not disturb, the
distribution from single round trips, each of which holds one reading of the clock.
"""

from collections.abc import Sequence
from statistics import median

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from threadping.contract import SignalResult
from threadping.experiments.trust import verdicts
from threadping.model import Case, Latency, Row, Trial
from threadping.stats.estimate import Estimate, mean_over_lines, mean_over_trials
from threadping.stats.percentiles import carried_percentiles, merge

NAME = "signal"
CLASSIC = ("cas-one-line", "add-one-line", "release-two-lines", "condition")
"""What well-known tools measure: the answer that most want first."""

MEASURES = "one-way"
HAND_OVERS_A_ROUND_TRIP = 2


def rows(cases: Sequence[Case], trials: Sequence[Trial], seed: int) -> list[Row]:
    """One row a case, in the order of the cases; a case without a single good trial has a row that says so."""
    return [_row(case, [trial for trial in trials if trial.case == case], seed) for case in cases]


def _row(case: Case, trials: Sequence[Trial], seed: int) -> Row:
    results = [r for trial in trials if isinstance(r := trial.result, SignalResult) and _blocks(r)]
    histogram = merge(dict(zip(r.singles.values_ns, r.singles.counts, strict=True)) for r in results)
    latency = _latency(case, results, histogram, seed) if results else None
    medians = [line for result in results for line in _line_medians(result)]
    ops = sum(result.measured.ops for result in results)
    row = Row(
        experiment=NAME,
        runtime=case.runtime,
        mechanism=case.mechanism,
        params=case.params,
        varied=case.varied,
        placement=case.placement.name,
        cpus=case.placement.cpus,
        pin=case.placement.pin,
        warmup=case.warmup.text,
        threads=len(case.placement.cpus),
        trials=len(results),
        failed_trials=len(trials) - len(results),
        measures=MEASURES,
        latency_ns=latency,
        ops_per_s=1e9 / latency.mean if latency else None,
        cpu_ns_per_op=sum(t.cpu_ns for r in results for t in r.threads) / ops if ops else None,
        clock_cost_ns=median(result.clock.cost_ns for result in results) if results else None,
        samples=sum(histogram.values()),
        lines=len(medians) if not case.blocking else len(results),
        line_ns=(min(medians), max(medians)) if medians and not case.blocking else None,
        verdicts=(),
    )
    return _with_verdicts(row, case, trials, results)


def _with_verdicts(row: Row, case: Case, trials: Sequence[Trial], results: Sequence[SignalResult]) -> Row:
    return replace(row, verdicts=verdicts(row, case, trials, results))


def _latency(case: Case, results: Sequence[SignalResult], histogram: dict[int, int], seed: int) -> Latency:
    if case.blocking:
        estimate = mean_over_trials([_mean_of_blocks(result) for result in results], seed)
    else:
        estimate = mean_over_lines([_line_medians(result) for result in results], seed)
    return _distribution(estimate, histogram)


def _distribution(estimate: Estimate, histogram: dict[int, int]) -> Latency:
    percentiles = carried_percentiles(histogram)

    def one_way(round_trip: int | None) -> float | UnsetType:
        return UNSET if round_trip is None else round_trip / HAND_OVERS_A_ROUND_TRIP

    return Latency(
        mean=estimate.mean,
        ci95=(estimate.low, estimate.high),
        min=one_way(min(histogram, default=None)),
        max=one_way(max(histogram, default=None)),
        **{name: one_way(percentiles.get(name)) for name in ("p50", "p90", "p99", "p99_9")},
    )


def _blocks(result: SignalResult) -> list[tuple[int, float, int]]:
    """Every block as (line, mean round trip, round trips), the one that the bound cut included: none is dropped."""
    blocks = [
        (line, round_trip_ns, result.blocks.round_trips)
        for line, of_line in enumerate(result.blocks.lines)
        for round_trip_ns in of_line
    ]
    if cut := result.blocks.partial:
        blocks.append((cut.line, cut.ns / cut.round_trips, cut.round_trips))
    return blocks


def _line_medians(result: SignalResult) -> list[float]:
    """One-way nanoseconds: the median block of each line that was reached."""
    by_line: dict[int, list[float]] = {}
    for line, round_trip_ns, _ in _blocks(result):
        by_line.setdefault(line, []).append(round_trip_ns / HAND_OVERS_A_ROUND_TRIP)
    return [median(blocks) for blocks in by_line.values()]


def _mean_of_blocks(result: SignalResult) -> float:
    """One-way nanoseconds: the mean over all round trips in blocks."""
    blocks = _blocks(result)
    total_ns = sum(round_trip_ns * round_trips for _, round_trip_ns, round_trips in blocks)
    return total_ns / sum(round_trips for _, _, round_trips in blocks) / HAND_OVERS_A_ROUND_TRIP
