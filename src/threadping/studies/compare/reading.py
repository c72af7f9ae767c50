"""A run of blocks becomes its comparisons: the same from the store as when it was measured."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from statistics import fmean, geometric_mean, median

from msgspec.structs import replace

from threadping.analysis.analyse import with_figures
from threadping.analysis.answer import Answer
from threadping.analysis.declaration import Declared, Row
from threadping.analysis.metric import Metric, metric
from threadping.analysis.validity import effect_of, is_usable, validity_of
from threadping.errors import UsageError
from threadping.model.bounds import Record
from threadping.model.cases import SIDES, Case, Pair
from threadping.model.run import Run
from threadping.model.studies import Comparing
from threadping.model.trials import Observation
from threadping.studies.compare.blocks import TRIALS_OF_BLOCK, SideTrial, TrialBlock, is_disturbed, looks
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
    taken = _taken(answer, of)
    blocks = [[block for block, _ in of_pair] for of_pair in taken]
    better = [one.higher_is_better for one in metrics]
    contests = list(map(PairBlocks, blocks, better, seconds_of(answer, of)))
    found = conclude(contests, Rules(of.margin, looks(run.rounds), fail_above), again=of != run.study.compared)
    sides = [(run.cases[a], run.cases[b]) for a, b in of.pairs]
    return tuple(
        ComparedPair(
            a,
            b,
            how,
            _values([block for block, _ in of_it if not is_disturbed(block)]),
            _valid(one, answer, how, (a, b), of_it),
        )
        for (a, b), how, of_it, one in zip(sides, metrics, taken, found, strict=True)
    )


def blocks_of(answer: Answer, of: Comparing) -> list[tuple[TrialBlock, ...]]:
    """The blocks of each comparison, in the order in which they were measured; a block is four trials on end.

    Raises:
        UsageError: there is a pair that has no such figure.
    """
    return [tuple(block for block, _ in of_pair) for of_pair in _taken(answer, of)]


TakenBlock = tuple[TrialBlock, Sequence[Observation]]
"""A block, with the trials that it was made of."""


def _taken(answer: Answer, of: Comparing) -> list[list[TakenBlock]]:
    metrics = metrics_of(answer.run, of, answer.declared)
    last = {(one.cpus, one.trials): one.ns for one in answer.states.pings}
    found: list[list[TakenBlock]] = [[] for _ in of.pairs]
    numbered = enumerate(answer.observations)
    for (pair, number), on_end in groupby(numbered, key=lambda one: (_pair(answer.run, of, one[1]), one[1].round)):
        of_it = list(on_end) if number and pair is not None else []
        for first in range(0, len(of_it) - TRIALS_OF_BLOCK + 1, TRIALS_OF_BLOCK):
            four = of_it[first : first + TRIALS_OF_BLOCK]
            block = TrialBlock(tuple(_measured(metrics[pair or 0], at, one, last) for at, one in four))
            found[pair or 0].append((block, [one for _, one in four]))
    return found


def _measured(how: Metric, number: int, one: Observation, last: Mapping[tuple[Pair, int], float | None]) -> SideTrial:
    """What a trial says, and of each pair of its CPUs the last pings before and after it."""
    before, after = (_mean([last.get((pair, at)) for pair in one.case.placement.pairs]) for at in (number, number + 1))
    return SideTrial.of(one, how.of_trial(one), before, after)


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


def _valid(
    found: RatioTest, answer: Answer, how: Metric, cases: tuple[Case, Case], taken: Sequence[TakenBlock]
) -> RatioTest:
    """Return the comparison with what its cases give reason to doubt; undecided where A and B may not be compared."""
    rows = [row for row in answer.rows if row.case in cases]
    if hidden := next((code for row in rows if (code := how.hidden_by(row))), None):
        found = found.undecided([hidden])
    counted = [row for case in cases if (row := _counted(answer, case, taken)).trials]
    valid = validity_of(counted, "compare")
    if not valid.is_usable:
        found = found.undecided(valid.codes, valid.why)
    elif not is_usable(counted, "gate"):
        found = replace(found, slower=None)
    codes = {one.code for row in rows for one in row.findings}
    failed = [case for case in cases if not any(row.trials for row in rows if row.case == case)]
    more = [*(["failures"] if failed else []), *(code for code in DOUBTS if code in codes)]
    return replace(found, reasons=tuple(dict.fromkeys((*found.reasons, *more))))


def _counted(answer: Answer, case: Case, taken: Sequence[TakenBlock]) -> Row:
    """Return the row of those trials that the ratio is of, with what may forbid to compare it; of all if none count."""
    every = [[one for one in trials if one.case == case and one.figures] for _, trials in taken]
    calm = [one for (block, _), trials in zip(taken, every, strict=True) if not is_disturbed(block) for one in trials]
    counted = calm or [one for trials in every for one in trials]
    trials = tuple(replace(one, distributions={}, caused={}) for one in counted)
    declared = answer.declared[case.experiment]
    of_run = next((row.of_run for row in answer.rows if row.case == case), ())
    checks = (one for one in declared.checks if effect_of(one.code, one.level, "compare") in ("alike", "unusable"))
    return with_figures(Row(case, replace(declared, checks=tuple(checks)), trials, trials, of_run=of_run))


def seconds_of(answer: Answer, of: Comparing) -> Iterator[float]:
    """What a block of each comparison takes: its trials, and a share of the pings."""
    cases, seen = answer.run.cases, answer.observations
    with_pings = 1 + sum(one.wall_ns for one in answer.states.pings) / (sum(one.wall_ns for one in seen) or 1)
    for pair in of.pairs:
        walls = [[one.wall_ns for one in seen if one.case == cases[place]] for place in pair]
        yield sum(TRIALS_OF_BLOCK / 2 * fmean(each) for each in walls if each) * with_pings / 1e9
