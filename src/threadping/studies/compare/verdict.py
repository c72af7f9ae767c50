"""B against A, read from a run: an interval of the ratio, a word, and the reasons for doubt."""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from statistics import NormalDist, fmean, geometric_mean, median
from typing import Any, Literal

from msgspec import toml
from msgspec.structs import replace

from threadping.analysis import analyse, percentiles, row_warnings
from threadping.analysis.answer import Answer
from threadping.analysis.declaration import Declared, Metric, Row, metric
from threadping.analysis.validity import is_usable, narrowed, validity_of
from threadping.model.base import Record
from threadping.model.cases import SIDES, Case, Side
from threadping.model.errors import UsageError
from threadping.model.run import Comparing, Observation, Run
from threadping.output.layout import Ends
from threadping.studies.compare.blocks import (
    ALPHA,
    TRIALS_OF_BLOCK,
    Looks,
    SideTrial,
    TrialBlock,
    is_disturbed,
    is_spoilt,
    looks,
    masked,
)

WordOfB = Literal["slower", "faster", "same", "differs", "cannot-tell"]
"""`slower` and `faster` by more than the margin, `same` within it, `differs` by less than it."""

Direction = Literal["slower", "faster"]

WORDS = toml.decode(Path(__file__).with_name("reasons.toml").read_bytes())
REASONS: Mapping[str, str] = WORDS["reasons"]
"""Reasons why a comparison cannot tell, or to doubt it, in a few words."""

DOUBTED = 0.005
"""Below this p, over all comparisons of a run, there is a carry-over, or A and B have different spreads. Simulated
(docs/internals/statistics.md): equals have the one in 0.5%, the other in 0.5%, and in 1.7% where trials of both fall
into two groups. No equals with an after-effect of 3% that were distinguished were undoubted."""

SELDOM = 0.1  # share of failed trials above which the others are no fair sample
FAIL_UNLIKE = 0.05  # p below which one of A and B fails more often than the other
DIFFERS = ("slower", "faster", "differs")
POWER = 0.9  # share of comparisons in which `visible` is seen
JUDGED = 1024  # tests that are kept, each of some KB
DOUBTS = ("not-steady",)  # warnings of a case that are a reason to doubt its ratio


class Rules(Record, frozen=True):
    """The rules for all comparisons of a run."""

    margin: float  # a difference that does not matter, as a share: 0.03
    looks: Looks  # the blocks after which to test; between looks the answer is `cannot-tell`, unless it is final
    # B is too slow where it is significantly slower by more than this share; None for the margin
    fail_above: float | None = None

    @property
    def limit(self) -> float:
        return self.margin if self.fail_above is None else self.fail_above


class PairBlocks(Record, frozen=True):
    """The measured blocks of B against A."""

    blocks: Sequence[TrialBlock]  # in the order in which they were measured, without the first, which is discarded
    higher_is_better: bool = False  # the metric is a rate, so that B is faster where the ratio is above 1
    seconds_per_block: float = 1.0  # the duration of a block for `needs_s`: its trials, and a share of the pings


class RatioTest(Record, frozen=True):
    """The test of B against A; the sheet of a comparison explains its other attributes."""

    ratio: float | None  # B's metric over A's; None where nothing can be compared
    ci95: Ends | None  # its 95% interval, as if computed only once; an end may be 0 or infinite
    # the deciding interval: in 99 of 100 runs it covers the ratio, whenever they stop. None without a ratio, if trials
    # fail, and between looks
    decides: Ends | None
    answer: WordOfB
    visible: float | None
    blocks: int
    masked: int
    reasons: tuple[str, ...] = ()
    needs_s: float | None = None
    slower: bool | None = None  # B is significantly slower, or not, by more than the rules' limit; None is open
    direction: Direction | None = None
    disturbed: int = 0  # the number of blocks that are left out because other programs ran next to them
    why: str = ""  # why A and B cannot be compared at all, as a clause (`analysis.validity`); empty if they can

    def undecided(self, codes: Sequence[str], why: str = "") -> "RatioTest":
        """Return the same without a verdict, which these codes forbid. The 95% interval stays, to be read."""
        nothing: dict[str, Any] = dict.fromkeys(("decides", "direction", "slower", "needs_s"))
        reasons = tuple(dict.fromkeys((*codes, *self.reasons)))
        return replace(self, **nothing, answer="cannot-tell", reasons=reasons, why=why)

    @property
    def is_settled(self) -> bool:
        """There is an answer, and the gate is decided, so that no more blocks are needed.

        That B differs from A is no answer: the first look that sees it comes while the interval is wide. A gate that
        stopped there failed a B that is 2% slower, at a margin of 3%, in 82 of 100 runs (docs/internals/statistics.md).
        """
        return self.answer != "cannot-tell" and self.slower is not None


