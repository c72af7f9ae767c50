"""signal: what it costs one thread to tell another something.

Measures the one-way latency, half a round trip: the mean from whole blocks, which the clock does not disturb, the
distribution from single round trips, each of which holds one reading of the clock.
"""

from threadping.experiments.experiment import Experiment
from threadping.experiments.signal.layers import LAYERS, places, stands
from threadping.experiments.signal.rows import rows
from threadping.plan import PREFERRED_TRIAL, Pace

NAME = "signal"

CLASSIC = ("cas-one-line", "add-one-line", "release-two-lines", "condition")
"""What well-known tools measure: the answer that most want first."""

EXPERIMENT = Experiment(
    classic=CLASSIC,
    threads=2,
    places=places,
    layers=LAYERS,
    stands=stands,
    pace=Pace(comfort_s=PREFERRED_TRIAL, ends_on_one_cpu=False),
    rows=rows,
)
