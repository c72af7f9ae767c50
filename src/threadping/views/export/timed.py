"""What was timed one by one, as HdrHistogram keeps it; for formats of its own tools."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from threadping.analysis.declaration import Declared, Percentiles
from threadping.contract import Distribution
from threadping.extras import require
from threadping.model import Observation, Row, Run

if TYPE_CHECKING:
    from hdrh.histogram import HdrHistogram

LONGEST_NS, DIGITS = 3_600_000_000_000, 3
"""What the probes' recorders take; exact up to two microseconds, and to 0.1% above. With a digit more the printing of
percentiles, which looks at every bucket, takes more than a second in place of a tenth."""


class Timed(Struct, frozen=True):
    """A distribution of a row, or of a trial.

    Attributes:
        title: of which case, in which state.
        of: what was timed.
        trials: in which, in the order in which they ended; each tells something.
    """

    title: str
    of: Percentiles
    trials: Sequence[Observation]


def timed_of_rows(rows: Sequence[Row], observations: Sequence[Observation], declared: Declared) -> list[Timed]:
    """Every distribution of every row that has one; `observations` are of all trials of the run."""
    found = []
    for row in rows:
        found += _timed(
            f"{row.case.title} {row.state}".strip(), [observations[place] for place in row.counted], declared
        )
    return found


def timed_of_trials(observations: Sequence[Observation], declared: Declared) -> list[Timed]:
    """Every distribution of every trial that has one."""
    return [timed for one in observations for timed in _timed(f"{one.case.title} round {one.round}", [one], declared)]


def about(run: Run) -> str:
    """A comment that says of which run it is."""
    return f"#[threadping {run.version}, run {run.id} of {run.machine.hostname}, {run.started}]"


def histogram(distributions: Sequence[Distribution]) -> "HdrHistogram":
    """Add distributions up; what was censored is in none of them. Raises ExtraMissing."""
    require("hdrhistogram", "HdrHistogram's formats")
    from hdrh.histogram import HdrHistogram

    made = HdrHistogram(1, LONGEST_NS, DIGITS)
    for one in distributions:
        for value, count in zip(one.values, one.counts, strict=True):
            made.record_value(value, count)
    return made


def _timed(title: str, trials: Sequence[Observation], declared: Declared) -> list[Timed]:
    experiment = next((one.case.experiment for one in trials), "")
    found = []
    for of in declared[experiment].timed if experiment in declared else ():
        told = [one for one in trials if of.name in one.distributions and one.distributions[of.name].counts]
        if told:
            found.append(Timed(f"{experiment} {title}", of, told))
    return found