class MeasuredPair(PairBlocks, frozen=True, kw_only=True):
    """A comparison's cases with the blocks that were measured of them."""

    a: Case
    b: Case
    metric: Metric  # the compared figure
    trials: Sequence[Sequence[Observation]]  # the trials of each block


class ComparedPair(Record, frozen=True):
    """B against A in all but one thing alike."""

    a: Case
    b: Case
    metric: Metric  # the compared figure
    # the median over those trials of each side that the ratio is of; None where it has none
    values: tuple[float | None, float | None]
    test: RatioTest  # the result of the blocks


def metric_of_pair(asked: str, declared: Declared, cases: Sequence[Case]) -> Metric | str:
    """Return the metric that was asked for; a sentence where these cases have none."""
    how = metric(asked, declared[cases[0].experiment], *cases)
    if how is None:
        return f"{cases[0].experiment} has no such figure."
    return next((why for case in cases if (why := how.why_not(case))), how)


def metrics_of(run: Run, of: Comparing, declared: Declared) -> list[Metric]:
    """Return the metric of each pair; raise UsageError if one has no such figure."""
    found = []
    for a, b in of.pairs:
        cases = run.cases[a], run.cases[b]
        how = metric_of_pair(of.metric, declared, cases)
        if isinstance(how, str):
            raise UsageError(f"{cases[0].experiment} {cases[0].title} cannot be compared by {of.metric}. {how}")
        found.append(how)
    return found


def measured_pairs(answer: Answer, of: Comparing) -> list[MeasuredPair]:
    """Return the blocks of each comparison, without those that were cut off; raise UsageError if a pair has no figure.

    A trial has the last pings of each pair of its CPUs before and after it.
    """
    run, seen = answer.run, answer.observations
    metrics = metrics_of(run, of, answer.declared)
    pair_of: dict[tuple[Case, Side], int] = {}
    for number, places in enumerate(of.pairs):
        for place, side in zip(places, SIDES, strict=True):
            pair_of.setdefault((run.cases[place], side), number)
    last = {(one.cpus, one.trials): one.ns for one in answer.states.pings}

    def around(number: int, one: Observation) -> tuple[float | None, float | None]:
        levels = ([last.get((pair, at)) or 0.0 for pair in one.case.placement.pairs] for at in (number, number + 1))
        before, after = (geometric_mean(of_it) if of_it and all(of_it) else None for of_it in levels)
        return before, after

    blocks: list[list[TrialBlock]] = [[] for _ in of.pairs]
    trials: list[list[Sequence[Observation]]] = [[] for _ in of.pairs]
    numbered = ((number, one, pair_of.get((one.case, one.side or "a"))) for number, one in enumerate(seen))
    for (pair, block), on_end in groupby(numbered, key=lambda one: (one[2], one[1].round)):
        if not block or pair is None:
            continue
        for four in zip(*[on_end] * TRIALS_OF_BLOCK, strict=False):  # fewer at the end are of one that was cut off
            made = (SideTrial.of(one, metrics[pair].of_trial(one), *around(number, one)) for number, one, _ in four)
            blocks[pair].append(TrialBlock(tuple(made)))
            trials[pair].append([one for _, one, _ in four])
    with_pings = 1 + sum(one.wall_ns for one in answer.states.pings) / (sum(one.wall_ns for one in seen) or 1)
    found = []
    for number, pair in enumerate(of.pairs):
        a, b = (run.cases[place] for place in pair)
        walls = [[one.wall_ns for one in seen if one.case == case] for case in (a, b)]
        block_s = sum(TRIALS_OF_BLOCK / 2 * fmean(each) for each in walls if each) * with_pings / 1e9
        how, of_it = metrics[number], blocks[number]
        found.append(MeasuredPair(of_it, how.higher_is_better, block_s, a=a, b=b, metric=how, trials=trials[number]))
    return found


