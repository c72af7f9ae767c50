"""lock: what it costs when threads contend for one lock.

Measures how many operations a second T threads do together (take the lock, count, release), what that costs their
CPUs, how evenly the operations fall to them, and how long each waits for the lock.
"""

from threadping.experiments.experiment import Experiment
from threadping.experiments.lock.layers import LAYERS, places, stands
from threadping.experiments.lock.rows import row
from threadping.pace import Pace, in_periods
from threadping.plan import SHORTEST_TRIAL

NAME = "lock"

CLASSIC = ("mutex", "fetch-add", "monitor", "reentrant-lock")
"""The lock that each language has at hand, and what does without one: the answer that most want first."""

EXPERIMENT = Experiment(
    classic=CLASSIC,
    threads=None,
    places=places,
    layers=LAYERS,
    stands=stands,
    pace=Pace(SHORTEST_TRIAL, in_periods),  # it has no pool of 256 lines to visit
    row=row,
)
