"""How the trials of `signal` become rows."""

from collections.abc import Sequence
from statistics import median

from msgspec.structs import replace

from threadping.contract import Result
from threadping.experiments.about import about, countable, latency, single_times
from threadping.experiments.signal.trust import verdicts
from threadping.model import Case, Row, Trial
from threadping.stats.estimate import mean_over_lines, mean_over_trials
from threadping.stats.percentiles import merge

MEASURES = "one-way"
HAND_OVERS_A_ROUND_TRIP = 2


def row(case: Case, trials: Sequence[Trial], seed: int) -> Row:
    """The row of a case, from its trials; of one without a single good trial a row that says so."""
    results = countable(trials)
    row = about(case, trials, results, MEASURES)
    if results:
        medians = [line_medians(result) for result in results]
        if case.blocking:
            estimate = mean_over_trials([mean_of_blocks(result) for result in results], seed)
        else:
            estimate = mean_over_lines(medians, seed)
        lines = [line for of_trial in medians for line in of_trial]
        row = replace(
            row,
            latency_ns=latency(estimate, merge(single_times(results)), parts=HAND_OVERS_A_ROUND_TRIP),
            ops_per_s=1e9 / estimate.mean,
            lines=len(results) if case.blocking else len(lines),
            line_ns=None if case.blocking else (min(lines), max(lines)),
        )
    return replace(row, verdicts=verdicts(row, case, trials, results))


def line_medians(result: Result) -> list[float]:
    """One-way nanoseconds: the median block (plain window) of each line that was reached."""
    by_line: dict[int, list[float]] = {}
    blocks = result.windows.of("plain")
    for line, ns, ops in zip(blocks.line, blocks.ns, blocks.ops_in_each, strict=True):
        if ops:
            by_line.setdefault(line, []).append(ns / ops)
    return [median(blocks) for blocks in by_line.values()]


def mean_of_blocks(result: Result) -> float:
    """One-way nanoseconds: the mean over everything in blocks, of which there is at least one."""
    blocks = result.windows.of("plain")
    return blocks.total_ns / blocks.total_ops
