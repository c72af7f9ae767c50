"""The published figures beside ours: of any run, whichever of its rows repeat one."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from threadping.analysis.declaration import Declared
from threadping.analysis.estimate import interval
from threadping.analysis.percentiles import NAMES, percentiles
from threadping.analysis.words import message
from threadping.model import Case, Interval, Observation, Row, Run
from threadping.published.catalogue import Repetition, exactness, figure, fits, repetition
from threadping.published.records import Published

LAYER = "what repeats the published figures"
"""What a plan calls its cases: so those that its budget left out are named in a run."""

NOT_CARRIED = "its trials have too few samples for it; a longer --budget has more"


class Measured(Struct, frozen=True):
    """A run: its rows, and the trials that they are made of, in the order in which these ended."""

    run: Run
    rows: Sequence[Row]
    observations: Sequence[Observation]
    declared: Declared


class Ours(Struct, frozen=True):
    """Our figure, from one row of a run; without an interval where single trials do not tell it."""

    row: Row
    figure: str
    value: float
    interval: Interval | None


class Compared(Struct, frozen=True):
    """A published figure and what became of it here.

    Attributes:
        published: the figure.
        ours: in each state of the machine in which it was measured, that of most trials first.
        reason: why there is none.
    """

    published: Published
    ours: tuple[Ours, ...] = ()
    reason: str | None = None

    def ratio(self, ours: Ours) -> float | None:
        """Ours over theirs; None where theirs is nothing."""
        return ours.value / self.published.value if self.published.value else None


def compare(figures: Sequence[Published], measured: Measured) -> list[Compared]:
    """Set each published figure beside ours, or beside the reason why there is none."""
    return [_compared(one, measured) for one in figures]


def _compared(one: Published, measured: Measured) -> Compared:
    wanted = repetition(one)
    if isinstance(wanted, str):
        return Compared(one, reason=wanted)
    found = tuple(ours(wanted, figure(one), measured))
    return Compared(one, found) if found else Compared(one, reason=why_not(wanted, measured))


def ours(wanted: Repetition, name: str, measured: Measured) -> Iterator[Ours]:
    """Our figure of this name, from the rows of the case that repeats it best; those of most trials first."""
    case = repeating(wanted, measured)
    rows = [row for row in measured.rows if row.case == case and name in row.figures]
    for row in sorted(rows, key=lambda row: -row.trials):
        yield Ours(row, name, row.figures[name], over_trials(row, name, measured))


def repeating(wanted: Repetition, measured: Measured) -> Case | None:
    """The case of a run that repeats it best; None where none does."""
    run = measured.run
    fitting = (case for case in run.cases if fits(wanted, case, run.machine.topology))
    return min(fitting, key=lambda case: exactness(wanted, case), default=None)


def over_trials(row: Row, name: str, measured: Measured) -> Interval | None:
    """How far a figure of a row reaches over its trials; None where not each of them tells it by itself.

    A row's percentile is of all its trials together, which is no median trial: it has a range and no 95% interval.
    """
    distribution, _, part = name.partition(".")
    if name in row.intervals and part not in NAMES:
        return row.intervals[name]
    trials = [measured.observations[place] for place in row.counted]
    if part not in NAMES:
        values = [one.figures.get(name) for one in trials]
    else:
        (of,) = (one for one in measured.declared[row.case.experiment].distributions if one.name == distribution)
        told = (one.distributions.get(distribution) for one in trials)
        values = [percentiles([one], of.parts).get(part) if one else None for one in told]
    known = [value for value in values if value is not None]
    if not known or len(known) < len(values):
        return None
    found = interval(known)
    return Interval(found.range) if part in NAMES else found


def why_not(wanted: Repetition, measured: Measured) -> str:
    """Why a run has no figure of it."""
    run = measured.run
    case = repeating(wanted, measured)
    if case is None:
        own = (one.reason for one in run.skipped if one.what == wanted.title)
        left_out = (one.reason for one in run.skipped if one.what.endswith(LAYER))
        not_asked = f"run {run.id} has no such case; `threadping published` measures it"
        return next(own, None) or next(left_out, not_asked)
    checks = {check.code: check for check in measured.declared[case.experiment].checks}
    rows = [row for row in measured.rows if row.case == case]
    if any(row.figures for row in rows):
        return NOT_CARRIED
    said = (message(checks[one.code], one) for row in rows for one in row.verdicts if one.severity == "error")
    return next(said, "none of its trials could be counted")
