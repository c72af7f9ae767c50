"""One trial becomes one observation."""

from msgspec.structs import replace

from threadping.analysis import outliers, reading
from threadping.analysis.declaration import Declaration
from threadping.model import Observation, Trial

FORM = 3
"""The version of the readings. Whoever changes what a figure is read from counts it up: observations that were stored
are then made anew from their results. A test with exact figures is the reminder."""


def observe(trial: Trial, declared: Declaration) -> Observation:
    """Read every declared figure of a trial; none where it failed, or where a kind of window has no operation in it."""
    seen = Observation(
        trial.round, trial.position, trial.case, trial.failure, trial.wall_ns, form=FORM, started=trial.started
    )
    result = trial.result
    if result is None or not reading.counted(result, "throughput").total_ops:
        return seen
    read = {figure.name: figure.read(result) for figure in declared.figures}
    if read[declared.headline] is None:
        return seen
    for one in declared.timed:
        read |= outliers.read(one, trial.case, result, trial.request.outliers)
    return replace(
        seen,
        figures={name: float(value) for name, value in read.items() if value is not None},
        distributions={one.name: one.read(result) for one in declared.distributions},
        lacking=result.evidence.lacking if result.evidence else (),
    )
