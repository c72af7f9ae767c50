"""The rates of comparisons on this machine: how often A against A differs, and which planted shifts are seen.

A thing is compared with itself, again and again.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import ceil, comb, floor

from rich.text import Text

from threadping.analysis.answer import Answer
from threadping.analysis.validity import effect_of
from threadping.model import base, cases, quantities
from threadping.model.run import Comparing
from threadping.output import findings, heading, names
from threadping.output.layout import Block, Ends, Field, Lead, Sheet, attribute, grid_of, together
from threadping.output.run_records import case_fields
from threadping.studies.compare.blocks import Looks, TrialBlock, is_disturbed, is_spoilt, looks
from threadping.studies.compare.output import percentage
from threadping.studies.compare.verdict import logs, measured_pairs

SHIFTS = (0.01, 0.02, 0.03, 0.05)


class Power(base.Record, frozen=True):
    """The rates of comparisons of A with itself, for all that are made like them."""

    comparisons: int
    false_alarms: int  # the number of comparisons that said that A differs from A
    blocks: int  # maximum number of a comparison
    seen: Mapping[float, float]  # by the share by which B is slower, the share of comparisons that would have seen it


ERR = 0.05  # maximum error of each end of a share's interval


def share_of(times: float, of: int) -> tuple[float, float]:
    """Return the exact interval of a share (Clopper and Pearson, Biometrika 26, 1934).

    A part of a time counts as a whole one for the upper end, and as none for the lower end.
    """

    def bound(happened: int) -> float:
        """Return the share below which it happens more often in at most ERR of all cases."""
        low, high = 0.0, 1.0
        for _ in range(HALVINGS):
            share = (low + high) / 2
            more = sum(comb(of, k) * share**k * (1 - share) ** (of - k) for k in range(happened + 1, of + 1))
            low, high = (share, high) if more < 1 - ERR else (low, share)
        return high

    least, most = floor(times + SLACK), ceil(times - SLACK)
    return 1 - bound(of - least) if least else 0.0, bound(most) if most < of else 1.0


HALVINGS, SLACK = 40, 1e-9


def power(
    runs: Sequence[Sequence[TrialBlock]],
    *,
    looks: Looks,
    shifts: Sequence[float] = SHIFTS,
    draws: int = 200,
    seed: int = 0,
) -> Power:
    """Plant known differences in comparisons of A with itself.

    All their trials are of the same thing, so which of them is called B can be drawn again: every draw is another
    comparison on the same machine, and a shift planted in its B is known exactly.

    `runs` has the blocks of each comparison, at least one; each of `shifts` is a share by which B is made slower.
    """
    import numpy as np

    from threadping.studies.compare import permutation

    tables = [permutation.table(run, logs) for run in runs]
    due = [_levels(run, looks) for run in runs]
    draw, planted = np.random.default_rng(seed), -np.log1p(np.array(shifts))

    def alarms(run: int, of_b: "permutation.Flags", lowered: "permutation.Floats") -> "permutation.Flags":
        """Mark the shifts whose p at any look is at most its level: B higher, and B lower."""
        tests = ((permutation.tails(tables[run][:n], of_b[:n], lowered), level / 2) for n, level in due[run])
        found: permutation.Flags = np.any([np.array(tails) <= half for tails, half in tests], axis=0)
        return found

    false_alarms = sum(bool(alarms(at, permutation.sides(run), np.zeros(1)).any()) for at, run in enumerate(runs))
    seen = np.zeros(len(shifts))
    for _ in range(draws):
        run = int(draw.integers(len(runs)))
        of_b = permutation.SIGNS[draw.integers(len(permutation.SIGNS), size=len(runs[run]))] > 0
        seen += alarms(run, of_b, planted)[0]
    shares = {shift: float(times) / draws for shift, times in zip(shifts, seen, strict=True)}
    return Power(len(runs), false_alarms, max(map(len, runs)), shares)


def _levels(run: Sequence[TrialBlock], looks: Looks) -> list[tuple[int, float]]:
    """Return the numbers of blocks after which a test is made, each with its level; the last at the end."""
    made, good = [], 0
    for number, block in enumerate(run, 1):
        good += not is_spoilt(block)
        level = looks.level(good, 1, final=number == len(run))
        if level and (number == len(run) or not is_spoilt(block)):
            made.append((number, level))
    return made


BLOCKS_OF_ONE = 9  # of a comparison: about four seconds of trials in C++


class AATest(base.Record, frozen=True):
    """The result of comparisons of a case with itself; one took `seconds`."""

    case: cases.Case
    power: Power
    seconds: float


def aa_tests(answer: Answer, of: Comparing) -> tuple[AATest, ...]:
    """Cut the blocks of each case into comparisons, and plant shifts in them."""
    run, results = answer.run, []
    if any(effect_of(one.code, one.level, "compare") == "unusable" for one in answer.findings):
        return ()
    for pair in measured_pairs(answer, of):
        blocks = [block for block in pair.blocks if not is_disturbed(block)]
        size = min(BLOCKS_OF_ONE, len(blocks))
        runs = [blocks[first : first + size] for first in range(0, len(blocks) - size + 1, size or 1)] if size else []
        if runs:
            made = power(runs, looks=looks(size), seed=run.seed)
            results.append(AATest(pair.a, made, size * pair.seconds_per_block))
    return tuple(results)


def sheet(answer: Answer, of: Comparing, found: Sequence[AATest]) -> Sheet[AATest]:
    shifts = dict.fromkeys(shift for one in found for shift in one.power.seen)
    fields: tuple[Field[AATest], ...] = (
        Field(head="case", of=lambda one: names.plain(one.case.title), names=True),
        *case_fields(lambda one: one.case, lambda one: answer.declared[one.case.experiment]),
        attribute("power.comparisons", "", int, head="comparisons"),
        attribute("power.blocks", "At most.", int, head="blocks", rank=2),
        attribute("seconds", "Duration of one comparison, in seconds.", float, head="each", show=quantities.duration),
        attribute("power.false_alarms", "Number of comparisons that found a difference.", int, head="false alarms"),
        Field(key="false_alarms_up_to", type=float, of=lambda one: share_of(*_counts([one]))[1], means=UP_TO),
        *(field for shift in shifts for field in _seen(shift)),
    )
    return Sheet("aa_tests", fields, found)


UP_TO = "The upper 95% bound of the share of false alarms."


def _seen(shift: float) -> Iterator[Field[AATest]]:
    def ends(one: AATest) -> Ends:
        """Return the interval of the share: all draws are of the same few comparisons, and say no more than these."""
        return share_of(one.power.seen[shift] * one.power.comparisons, one.power.comparisons)

    def written(one: AATest) -> str:
        low, high = ends(one)
        return f"{one.power.seen[shift]:.0%} ({100 * low:.0f}{quantities.TO}{100 * high:.0f})"

    key = f"seen.{percentage(shift)}"
    yield Field(head=f"+{percentage(shift)}", key=key, type=float, of=lambda one: one.power.seen[shift], write=written)
    yield Field(key=f"{key}_ci90", type=Ends, of=ends)


def verdict(answer: Answer, _of: Comparing, found: Sequence[AATest]) -> Lead:
    """Say how many comparisons found a thing to differ from itself."""
    if not found:
        return Lead(
            "cannot tell: no comparison fitted into the budget, or other programs ran during all of them", "yellow"
        )
    alarms, made = _counts(found)
    said = f"{alarms} of {quantities.counted(made, 'comparison')} found a thing to differ from itself; 1 in 100 may"
    return Lead(heading.with_coverage(answer, said))


def _counts(found: Sequence[AATest]) -> tuple[int, int]:
    return sum(one.power.false_alarms for one in found), sum(one.power.comparisons for one in found)


@together
def blocks(answer: Answer, of: Comparing, found: Sequence[AATest]) -> Iterator[Block]:
    """Show how often each case was found to differ from itself, and how often planted shifts were detected."""
    yield from findings.unusable(answer)
    yield from (verdict(answer, of, found), Text(), heading.where(answer.run))
    if found:
        most = quantities.percent(share_of(*_counts(found))[1])
        yield Text(f"With this number of comparisons, up to {most} of false alarms cannot be ruled out.", "dim")
        yield from (Text(), grid_of(sheet(answer, of, found)))
        margin = percentage(of.margin)
        yield Text(
            "+1% and so on: the share of comparisons that distinguish a B that is slower by that much from A, with its "
            f"90% interval in parentheses. A gate at {margin} fails a B that is slower by {margin} plus that much as "
            "often.",
            "dim",
        )
    yield from heading.not_measured(answer)
    yield from heading.next_commands(heading.to_resume(answer.run))
