"""What blocks say of B against A: an interval of the ratio, a word, and the reasons for doubt."""

import math
from collections.abc import Iterable, Sequence
from statistics import NormalDist
from typing import Any, Literal

from msgspec.structs import replace

from threadping.analysis.percentiles import CONFIDENCE
from threadping.analysis.ratio import is_beyond
from threadping.analysis.warnings.figure import groups
from threadping.model.bounds import Record
from threadping.model.cases import SIDES, Side
from threadping.output.layout import Ends
from threadping.studies.compare.blocks import ALPHA, Looks, TrialBlock, is_disturbed, is_spoilt, masked

WordOfB = Literal["slower", "faster", "same", "differs", "cannot-tell"]
"""Of B: `slower` and `faster` by more than the margin, `same` within it, `differs` by less than it."""

Direction = Literal["slower", "faster"]

Reason = Literal[
    "other-load",
    "failures",
    "metric-absent",
    "not-held",
    "masked",
    "too-few-blocks",
    "coarse",
    "moves-the-state",
    "carry-over",
    "modes",
    "unlike-spread",
    "not-steady",
]
"""Why a comparison cannot tell, or what to doubt in it.

`other-load`: other programs ran next to blocks, which are left out; `failures`: more trials failed on one side, or more
than one in ten; `metric-absent`: the same of trials that do not carry the metric; `not-held`: a rate that was not held
has no latency;
`masked`: the machine changed its state in so many trials that nothing is left to compare; `too-few-blocks`: no outcome
of so few would be significant; `coarse`: most values equal another, as where a clock ticks slowly, so the interval is
wider by a step at each end; `moves-the-state`: the reference pings after B's trials differ from those after A's;
`carry-over`: trials behind one of B differ from those behind one of A; `modes`: the trials of one side fall into two
groups; `unlike-spread`: one side's trials lie farther apart, so that the ratio is of ranks and not of medians.
"""

DOUBTED = 0.005
"""Below this p, over all comparisons of a run, there is a carry-over, or A and B scatter unlike. Simulated
(docs/compare-simulated.md): of equals 0.5% have the one, 0.5% the other, and 1.7% where trials of both fall into two
groups. Of equals with an after-effect of 3% that were told apart none was undoubted."""

SELDOM = 0.1
"""Where a larger share of all trials fails, those that did not are no fair sample."""

FAIL_UNLIKE = 0.05
"""Below this p, one side fails more often than the other."""

DIFFERS = ("slower", "faster", "differs")

POWER = 0.9
"""How often `visible` is seen."""


class Rules(Record, frozen=True):
    """By what all comparisons of a run are decided.

    Attributes:
        margin: a difference that does not matter, as a share: 0.03.
        looks: when it is looked at; between looks the answer is `cannot-tell`, unless it is final.
        fail_above: B is too slow where it is surely slower by more than this share; None for the margin.
    """

    margin: float
    looks: Looks
    fail_above: float | None = None

    @property
    def limit(self) -> float:
        """By how much B may be slower."""
        return self.margin if self.fail_above is None else self.fail_above


class PairBlocks(Record, frozen=True):
    """What was measured of B against A.

    Attributes:
        blocks: in the order in which they were measured, without the one that is thrown away.
        higher_is_better: whether the metric is a rate, so that B is faster where the ratio is above 1.
        seconds_per_block: what a block takes, for `needs_s`.
    """

    blocks: Sequence[TrialBlock]
    higher_is_better: bool = False
    seconds_per_block: float = 1.0


