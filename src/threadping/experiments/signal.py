"""signal: what it costs one thread to signal another.

Measures the one-way latency, half a round trip: median (`typical` in JSON) and mean from whole windows, which the clock
does not disturb. The distribution is of single round trips, between which the clock is read, and not halved: in a slow
one either way may have been slow.
"""

from threadping.analysis import causes, row_warnings
from threadping.analysis.causes import crowded
from threadping.analysis.checks import Check, Facts
from threadping.analysis.declaration import Declaration, Figure, Percentiles, Question, Row
from threadping.analysis.row_warnings import ClosedLoop
from threadping.experiments import common
from threadping.experiments.common import Experiment
from threadping.model import reading
from threadping.planning.defaults import CaseDefaults, DefaultCase, Pace, in_blocks

SHORTEST_SLICE_NS = 100_000
"""No scheduler of Linux takes the CPU from a thread sooner (EEVDF's base slice is 0.7 ms and more). A quicker one
gave the CPU away, by a yield or by parking."""

FIGURES = (
    *common.round_trips("signal", reading.typical, reading.ns_per_op),
    *common.mixture("ns", reading.ns_per_op),
    Figure("line_ns.min", "ns", lambda result: min(reading.line_medians(result)), over="least"),
    Figure("line_ns.max", "ns", lambda result: max(reading.line_medians(result)), over="most"),
    Figure("lines_spread", "share", reading.lines_spread),
)

ROUND_TRIPS = Percentiles(
    name="round_trip_ns", noun="single round trips", head="round trip", says="signal.round_trip_ns"
)


def _time_slice(row: Row) -> Facts | None:
    found = row.headline
    typical = found.value if found else 0.0
    waits_for_slices = typical >= SHORTEST_SLICE_NS and not row.case.blocking and crowded(row)
    return {"one_way": typical, "per_second": 1e9 / typical} if waits_for_slices else None


def _one_line(row: Row) -> Facts | None:
    alone = not row.case.blocking and row.case.lines == 1
    return {"lines": row.number("lines")} if alone else None


LOOP = ClosedLoop(ROUND_TRIPS, under_way=lambda _: 2)  # Ping times two hand-overs at once
CHECKS = (Check("time-slice", "note", _time_slice), Check("one-line", "note", _one_line), LOOP.checks[0])
"""Each round trip begins where the one before has ended, so that their mean is the pace, which `regime` looks at."""

QUESTIONS = (
    Question(ask="tell a spinner (release-one-line)", mechanism="release-one-line", params={"wait": "pause"}),
    Question(ask="… (cas-one-line)", whole="tell a spinner (cas-one-line)", mechanism="cas-one-line", rank=1),
    Question(
        ask="… (release-two-lines)", whole="tell a spinner (release-two-lines)", mechanism="release-two-lines", rank=5
    ),
    Question(ask="tell a sleeper (condition)", mechanism="condition"),
    Question(
        ask="… both of them unpinned",
        whole="tell a sleeper, both unpinned (condition)",
        mechanism="condition",
        unpinned=True,
    ),
)

EXPERIMENT = Experiment(
    help="Measure what it costs one thread to signal another (one-way latency).",
    examples=[
        ("signal", "every mechanism, on every placement"),
        ("signal --mechanism xadd-one-line --wait spin,pause", "two spins"),
        ("signal --cpus 0,1 --budget 20s", "between these two CPUs"),
    ],
    defaults=CaseDefaults(
        threads=2,
        first=(
            DefaultCase("cas-one-line", where=("home", "apart")),  # how far are my CPUs from each other?
            DefaultCase("condition"),  # what does it cost to sleep?
            DefaultCase("release-one-line", {"wait": "pause"}),  # what is the cheapest there is?
            DefaultCase("release-two-lines"),  # what does a queue pay?
            DefaultCase("condition", where=("unpinned",)),  # and without pinning?
        ),
    ),
    pace=Pace(in_blocks, sleeps=True, promised={"hand-overs": True}),
    figures=Declaration(
        title="one-way latency",
        headline="latency_ns.typical",
        mixed="latency_ns.mean",
        figures=(*FIGURES, *causes.outlier_figures(ROUND_TRIPS), *common.FIGURES_EVERYWHERE),
        distributions=(ROUND_TRIPS,),
        checks=(*CHECKS, *row_warnings.UNPACED),
        questions=QUESTIONS,
        op="hand-over",
        measures="one-way",
        notes=(
            "One way is half a round trip: median and mean, from whole blocks. Percentiles are of single round trips, "
            "not halved; nothing is subtracted.",
        ),
    ),
    options={"wait": common.WAIT, "between": "Signal between threads (the default) or processes."},
)