def compared(answer: Answer, of: Comparing, fail_above: float | None = None) -> tuple[ComparedPair, ...]:
    """Return the comparisons of a run, corrected for their number; raise UsageError if a pair has no such figure.

    A run that ended by another metric or margin was not ended by this one. `fail_above` is the limit of the gate.
    """
    pairs = measured_pairs(answer, of)
    rules = Rules(of.margin, looks(answer.run.rounds), fail_above)
    tests = conclude(pairs, rules, again=of != answer.run.study.compared)
    found = []
    for one, test in zip(pairs, tests, strict=True):
        calm = [block for block in one.blocks if not is_disturbed(block)]
        values = [median(counted) if (counted := counting(calm, side)) else None for side in SIDES]
        found.append(ComparedPair(one.a, one.b, one.metric, (values[0], values[1]), _valid(test, answer, one)))
    return tuple(found)


def _valid(test: RatioTest, answer: Answer, pair: MeasuredPair) -> RatioTest:
    """Return the test with the reasons for doubt of its cases; undecided where A and B may not be compared."""
    cases = pair.a, pair.b
    rows = [row for row in answer.rows if row.case in cases]
    if hidden := next((code for row in rows if (code := pair.metric.hidden_by(row))), None):
        test = test.undecided([hidden])
    counted = [row for case in cases if (row := _counted(answer, case, pair)).trials]
    valid = validity_of(counted, "compare")
    if not valid.is_usable:
        test = test.undecided(valid.codes, valid.why)
    elif not is_usable(counted, "gate"):
        test = replace(test, slower=None)
    codes = {one.code for row in rows for one in row.findings}
    failed = [case for case in cases if not any(row.trials for row in rows if row.case == case)]
    more = [*(["failures"] if failed else []), *(code for code in DOUBTS if code in codes)]
    return replace(test, reasons=tuple(dict.fromkeys((*test.reasons, *more))))


def _counted(answer: Answer, case: Case, pair: MeasuredPair) -> Row:
    """Return the row of the trials in undisturbed blocks, or of all, with the checks that may forbid to compare it."""
    every = [[one for one in trials if one.case == case and one.figures] for trials in pair.trials]
    calm = [one for block, trials in zip(pair.blocks, every, strict=True) if not is_disturbed(block) for one in trials]
    counted = calm or [one for trials in every for one in trials]
    trials = tuple(replace(one, distributions={}, caused={}) for one in counted)
    declared = answer.declared[case.experiment]
    of_run = next((row.of_run for row in answer.rows if row.case == case), ())
    checks = narrowed(declared.checks, "compare", "alike", "unusable")
    return analyse.with_figures(Row(case, replace(declared, checks=checks), trials, trials, of_run=of_run))


def compare(of: PairBlocks, rules: Rules, comparisons: int = 1, *, final: bool = False) -> RatioTest:
    """Compare the sides of all measured blocks, as one of several comparisons; each may err that much less often.

    `final` says that nothing will be measured any more. What a schedule has judged is not judged again by a reading.
    """
    test = _judge(tuple(of.blocks), of.higher_is_better, rules, comparisons, final)
    return replace(test, needs_s=test.needs_s and test.needs_s * of.seconds_per_block)


