"""How `signal` is shown: latencies, the fastest first."""

from threadping.report.signal.ladder import order, tables
from threadping.report.signal.meaning import meaning
from threadping.report.signal.trials import TRIALS
from threadping.report.view import View, sleeps_or_spins

VIEW = View(
    order=order,
    meaning=meaning,
    tables=tables,
    samples="single round trips",
    waiting=sleeps_or_spins,
    tells_threads=False,
    trials=TRIALS,
)
