"""Our figures of what is repeated: those of a case's rows, why there are none, and what sets a row apart."""

from collections.abc import Sequence
from statistics import median

from threadping import quantities
from threadping.analysis.answer import Answer
from threadping.analysis.declaration import Row
from threadping.analysis.estimate import Estimate
from threadping.analysis.figures import Unit
from threadping.analysis.metric import metric_of
from threadping.analysis.validity import validity_of
from threadping.analysis.warnings import checks_of
from threadping.analysis.warnings.words import message
from threadping.model.bounds import Record
from threadping.model.cases import Case
from threadping.proposals import proposed
from threadping.studies.repeating.wanted import WantedCase


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


def figures_of(case: Case | None, figure: str, answer: Answer) -> list[OurFigure]:
    """A figure of each row of a case that has it, that of most trials first."""
    rows = [row for row in answer.rows if row.case == case and figure in row.figures]
    return [OurFigure(row, figure) for row in sorted(rows, key=lambda row: -len(row.trials))]


def why_without(wanted: WantedCase, case: Case | None, answer: Answer, layer: str, command: str) -> str:
    """Why a run has no figure of what is wanted: it has no such `case`, or that no such figure.

    Args:
        wanted: what was to be measured.
        case: which of the run's cases that is; None where there is none.
        answer: of the run.
        layer: what the plan called all that was wanted.
        command: behind `threadping`, what measures it.
    """
    run = answer.run
    if case is None:
        own = (one.reason for one in run.skipped if one.what == wanted.title)
        left_out = (one.reason for one in run.skipped if one.what.endswith(layer))
        here, measures = f"run {run.id}" if run.id else "this run", proposed(*command.split())
        not_asked = f"{here} has no such case; `{measures}` measures it"
        return next(own, None) or next(left_out, not_asked)
    rows, checks = [row for row in answer.rows if row.case == case], checks_of(answer.declared)
    if any(row.figures for row in rows):
        return "its trials have too few samples for it; a longer --budget has more"
    errors = (message(checks[one.code], one) for row in rows for one in row.findings if one.level == "error")
    return next(errors, "none of its trials could be counted")


def disturbance(row: Row) -> tuple[str, str] | tuple[None, None]:
    """Return why a row is compared with nothing, as a clause, and the code that says so; None where nothing does."""
    found = validity_of(row, "compare")
    return (None, None) if found.is_usable else (found.why, found.codes[0])
