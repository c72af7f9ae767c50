"""notify: what the call costs that wakes another thread, and how late that thread wakes.

N pairs of threads, as published ("Notify... oh, wait! I have a signal", 2015): the notifier fills a buffer, calls, and
pauses; the waiter waits until it is called, and pauses. Two distributions, of the duration of the call and of the delay
from its start to the woken thread's first instruction, and why the slow ones were slow.
"""

from threadping.analysis import causes, row_warnings
from threadping.analysis.declaration import Column, Declaration, Figure, Percentiles, Question
from threadping.experiments import common
from threadping.experiments.common import Experiment
from threadping.model import reading
from threadping.model.contract import Result
from threadping.planning.defaults import CaseDefaults, DefaultCase, Pace, in_long_periods

CALLS = Percentiles(name="latency_ns", of="call", noun="calls", head="call", idle="another", says="notify.latency_ns")
WAKES = Percentiles(
    name="wake_ns", of="wake", noun="wake-ups", head="wake", outliers="wake_outliers", idle="own", across=True
)


def _found_waiting(result: Result) -> float | None:
    wakes = result.counts.get("wake-ups")
    return wakes.found / wakes.made if wakes and wakes.made else None


FIGURES = (
    *common.middle(CALLS, Column("call"), Column("mean", 4)),
    *common.middle(WAKES, Column("wake", 2, of_rows=False)),
    Figure("ops_per_s", "per_s", reading.rate, Column("calls/s", 5), better="more", says="notify.ops_per_s"),
    Figure("notify.found_waiting", "share", _found_waiting),
)

CHECKS = (common.oversubscribed("threads-share-cpus", lambda _: ""),)

QUESTIONS = (
    Question(ask="wake one of {number} (condition)", mechanism="condition", groups=16),
    Question(
        ask="… until the woken one runs",
        whole="wake one of {number}, until it runs (condition)",
        mechanism="condition",
        groups=16,
        figure="wake_ns.typical",
        rank=1,
    ),
)

EXPERIMENT = Experiment(
    help="Measure the call that wakes a thread: what it costs, how late the thread wakes, and why slow calls are slow.",
    examples=[
        ("notify", "every way to wake a thread"),
        ("notify --mechanism futex --outliers 20us", "what slows calls down"),
    ],
    defaults=CaseDefaults(
        threads=None,
        group=2,
        groups=(16, 1, 256),  # published: 16 and 256
        first=(
            DefaultCase("condition"),  # what does it cost to wake one, in every language?
        ),
    ),
    # 16 pairs, a call a millisecond each, six trials: 10,000 calls, which p99.9 needs. With 512 threads processes took
    # 0.3 s more in C++ and 1.1 s in Java.
    pace=Pace(
        in_long_periods,
        measure_s=0.18,
        crowded_visits=0,
        thread_s=0.0015,
        sleeps=True,
        promised={"calls": True},
        every_s=common.pause_s,
    ),
    figures=Declaration(
        title="duration of the call that wakes a thread",
        headline="latency_ns.typical",
        by_state=lambda _: False,
        figures=(*FIGURES, *causes.outlier_figures(CALLS, WAKES), *common.FIGURES_EVERYWHERE),
        distributions=(CALLS, WAKES),
        checks=(*CHECKS, *row_warnings.UNPACED),
        questions=QUESTIONS,
        op="call",
        measures="call",
        along="pairs",
        histograms=True,
        notes=(
            "call is the duration of the call that wakes, wake the delay from its start to the woken thread's first "
            "instruction; one reading of the clock is in each.",
        ),
    ),
    options={
        "buffer": "Bytes that the notifier fills before each call; N,M measures both.",
        "pause": "Microseconds that the notifier pauses after each call; N,M measures both.",
        "waiter-pause": "Microseconds that the waiter pauses after each wake-up; N,M measures both.",
    },
)
