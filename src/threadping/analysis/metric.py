"""Which figure of a case is asked for, and its value in a trial or in each trial of a row: one reading for all.

Whoever compares, ranks or prints a figure asks here, so that what a table leaves out is nowhere compared: a figure that
means nothing for a case, one that a finding hides, a percentile that the samples of a trial do not carry.
"""

from collections.abc import Sequence
from typing import Literal

from threadping.analysis.declaration import Declaration, Row
from threadping.analysis.figures import Unit
from threadping.analysis.percentiles import CARRYING_SAMPLES, QUANTILES, of_each_trial, percentiles
from threadping.model.bounds import Record
from threadping.model.cases import Case
from threadping.model.trials import Observation

MetricName = Literal["headline", "mean", "p99", "cpu", "rate"]
"""What `--metric` takes. Of what is timed one by one, mean and p99 are those of the first."""


class Metric(Record, frozen=True):
    """A figure of an experiment.

    Attributes:
        figure: its name among those of the experiment.
        unit: of its values.
        higher_is_better: whether more of it is faster.
        declared: the figures of its experiment.
    """

    figure: str
    unit: Unit
    higher_is_better: bool
    declared: Declaration

    @property
    def samples(self) -> int:
        """The number of samples that a trial needs to carry it; 0 unless it is a percentile."""
        quantile = next((q for part, q in QUANTILES.items() if self.figure.endswith(f".{part}")), None)
        return 0 if quantile is None else round(CARRYING_SAMPLES / (1 - quantile))

    def why_not(self, case: Case) -> str | None:
        """Why cases such as this one have no such figure, in a sentence; None where they have it."""
        group = self.figure.partition(".")[0]
        of_group = (one for one in self.declared.distributions if group in (one.name, one.outliers))
        return next((one.why_not for one in of_group if not one.applies(case)), None)

    def of_trial(self, trial: Observation) -> float | None:
        """Its value in a trial; None where that failed, or does not carry it."""
        if trial.failure or self.why_not(trial.case):
            return None
        for one in self.declared.distributions:
            part = self.figure.removeprefix(f"{one.name}.")
            if part != self.figure and part in QUANTILES:
                timed, step, windows = one.of_trials([trial])
                return percentiles(timed, step, windows).get(part)
        return trial.figures.get(self.figure)

    def of_row(self, row: Row) -> Sequence[float]:
        """Its value in each of a row's trials that knows it: none where the row does not show it.

        Of a percentile none either, unless every trial carries it by itself.
        """
        if self.figure not in row.figures:
            return ()
        for one in self.declared.distributions:
            part = self.figure.removeprefix(f"{one.name}.")
            if part != self.figure and part in QUANTILES:
                timed, step, windows = one.of_trials(row.trials)
                return of_each_trial(timed, step, windows).get(part, ())
        return row.over_trials(self.figure)

    def hidden_by(self, row: Row) -> str | None:
        """The code of what was found of a row and hides this figure of it; None where nothing does."""
        group = self.figure.partition(".")[0]
        hiding = {check.code for check in self.declared.checks if group in check.hides}
        return next((one.code for one in row.findings if one.code in hiding), None)


def metric_of(figure: str, declared: Declaration) -> Metric:
    """The metric of a figure's name; KeyError where the experiment does not declare it."""
    found = declared.figure(figure)
    return Metric(figure, found.unit, found.better == "more", declared)


def metric(asked: str, declared: Declaration, *cases: Case) -> Metric | None:
    """What is asked for as an experiment has it; None where it has no such figure.

    Of several cases with unlike headlines it is the one of those that are told by their mean, which every case has.
    """
    headlines = {declared.headline_of(case) for case in cases} - {declared.headline}
    timed = declared.timed[0].name
    names = {"mean": "latency_ns.mean", "p99": f"{timed}.p99", "cpu": "cpu_ns_per_op", "rate": "ops_per_s"}
    try:
        return metric_of(names.get(asked, min(headlines, default=declared.headline)), declared)
    except KeyError:
        return None
