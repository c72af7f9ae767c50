"""A run of blocks becomes its comparisons: the same from the store as when it was measured."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from statistics import fmean, geometric_mean, median
from typing import Any

from msgspec.structs import replace

from threadping.analysis.answer import Answer
from threadping.analysis.declaration import Declared
from threadping.analysis.metric import Metric, metric
from threadping.errors import UsageError
from threadping.model.bounds import Record
from threadping.model.cases import SIDES, Case, Pair
from threadping.model.run import Run
from threadping.model.studies import Comparing
from threadping.model.trials import Observation
from threadping.studies.compare.blocks import TRIALS_OF_BLOCK, SideTrial, TrialBlock, looks
from threadping.studies.compare.ratio import PairBlocks, RatioTest, Rules, conclude, counting

DOUBTS = ("not-steady",)
"""Warnings of a case that are a reason to doubt what is said of its ratio."""


class ComparedPair(Record, frozen=True):
    """B against A in all but one thing alike.

    Attributes:
        a: A's case.
        b: B's case.
        metric: what was compared.
        values: the median over those trials of each side that the ratio is of; None where it has none.
        test: what their blocks say.
    """

    a: Case
    b: Case
    metric: Metric
    values: tuple[float | None, float | None]
    test: RatioTest


def metrics_of(run: Run, of: Comparing, declared: Declared) -> list[Metric]:
    """What is compared of each pair.

    Raises:
        UsageError: there is a pair that has no such figure.
    """
    found = []
    for a, b in of.pairs:
        cases = run.cases[a], run.cases[b]
        how = metric(of.metric, declared[cases[0].experiment], *cases)
        if why := why_not(of.metric, how, cases):
            raise UsageError(f"{cases[0].experiment} {cases[0].title} cannot be compared by {of.metric}. {why}")
        assert how
        found.append(how)
    return found


def why_not(asked: str, how: Metric | None, cases: Sequence[Case]) -> str | None:
    """Why cases cannot be compared by what was asked for, in a sentence; None where they can."""
    if how is None:
        return f"{cases[0].experiment} has no such figure."
    return next((why for case in cases if (why := how.why_not(case))), None)


def compared(answer: Answer, of: Comparing, fail_above: float | None = None) -> tuple[ComparedPair, ...]:
    """The comparisons of a run, corrected for how many they are; of B that may be slower by so much, where given.

    What was not measured for this question, another metric or another margin, was not ended by it either.

    Raises:
        UsageError: there is a pair that has no such figure.
    """
    run = answer.run
    metrics = metrics_of(run, of, answer.declared)
    blocks = blocks_of(answer, of)
    better = [one.higher_is_better for one in metrics]
    contests = list(map(PairBlocks, blocks, better, seconds_of(answer, of)))
    found = conclude(contests, Rules(of.margin, looks(run.rounds), fail_above), again=of != run.study.compared)
    sides = [(run.cases[a], run.cases[b]) for a, b in of.pairs]
    return tuple(
        ComparedPair(a, b, how, _values(of_it), _doubted(one, answer, how, a, b))
        for (a, b), how, of_it, one in zip(sides, metrics, blocks, found, strict=True)
    )


def blocks_of(answer: Answer, of: Comparing) -> list[tuple[TrialBlock, ...]]:
    """The blocks of each comparison, in the order in which they were measured; a block is four trials on end.

    Raises:
        UsageError: there is a pair that has no such figure.
    """
    metrics = metrics_of(answer.run, of, answer.declared)
    last = {(one.cpus, one.trials): one.ns for one in answer.states.pings}
    found: list[list[TrialBlock]] = [[] for _ in of.pairs]
    numbered = enumerate(answer.observations)
    for (pair, number), on_end in groupby(numbered, key=lambda one: (_pair(answer.run, of, one[1]), one[1].round)):
        of_it = on_end if number and pair is not None else ()
        trials = [_measured(metrics[pair or 0], at, one, last) for at, one in of_it]
        for first in range(0, len(trials) - TRIALS_OF_BLOCK + 1, TRIALS_OF_BLOCK):
            found[pair or 0].append(TrialBlock(tuple(trials[first : first + TRIALS_OF_BLOCK])))
    return [tuple(blocks) for blocks in found]


def _measured(how: Metric, number: int, one: Observation, last: Mapping[tuple[Pair, int], float | None]) -> SideTrial:
    """What a trial says, and of each pair of its CPUs the last pings before and after it."""
    before, after = (_mean([last.get((pair, at)) for pair in one.case.placement.pairs]) for at in (number, number + 1))
    return SideTrial(one.side or "a", how.of_trial(one), before, after)


def _pair(run: Run, of: Comparing, one: Observation) -> int | None:
    """Of which comparison a trial is."""
    case = run.cases.index(one.case)
    return next((place for place, pair in enumerate(of.pairs) if pair["ab".index(one.side or "a")] == case), None)


def _mean(pings: Sequence[float | None]) -> float | None:
    known = [ping for ping in pings if ping]
    return geometric_mean(known) if known and len(known) == len(pings) else None


def _values(blocks: Sequence[TrialBlock]) -> tuple[float | None, float | None]:
    a, b = (counting(blocks, side) for side in SIDES)
    return median(a) if a else None, median(b) if b else None


def _doubted(found: RatioTest, answer: Answer, how: Metric, *cases: Case) -> RatioTest:
    """The comparison, with what its cases give reason to doubt; undecided where a row of them hides the figure."""
    rows = [row for row in answer.rows if row.case in cases]
    if hidden := next((code for row in rows if (code := how.hidden_by(row))), None):
        undecided: dict[str, Any] = {"decides": None, "answer": "cannot-tell", "direction": None, "slower": None}
        found = replace(found, **undecided, needs_s=None, reasons=(hidden, *found.reasons))
    if "failures" in found.reasons and not any(row.failed for row in rows):
        absent = ("metric-absent" if code == "failures" else code for code in found.reasons)
        found = replace(found, reasons=tuple(absent))
    codes = {one.code for row in rows for one in row.findings}
    failed = [case for case in cases if not any(row.trials for row in answer.rows if row.case == case)]
    more = [*(["failures"] if failed else []), *(code for code in DOUBTS if code in codes)]
    return replace(found, reasons=tuple(dict.fromkeys((*found.reasons, *more))))


def seconds_of(answer: Answer, of: Comparing) -> Iterator[float]:
    """What a block of each comparison takes: its trials, and a share of the pings."""
    cases, seen = answer.run.cases, answer.observations
    with_pings = 1 + sum(one.wall_ns for one in answer.states.pings) / (sum(one.wall_ns for one in seen) or 1)
    for pair in of.pairs:
        walls = [[one.wall_ns for one in seen if one.case == cases[place]] for place in pair]
        yield sum(TRIALS_OF_BLOCK / 2 * fmean(each) for each in walls if each) * with_pings / 1e9