@lru_cache(JUDGED)
def _judge(
    measured: tuple[TrialBlock, ...], higher_is_better: bool, rules: Rules, comparisons: int, final: bool
) -> RatioTest:
    """Judge blocks of a second each."""
    from threadping.studies.compare import permutation

    blocks = [block for block in measured if not is_disturbed(block)]
    good, disturbed = sum(not is_spoilt(block) for block in blocks), len(measured) - len(blocks)
    out = sum(sum(masked(block)) for block in blocks)
    nothing = RatioTest(None, None, None, "cannot-tell", None, good, out, disturbed=disturbed)
    if not blocks:
        return replace(nothing, reasons=("other-load" if disturbed else "too-few-blocks",))
    due = rules.looks.level(good, comparisons, final)
    level = due or ALPHA / comparisons
    of_b, values = permutation.sides(blocks), permutation.table(blocks, logs)
    failed = permutation.table(blocks, lambda block: [trial.failed for trial in block.trials])
    absent = permutation.table(blocks, lambda block: [not (one.failed or one.value) for one in block.trials])
    fails, lacks = (
        of.any() and (of.mean() > SELDOM or permutation.p_value(of, of_b) < FAIL_UNLIKE) for of in (failed, absent)
    )
    found = permutation.shift(values, of_b, (1 - percentiles.CONFIDENCE, level))
    if found is None:
        return replace(nothing, reasons=("failures" if fails else "metric-absent" if lacks else "masked",))
    ratio, intervals = found
    coarse = permutation.step(values)
    ci95, decides = ((low - coarse, high + coarse) for low, high in intervals)
    limit, half = math.log1p(rules.margin), (decides[1] - decides[0]) / 2
    reasons = {
        "failures": fails,
        "metric-absent": lacks,
        "too-few-blocks": math.isinf(intervals[1][1] - intervals[1][0]),
        "coarse": coarse > 0,
        "moves-the-state": _moves_the_state(blocks, level, limit),
        "carry-over": permutation.p_value(values, of_b, ratio, weights=permutation.CARRIED) < DOUBTED / comparisons,
        "bimodal": any(row_warnings.groups(counting(blocks, side)) for side in SIDES),
        "unlike-spread": permutation.p_value(values, of_b, ratio, of_distances=True) < DOUBTED / comparisons,
        "other-load": disturbed > good,
    }
    is_sure = bool(due) and not (fails or lacks)
    answer, direction = _answer(decides, limit, higher_is_better) if is_sure else ("cannot-tell", None)
    sure = _ratios(decides) if is_sure else None
    z = NormalDist().inv_cdf(1 - level / 2)
    visible = half * (1 + NormalDist().inv_cdf(POWER) / z)
    needed = None
    if answer == "cannot-tell" and good and not (fails or lacks or coarse) and math.isfinite(ci95[1] - ci95[0]):
        error = (ci95[1] - ci95[0]) / 2 / NormalDist().inv_cdf((1 + percentiles.CONFIDENCE) / 2)
        needed = max(good + 1, good * (error / _allowed_error(ratio, limit, z, direction)) ** 2)
    return replace(
        nothing,
        ratio=math.exp(ratio),
        ci95=_ratios(ci95),
        decides=sure,
        answer=answer,
        visible=math.exp(visible) if math.isfinite(visible) else None,
        reasons=tuple(code for code, so in reasons.items() if so),
        needs_s=needed,
        slower=is_slower(sure, rules.limit, higher_is_better),
        direction=direction,
    )