class RatioTest(Record, frozen=True):
    """B against A; what is not here stands in the sheet of a comparison.

    Attributes:
        ratio: B's metric over A's; None where nothing can be compared.
        ci95: its 95% interval, were this the only look at it; an end may be 0 or infinite.
        decides: the interval that decides: in 99 of 100 runs it covers the ratio, whenever they stop. None where there
            is no ratio, where trials fail, and between looks.
        answer: the word.
        slower: whether B is surely slower, or surely not, by more than the rules' limit; None is open.
        disturbed: how many blocks are left out because other programs ran next to them.
        why: why A and B may not be compared at all, as a clause (`analysis.validity`); empty where they may.
    """

    ratio: float | None
    ci95: Ends | None
    decides: Ends | None
    answer: WordOfB
    visible: float | None
    blocks: int
    masked: int
    reasons: tuple[str, ...] = ()
    needs_s: float | None = None
    slower: bool | None = None
    direction: Direction | None = None
    disturbed: int = 0
    why: str = ""

    def undecided(self, codes: Sequence[str], why: str = "") -> "RatioTest":
        """Return the same without a verdict: what these codes say forbids one. The 95% interval stays, to be read."""
        nothing: dict[str, Any] = dict.fromkeys(("decides", "direction", "slower", "needs_s"))
        reasons = tuple(dict.fromkeys((*codes, *self.reasons)))
        return replace(self, **nothing, answer="cannot-tell", reasons=reasons, why=why)

    @property
    def is_settled(self) -> bool:
        """Whether more blocks are not needed: there is an answer, and the gate is decided.

        That B differs from A is no answer: the first look that sees it comes while the interval is wide. A gate that
        stopped there failed a B that is 2% slower, at a margin of 3%, in 82 of 100 runs (docs/compare-simulated.md).
        """
        return self.answer != "cannot-tell" and self.slower is not None


def compare(of: PairBlocks, rules: Rules, comparisons: int = 1, *, final: bool = False) -> RatioTest:
    """Compare the sides of all blocks that were measured.

    Args:
        of: what was measured.
        rules: by what it is decided.
        comparisons: how many are made in this run; each may err that much less often.
        final: whether nothing will be measured any more.
    """
    from threadping.studies.compare import permutation

    blocks = [block for block in of.blocks if not is_disturbed(block)]
    good, out = sum(not is_spoilt(block) for block in blocks), sum(sum(masked(block)) for block in blocks)
    disturbed = len(of.blocks) - len(blocks)
    nothing = RatioTest(None, None, None, "cannot-tell", None, good, out, disturbed=disturbed)
    if not blocks:
        return replace(nothing, reasons=("other-load" if disturbed else "too-few-blocks",))
    due = rules.looks.level(good, comparisons, final)
    level = due or ALPHA / comparisons
    of_b, values = permutation.sides(blocks), permutation.table(blocks, logs)
    failed = permutation.table(blocks, lambda block: [trial.failed for trial in block.trials])
    absent = permutation.table(blocks, lambda block: [not (one.failed or one.value) for one in block.trials])
    fails, lacks = (of.mean() > SELDOM or permutation.p_value(of, of_b) < FAIL_UNLIKE for of in (failed, absent))
    found = permutation.shift(values, of_b, (1 - CONFIDENCE, level))
    if found is None:
        return replace(nothing, reasons=("failures" if fails else "metric-absent" if lacks else "masked",))
    ratio, intervals = found
    coarse = permutation.step(values)
    ci95, decides = ((low - coarse, high + coarse) for low, high in intervals)
    limit, half = math.log1p(rules.margin), (decides[1] - decides[0]) / 2
    reasons: dict[Reason, bool] = {
        "failures": fails,
        "metric-absent": lacks,
        "too-few-blocks": math.isinf(intervals[1][1] - intervals[1][0]),
        "coarse": coarse > 0,
        "moves-the-state": _moves_the_state(blocks, level, limit),
        "carry-over": permutation.carry_over(values, of_b, ratio) < DOUBTED / comparisons,
        "modes": any(groups(counting(blocks, side)) for side in SIDES),
        "unlike-spread": permutation.unlike_spread(values, of_b, ratio) < DOUBTED / comparisons,
        "other-load": disturbed > good,
    }
    is_sure = bool(due) and not (fails or lacks)
    answer, direction = _answer(decides, limit, of.higher_is_better) if is_sure else ("cannot-tell", None)
    sure = _ratios(decides) if is_sure else None
    z = NormalDist().inv_cdf(1 - level / 2)
    visible = half * (1 + NormalDist().inv_cdf(POWER) / z)
    needed = None
    if answer == "cannot-tell" and good and not (fails or lacks or coarse) and math.isfinite(ci95[1] - ci95[0]):
        error = (ci95[1] - ci95[0]) / 2 / NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
        needed = max(good + 1, good * (error / _allowed_error(ratio, limit, z, direction)) ** 2)
    return RatioTest(
        ratio=math.exp(ratio),
        ci95=_ratios(ci95),
        decides=sure,
        answer=answer,
        visible=math.exp(visible) if math.isfinite(visible) else None,
        blocks=good,
        masked=nothing.masked,
        reasons=tuple(code for code, so in reasons.items() if so),
        disturbed=disturbed,
        needs_s=needed and needed * of.seconds_per_block,
        slower=is_slower(sure, rules.limit, of.higher_is_better),
        direction=direction,
    )


