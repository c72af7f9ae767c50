"""signal: what it costs one thread to tell another something.

Measures the one-way latency, half a round trip: the mean from whole blocks, which the clock does not disturb, the
distribution from single round trips, between which the clock is read.
"""

from threadping.experiments.experiment import Experiment
from threadping.experiments.signal.layers import LAYERS, places, stands
from threadping.experiments.signal.rows import row
from threadping.pace import Pace, in_blocks
from threadping.plan import PREFERRED_TRIAL

NAME = "signal"

CLASSIC = ("cas-one-line", "add-one-line", "release-two-lines", "release-one-line", "condition")
"""What well-known tools measure, and the cheapest there is on one line: the answer that most want first."""

EXPERIMENT = Experiment(
    classic=CLASSIC,
    threads=2,
    places=places,
    layers=LAYERS,
    stands=stands,
    pace=Pace(PREFERRED_TRIAL, in_blocks),
    row=row,
)
