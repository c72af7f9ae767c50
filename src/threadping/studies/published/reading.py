"""What a run says of what was published: our figures beside those, and whether what was concluded holds here."""

from collections.abc import Iterable, Sequence
from itertools import product
from statistics import median
from typing import Literal

from threadping import quantities
from threadping.analysis.answer import Answer
from threadping.analysis.declaration import Row
from threadping.analysis.estimate import Estimate
from threadping.analysis.figures import Unit
from threadping.analysis.metric import metric_of
from threadping.analysis.ratio import is_more, ratio
from threadping.analysis.warnings import checks_of
from threadping.analysis.warnings.words import meaning, message
from threadping.model.bounds import Record
from threadping.proposals import proposed
from threadping.studies.published.articles import Claim, ClaimedRatio, Published, WantedCase
from threadping.studies.published.cases import LAYER, find_case

ClaimVerdict = Literal["holds here", "not here", "cannot tell"]


class OurFigure(Record, frozen=True):
    """Our figure, from one row."""

    row: Row
    figure: str

    @property
    def value(self) -> Estimate:
        """Our value of the figure, with its interval, in its unit."""
        return self.row.figures[self.figure]

    @property
    def unit(self) -> Unit:
        """The unit of the figure, as its experiment declares it."""
        return self.row.declared.figure(self.figure).unit

    @property
    def of_trials(self) -> Sequence[float]:
        """What it is in each trial; nothing where single trials do not carry it."""
        return metric_of(self.figure, self.row.declared).of_row(self.row)

    @property
    def text(self) -> str:
        """Name it by what a ratio is of, the median of its trials: `condition java-17 unpinned (1.14 µs)`."""
        value = median(self.of_trials)
        written = f"{quantities.count(value)}/s" if self.unit == "per_s" else quantities.time(value)
        return f"{self.row.case.title} ({written})"


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
        repeated = [RepeatedFigure(one, each, *_disturbance(each.row, answer)) for each in ours]
        found += repeated or [RepeatedFigure(one, reason=reason)]
    return found


def judge_claims(claims: Iterable[Claim], answer: Answer) -> list[JudgedClaim]:
    """Say of each claim whether it holds: it does not where one of its ratios is the other way round."""
    return [_judged(one, answer) for one in claims]


def _ours(wanted: WantedCase, figure: str, answer: Answer) -> list[OurFigure]:
    case = find_case(wanted, answer.run)
    rows = [row for row in answer.rows if row.case == case and figure in row.figures]
    return [OurFigure(row, figure) for row in sorted(rows, key=lambda row: -len(row.trials))]


def _why_not(wanted: WantedCase, answer: Answer) -> str:
    run, case = answer.run, find_case(wanted, answer.run)
    if case is None:
        own = (one.reason for one in run.skipped if one.what == wanted.title)
        left_out = (one.reason for one in run.skipped if one.what.endswith(LAYER))
        not_asked = (
            f"{f'run {run.id}' if run.id else 'this run'} has no such case; `{proposed('published')}` measures it"
        )
        return next(own, None) or next(left_out, not_asked)
    rows, checks = [row for row in answer.rows if row.case == case], checks_of(answer.declared)
    if any(row.figures for row in rows):
        return "its trials have too few samples for it; a longer --budget has more"
    errors = (message(checks[one.code], one) for row in rows for one in row.findings if one.level == "error")
    return next(errors, "none of its trials could be counted")


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
        alike = [(a, b) for a, b in pairs if a.of_trials and b.of_trials and _are_comparable(a.row, b.row, answer)]
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


def _disturbance(row: Row, answer: Answer) -> tuple[str, str] | tuple[None, None]:
    """Why a row is compared with nothing, in a sentence, and the warning that says so; None where nothing does."""
    checks = checks_of(answer.declared)
    apart = (one for one in row.findings if not checks[one.code].comparable and one.level != "note")
    said = ((f"{one.code}: {meaning(checks[one.code], one).rstrip('.')}", one.code) for one in apart)
    return next(said, (None, None))


def _are_comparable(one: Row, other: Row, answer: Answer) -> bool:
    """Whether they are of one state, and what sets them apart from other rows is a note that both have."""
    checks = checks_of(answer.declared)
    apart, same = (
        {(of.code, of.level) for of in row.findings if not checks[of.code].comparable} for row in (one, other)
    )
    return one.state == other.state and apart == same and all(level == "note" for _, level in apart)
