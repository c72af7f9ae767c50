"""What of a trial is compared: the headline of its experiment, or a metric that was asked for."""

from collections.abc import Callable
from typing import Literal

from threadping.analysis.declaration import Declaration, Unit
from threadping.analysis.percentiles import percentiles
from threadping.model import Observation, Record

Name = Literal["headline", "mean", "p99", "cpu", "rate"]


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
    figures = {"mean": f"{declared.timed[0].name}.mean", "cpu": "cpu_ns_per_op", "rate": "ops_per_s"}
    figure = declared.figure(figures.get(name, declared.headline))
    return Metric(figure.name, figure.unit, figure.better == "more", lambda trial: trial.figures.get(figure.name))


def _p99(trial: Observation, declared: Declaration) -> float | None:
    """Of one trial, if its samples carry it."""
    one = declared.timed[0]
    timed = trial.distributions.get(one.name)
    if timed is None:
        return None
    step = trial.figures.get("counters.clock_step_ns", 1.0)
    window = trial.figures.get("counters.sampling_window_ns", 0.0) if timed.censored else 0.0
    return percentiles([timed], one.parts, step, [window]).get("p99")