def conclude(pairs: Sequence[PairBlocks], rules: Rules, *, again: bool = False) -> tuple[RatioTest, ...]:
    """Return all comparisons of a run at its end, corrected for their number; a look that settled one is final.

    With `again` the run was measured for another metric or margin: where it ended at a look, that may have been because
    of what was seen, so that the level of the looks to come is not spent.

    This is Holm's correction: each B that differs leaves more to the others (A simple sequentially rejective multiple
    test procedure, Scandinavian Journal of Statistics 6, 1979).
    """
    found = [compare(one, rules, len(pairs)) for one in pairs]
    is_open = [
        at for at, one in enumerate(found) if not (one.is_settled or (again and one.blocks in rules.looks.blocks))
    ]
    for at in is_open:
        found[at] = compare(pairs[at], rules, len(pairs), final=True)
    left = len(pairs)
    while left != (left := len(pairs) - sum(one.answer in DIFFERS for one in found)):
        for at in is_open:
            if found[at].answer not in DIFFERS:
                found[at] = compare(pairs[at], rules, left, final=True)
    return tuple(found)


def gate(found: Iterable[RatioTest], *, strict: bool) -> int:
    """Return the exit code: 3 where one B is significantly slower, 4 if that is open and `strict`, or 0."""
    slower = [one.slower for one in found]
    return 3 if True in slower else 4 if strict and None in slower else 0


def is_slower(decides: Ends | None, limit: float, higher_is_better: bool) -> bool | None:
    """Return whether B is significantly slower by more than a limit, or not; None where that is open."""
    if decides is None:
        return None
    return percentiles.is_beyond(inverse(decides) if higher_is_better else decides, 1 + limit)


def inverse(ends: Ends) -> Ends:
    """Return the interval of A over B, by that of B over A."""
    low, high = ends
    return 1 / high, 1 / low if low else math.inf


def _answer(decides: Ends, limit: float, higher_is_better: bool) -> tuple[WordOfB, Direction | None]:
    """Return the word for an interval of the logarithm, and which way B significantly differs.

    `slower` and `faster` take an interval beyond the limit as a whole: if it were enough to reach beyond it, a shorter
    run, whose interval is wider, would fail what a longer one passes.
    """
    low, high = (-decides[1], -decides[0]) if higher_is_better else decides
    direction: Direction | None = "slower" if low > 0 else "faster" if high < 0 else None
    if -limit < low and high < limit:
        return ("differs" if direction else "same"), direction
    if low > limit or high < -limit:
        return direction or "cannot-tell", direction
    return "cannot-tell", direction


def _allowed_error(ratio: float, limit: float, z: float, direction: Direction | None) -> float:
    """Return the standard error of a log ratio with which POWER of all runs are decided at the limit.

    As long as A and B may be alike both ends must come inside: half of the interval, and the error of the estimate to
    one side. Else one end must leave the limit, from where the estimate is now.
    """
    if direction is None and limit:
        return limit / (z + NormalDist().inv_cdf((1 + POWER) / 2))
    return (abs(abs(ratio) - limit) or 1e-6) / (z + NormalDist().inv_cdf(POWER))


def _moves_the_state(blocks: Sequence[TrialBlock], level: float, limit: float) -> bool:
    """Return whether the pings after B's trials differ from those after A's by half the margin: B moves the state."""
    from threadping.studies.compare import permutation

    after = permutation.table(blocks, lambda block: [_log(trial.after_ns) for trial in block.trials])
    of_b = permutation.sides(blocks)
    found = permutation.shift(after, of_b, ()) if permutation.p_value(after, of_b) < level else None
    return found is not None and abs(found[0]) > limit / 2


def logs(block: TrialBlock) -> list[float | None]:
    """Return the logarithm of each trial's value; None where it is masked."""
    return [None if out else _log(trial.value) for trial, out in zip(block.trials, masked(block), strict=True)]


def _log(value: float | None) -> float | None:
    return math.log(value) if value else None


def counting(blocks: Sequence[TrialBlock], side: Side) -> list[float]:
    """Return the values of a side that a ratio is of: those of trials that are not masked."""
    return [
        trial.value
        for block in blocks
        for trial, out in zip(block.trials, masked(block), strict=True)
        if trial.side == side and not out and trial.value
    ]


def _ratios(logs: Ends) -> Ends:
    return math.exp(logs[0]), math.exp(logs[1])
