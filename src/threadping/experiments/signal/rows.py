"""How the trials of `signal` become rows."""

from collections.abc import Sequence
from statistics import median

from msgspec.structs import replace

from threadping.contract import SignalResult
from threadping.experiments.about import about, latency, timed
from threadping.experiments.signal.trust import verdicts
from threadping.model import Case, Latency, Row, Trial
from threadping.stats.estimate import mean_over_lines, mean_over_trials
from threadping.stats.percentiles import merge

MEASURES = "one-way"
HAND_OVERS_A_ROUND_TRIP = 2


def rows(cases: Sequence[Case], trials: Sequence[Trial], seed: int) -> list[Row]:
    """One row a case, in the order of the cases; a case without a single good trial has a row that says so."""
    return [_row(case, [trial for trial in trials if trial.case == case], seed) for case in cases]


def _row(case: Case, trials: Sequence[Trial], seed: int) -> Row:
    results = [r for trial in trials if isinstance(r := trial.result, SignalResult) and _blocks(r)]
    row = about(case, trials, results, MEASURES)
    if results:
        found = _latency(case, results, merge(timed(results)), seed)
        medians = [line for result in results for line in _line_medians(result)]
        row = replace(
            row,
            latency_ns=found,
            ops_per_s=1e9 / found.mean,
            lines=len(results) if case.blocking else len(medians),
            line_ns=None if case.blocking else (min(medians), max(medians)),
        )
    return replace(row, verdicts=verdicts(row, case, trials, results))


def _latency(case: Case, results: Sequence[SignalResult], histogram: dict[int, int], seed: int) -> Latency:
    if case.blocking:
        estimate = mean_over_trials([_mean_of_blocks(result) for result in results], seed)
    else:
        estimate = mean_over_lines([_line_medians(result) for result in results], seed)
    return latency(estimate, histogram, parts=HAND_OVERS_A_ROUND_TRIP)


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
