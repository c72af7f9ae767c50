"""How `lock` is shown: how mechanisms scale, then every case, thread count by thread count."""

from threadping.report.lock.meaning import meaning
from threadping.report.lock.tables import order, tables, waiting
from threadping.report.lock.trials import TRIALS
from threadping.report.view import View

VIEW = View(
    order=order,
    meaning=meaning,
    tables=tables,
    samples="timed waits",
    waiting=waiting,
    tells_threads=True,
    trials=TRIALS,
)
