"""A run of blocks becomes its comparisons: the same from the store as when it was measured."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from statistics import fmean, geometric_mean, median

from msgspec.structs import replace

from threadping.analysis.answer import Answer
from threadping.analysis.declaration import Declaration, Unit
from threadping.analysis.percentiles import percentiles
from threadping.comparing.blocks import Block, Measured, looks
from threadping.comparing.compare import Comparison, Contest, Rules, conclude
from threadping.grouping import gathered
from threadping.model import Case, Comparing, Observation, Pair, Record, Run


class Metric(Record, frozen=True):
    """A figure of a trial.

    Attributes:
        figure: its name among those of the experiment.
        unit: of its values.
        higher_is_better: whether more of it is faster.
        read: its value; None where a trial does not carry it.
    """

    figure: str
    unit: Unit
    higher_is_better: bool
    read: Callable[[Observation], float | None]


def metric(name: str, declared: Declaration) -> Metric:
    """The metric of this name, as an experiment has it; of what is timed one by one it is the first."""
    if name == "p99":
        return Metric(f"{declared.timed[0].name}.p99", "ns", False, lambda trial: _p99(trial, declared))
    figures = {"mean": "latency_ns.mean", "cpu": "cpu_ns_per_op", "rate": "ops_per_s"}
    figure = declared.figure(figures.get(name, declared.headline))
    return Metric(figure.name, figure.unit, figure.better == "more", lambda trial: trial.figures.get(figure.name))


def _p99(trial: Observation, declared: Declaration) -> float | None:
    """Of one trial, if its samples carry it."""
    timed, step, windows = declared.timed[0].of_trials([trial])
    return percentiles(timed, step, windows).get("p99")


TRIALS = 4

DOUBTS = ("not-steady",)
"""Warnings of a case that are a reason to doubt what is said of its ratio."""


class Compared(Record, frozen=True):
    """B against A in all but one thing alike.

    Attributes:
        a: A's case.
        b: B's case.
        metric: what was compared.
        values: the median over the trials of each side; None where it has none.
        comparison: what their blocks say.
    """

    a: Case
    b: Case
    metric: Metric
    values: tuple[float | None, float | None]
    comparison: Comparison


def compared(answer: Answer, of: Comparing, fail_above: float | None = None) -> tuple[Compared, ...]:
    """The comparisons of a run, corrected for how many they are; of B that may be slower by so much, where given."""
    run = answer.run
    metrics = [metric(of.metric, answer.declared[run.cases[a].experiment]) for a, _ in of.pairs]
    blocks = blocks_of(answer, of)
    better = [one.higher_is_better for one in metrics]
    contests = list(map(Contest, blocks, better, seconds_of(answer, of)))
    found = conclude(contests, Rules(of.margin, looks(run.rounds), fail_above))
    sides = [(run.cases[a], run.cases[b]) for a, b in of.pairs]
    return tuple(
        Compared(a, b, how, _values(of_it), _doubted(one, answer, a, b))
        for (a, b), how, of_it, one in zip(sides, metrics, blocks, found, strict=True)
    )


def blocks_of(answer: Answer, of: Comparing) -> list[tuple[Block, ...]]:
    """The blocks of each comparison, in the order in which they were measured; a block is four trials on end."""
    last = {(one.cpus, one.trials): one.ns for one in answer.states.pings}
    found: list[list[Block]] = [[] for _ in of.pairs]
    numbered = enumerate(answer.observations)
    for (pair, number), on_end in groupby(numbered, key=lambda one: (_pair(answer.run, of, one[1]), one[1].round)):
        trials = [_measured(answer, of, at, one, last) for at, one in on_end] if number and pair is not None else []
        for first in range(0, len(trials) - TRIALS + 1, TRIALS):
            found[pair or 0].append(Block(tuple(trials[first : first + TRIALS])))
    return [tuple(blocks) for blocks in found]


def _measured(
    answer: Answer, of: Comparing, number: int, one: Observation, last: Mapping[tuple[Pair, int], float | None]
) -> Measured:
    """What a trial says, and of each pair of its CPUs the last pings before and after it."""
    value = None if one.failure else metric(of.metric, answer.declared[one.case.experiment]).read(one)
    before, after = (_mean([last.get((pair, at)) for pair in one.case.placement.pairs]) for at in (number, number + 1))
    return Measured(one.side or "a", value, before, after)


def _pair(run: Run, of: Comparing, one: Observation) -> int | None:
    """Of which comparison a trial is."""
    case = run.cases.index(one.case)
    return next((place for place, pair in enumerate(of.pairs) if pair["ab".index(one.side or "a")] == case), None)


def _mean(pings: Sequence[float | None]) -> float | None:
    known = [ping for ping in pings if ping]
    return geometric_mean(known) if known and len(known) == len(pings) else None


def _values(blocks: Sequence[Block]) -> tuple[float | None, float | None]:
    known = gathered((one.side, one.value) for block in blocks for one in block.trials if one.value is not None)
    return median(known["a"]) if "a" in known else None, median(known["b"]) if "b" in known else None


def _doubted(found: Comparison, answer: Answer, *cases: Case) -> Comparison:
    """The comparison, with what the trials of its cases give reason to doubt."""
    codes = {one.code for row in answer.rows if row.case in cases for one in row.findings}
    failed = [case for case in cases if not any(row.trials for row in answer.rows if row.case == case)]
    more = [*(["failures"] if failed else []), *(code for code in DOUBTS if code in codes)]
    return replace(found, reasons=tuple(dict.fromkeys((*found.reasons, *more))))


def seconds_of(answer: Answer, of: Comparing) -> Iterator[float]:
    """What a block of each comparison takes: its trials, and a share of the pings."""
    cases, seen = answer.run.cases, answer.observations
    with_pings = 1 + sum(one.wall_ns for one in answer.states.pings) / (sum(one.wall_ns for one in seen) or 1)
    for pair in of.pairs:
        walls = [[one.wall_ns for one in seen if one.case == cases[place]] for place in pair]
        yield sum(TRIALS / 2 * fmean(each) for each in walls if each) * with_pings / 1e9