def conclude(pairs: Sequence[PairBlocks], rules: Rules, *, again: bool = False) -> tuple[RatioTest, ...]:
    """All comparisons of a run when it ends, corrected for how many they are. What a look settled stands.

    With `again` the run was measured for another metric or margin: where it ended at a look, that may have been because
    of what was seen, so that the level of the looks to come is not spent.

    That is Holm's correction: each B that differs leaves more to the others (A simple sequentially rejective multiple
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
    """The exit code: 3 where one B is surely slower, 4 if that is open and `strict`, or 0."""
    slower = [one.slower for one in found]
    return 3 if True in slower else 4 if strict and None in slower else 0


def is_slower(decides: Ends | None, limit: float, higher_is_better: bool) -> bool | None:
    """Whether B is surely slower by more than a limit, or surely not; None where that is open."""
    if decides is None:
        return None
    low, high = decides
    if higher_is_better:
        low, high = 1 / high, 1 / low if low else math.inf
    return is_beyond((low, high), 1 + limit)


def _answer(decides: Ends, limit: float, higher_is_better: bool) -> tuple[WordOfB, Direction | None]:
    """The word for an interval of the logarithm, and which way B surely differs.

    `slower` and `faster` are said of what lies beyond the limit as a whole: if it were enough to reach beyond it, a
    shorter run, whose interval is wider, would fail what a longer one passes.
    """
    low, high = (-decides[1], -decides[0]) if higher_is_better else decides
    direction: Direction | None = "slower" if low > 0 else "faster" if high < 0 else None
    if -limit < low and high < limit:
        return ("differs" if direction else "same"), direction
    if low > limit or high < -limit:
        return direction or "cannot-tell", direction
    return "cannot-tell", direction


def _allowed_error(ratio: float, limit: float, z: float, direction: Direction | None) -> float:
    """How exact the logarithm of a ratio must be known to be decided at the limit in POWER of all runs.

    As long as A and B may be alike both ends must come inside: half of the interval, and what the estimate is off to
    one side. Else one end must leave the limit, from where the estimate is now.
    """
    if direction is None and limit:
        return limit / (z + NormalDist().inv_cdf((1 + POWER) / 2))
    return (abs(abs(ratio) - limit) or 1e-6) / (z + NormalDist().inv_cdf(POWER))


def _moves_the_state(blocks: Sequence[TrialBlock], level: float, limit: float) -> bool:
    """Whether the pings after B's trials differ from those after A's, by half the margin: B itself moves the state."""
    from threadping.studies.compare import permutation

    after = permutation.table(blocks, lambda block: [_log(trial.after_ns) for trial in block.trials])
    of_b = permutation.sides(blocks)
    found = permutation.shift(after, of_b, ()) if permutation.p_value(after, of_b) < level else None
    return found is not None and abs(found[0]) > limit / 2


def logs(block: TrialBlock) -> list[float | None]:
    """The logarithm of each trial's value; None where it is masked."""
    return [None if out else _log(trial.value) for trial, out in zip(block.trials, masked(block), strict=True)]


def _log(value: float | None) -> float | None:
    return math.log(value) if value else None


def counting(blocks: Sequence[TrialBlock], side: Side) -> list[float]:
    """The values of a side that a ratio is of: those of trials that are not masked."""
    return [
        trial.value
        for block in blocks
        for trial, out in zip(block.trials, masked(block), strict=True)
        if trial.side == side and not out and trial.value
    ]


def _ratios(logs: Ends) -> Ends:
    return math.exp(logs[0]), math.exp(logs[1])
