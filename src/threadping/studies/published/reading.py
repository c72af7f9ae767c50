"""What a run says of what was published: our figures beside those, and whether what was concluded holds here."""

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Literal

from threadping.analysis.answer import Answer
from threadping.analysis.declaration import Row
from threadping.analysis.estimate import Estimate
from threadping.analysis.ratio import is_more, ratio
from threadping.analysis.validity import is_usable
from threadping.model.bounds import Record
from threadping.studies.published.articles import Claim, ClaimedRatio, Published
from threadping.studies.published.cases import LAYER, find_repeating
from threadping.studies.repeating.figures import OurFigure, disturbance, figures_of, why_without
from threadping.studies.repeating.wanted import WantedCase

ClaimVerdict = Literal["holds here", "not here", "cannot tell"]


class RepeatedFigure(Record, frozen=True):
    """A published figure with ours in one state of the machine, and the reason why these are not compared, if any.

    `disturbed` is the warning that sets ours apart; the reason is what that says of this row.
    """

    published: Published
    ours: OurFigure | None = None
    reason: str | None = None
    disturbed: str | None = None

    @property
    def ratio(self) -> Estimate | None:
        """Ours over theirs, as sure as ours is: theirs is one number. None where none is known undisturbed."""
        if self.ours is None or self.reason:
            return None
        one, theirs = self.ours.value, self.published.value
        low, high = (end / theirs for end in one.ends)
        return Estimate(one.value / theirs, low, high, one.kind) if one.kind else Estimate(one.value / theirs)


class JudgedClaim(Record, frozen=True):
    """What an answer says of a claim: a verdict, why, and our figures for or against it."""

    claim: Claim
    verdict: ClaimVerdict
    why: str
    figures: tuple[OurFigure, ...] = ()


def repeat_figures(figures: Iterable[Published], answer: Answer) -> list[RepeatedFigure]:
    """Set each published figure beside ours in each state of the machine, that of most trials first."""
    found: list[RepeatedFigure] = []
    for one in figures:
        ours = [] if one.why or one.case is None else _ours(one.case, one.figure, answer)
        reason = one.why or (_why_not(one.case, answer) if one.case and not ours else None)
        repeated = [RepeatedFigure(one, each, *disturbance(each.row)) for each in ours]
        found += repeated or [RepeatedFigure(one, reason=reason)]
    return found


def judge_claims(claims: Iterable[Claim], answer: Answer) -> list[JudgedClaim]:
    """Say of each claim whether it holds: it does not where one of its ratios is the other way round."""
    return [_judged(one, answer) for one in claims]


def _ours(wanted: WantedCase, figure: str, answer: Answer) -> list[OurFigure]:
    return figures_of(find_repeating(wanted, answer.run), figure, answer)


def _why_not(wanted: WantedCase, answer: Answer) -> str:
    return why_without(wanted, find_repeating(wanted, answer.run), answer, LAYER, "published")


def _judged(claim: Claim, answer: Answer) -> JudgedClaim:
    steps = [_decide(one, claim, answer) for one in claim.holds]
    figures: list[OurFigure] = []
    for _, _, pair in steps:
        figures += [one for one in pair if one not in figures]
    so = [answered for answered, _, _ in steps]
    verdict: ClaimVerdict = "not here" if False in so else "cannot tell" if None in so else "holds here"
    why = "; ".join(dict.fromkeys(said for _, said, _ in steps))
    cpus = len(set(answer.run.machine.topology.allowed))
    longest_s = max((trial.wall_ns / 1e9 for one in figures for trial in one.row.trials), default=0.0)
    if figures and cpus < claim.fewest_cpus:
        verdict, why = "cannot tell", f"it takes {claim.fewest_cpus} CPUs or more: pinned to all {cpus} is not pinned"
    elif claim.delay_s and longest_s >= claim.delay_s:
        outlasts = f"a trial took {longest_s:.1f} s and the start-up delay is {claim.delay_s:g} s"
        verdict, why = "cannot tell", f"{outlasts}: give a shorter --budget"
    return JudgedClaim(claim, verdict, why, tuple(figures))


def _decide(one: ClaimedRatio, claim: Claim, answer: Answer) -> tuple[bool | None, str, Sequence[OurFigure]]:
    """Whether a ratio is so, why, and by which figures: two of the same state of the machine, of most trials."""
    for wanted in (one.ours, one.theirs):
        if not any(_ours(wanted, figure, answer) for figure in claim.figures):
            return None, f"{wanted.title}: {_why_not(wanted, answer)}", ()
    for figure in claim.figures:
        pairs = product(*(_ours(side, figure, answer) for side in (one.ours, one.theirs)))
        alike = [(a, b) for a, b in pairs if a.of_trials and b.of_trials and _are_comparable(a.row, b.row)]
        if not alike:
            continue
        ours, theirs = max(alike, key=lambda pair: min(len(side.of_trials) for side in pair))
        found = ratio(ours.of_trials, theirs.of_trials)
        is_it = is_more(found, one.times)
        more = {None: "which may be more", True: "which is more", False: "which is not more"}[is_it]
        low, high = found.ends
        reach = f" ({low:.2f} to {high:.2f})" if found.kind else " (too few trials for an interval)"
        said = f"{ours.text} is {found.value:.2f} times{reach} {theirs.text}, {more} than {one.times:g}"
        return None if is_it is None else is_it == one.more, said, (ours, theirs)
    return None, "no trials of both carry the figure in the same state of the machine, beside no other program", ()


def _are_comparable(one: Row, other: Row) -> bool:
    return one.state == other.state and is_usable((one, other), "compare")
