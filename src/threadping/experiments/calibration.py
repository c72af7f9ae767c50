"""calibration: does what is measured grow by as much as was planted?

As `signal`, but pong works between seeing and telling, for as long as was asked, and stalls in every so many-th turn.
What the delay takes is timed by itself too, by another clock. It checks threadping, and no machine.
"""

from threadping.analysis import row_warnings
from threadping.analysis.declaration import Column, Declaration, Figure, Percentiles
from threadping.experiments import common
from threadping.experiments.common import Experiment
from threadping.model import reading
from threadping.model.contract import Result
from threadping.planning.defaults import CaseDefaults, DefaultCase, Pace, in_blocks

PLANTED_TRIPS = Percentiles(
    name="round_trip_ns",
    of="round-trip",
    noun="single round trips",
    head="round trip",
    says="calibration.round_trips",
    outliers="",
)


def _round_trip(result: Result) -> float | None:
    """Read whole windows, in which nobody reads a clock: two hand-overs."""
    typical = reading.typical(result)
    return None if typical is None else 2 * typical


def _delay(result: Result) -> float | None:
    """Read what the delay takes by itself, by the raw clock, in picoseconds."""
    alone = result.distributions.get("delay-alone")
    typical = reading.median_of(alone) if alone else None
    return None if typical is None else typical / 1_000


def _stalls(result: Result) -> float:
    counts = result.counts.get("stalls")  # which is not told where it counted nothing
    return float(counts.made) if counts else 0.0


EXPERIMENT = Experiment(
    help="Check threadping itself: known delays and stalls planted in a signal (`doctor --instrument` judges them).",
    examples=[("calibration --param delay=0,400", "with and without 400 ns")],
    own_command=True,
    defaults=CaseDefaults(threads=2, first=(DefaultCase("release-two-lines"), DefaultCase("condition"))),
    pace=Pace(in_blocks),
    figures=Declaration(
        title="round trips with planted delays",
        headline="calibration.round_trip_ns",
        figures=(
            Figure("calibration.round_trip_ns", "ns", _round_trip, Column("round trip"), "less"),
            Figure("calibration.delay_ns", "ns", _delay, Column("delay alone", 1)),
            Figure("calibration.stalls", "count", _stalls, Column("stalls", 2), over="total"),
            *common.FIGURES_EVERYWHERE,
        ),
        distributions=(PLANTED_TRIPS,),
        checks=row_warnings.UNPACED,
        op="hand-over",
        measures="round trip",
    ),
)
