"""Durations of `barrier`, and its conclusions from all rows."""

import pytest
from msgspec.structs import replace

from tests.conftest import make_request
from tests.golden.fixture import ANSWER
from tests.unit.analysis.examples import LOCK, result
from tests.unit.output.charts.test_charts import data
from tests.unit.output.printing import printed
from threadping.analysis.declaration import Row, metric_of
from threadping.analysis.percentiles import Estimate
from threadping.experiments import EXPERIMENTS
from threadping.model.cases import Case, Placement
from threadping.output.charts import scalings
from threadping.output.row_tables import pivots
from threadping.planning.defaults import in_periods, in_rounds, lengths
from threadping.planning.selection import usual_threads

BARRIER = EXPERIMENTS["barrier"]
REQUEST = make_request(experiment="barrier")
PLACES = {2: Placement("same-l3", (0, 1)), 4: Placement("same-l3", (0, 1, 0, 1))}


def case_of(mechanism: str, threads: int, **params: int) -> Case:
    return replace(LOCK, experiment="barrier", mechanism=mechanism, params=params, placement=PLACES[threads])


def row_of(mechanism: str, threads: int, *ends: tuple[float, float], **params: int) -> Row:
    """A row with these intervals of done, call and last."""
    names = ("done_ns.typical", "call_ns.typical", "last_ns.typical")
    found = {name: Estimate(sum(of) / 2, *of, "ci95") for name, of in zip(names, ends, strict=False)}
    return Row(case_of(mechanism, threads, **params), BARRIER.figures, (), (), found)


def side_by_side(*rows: Row) -> list[list[str]]:
    """The words of each line but heads and rules."""
    text = "".join(printed(block, 120) for block in pivots(rows, BARRIER.figures) if str(block))
    return [line.split() for line in text.splitlines() if line[:1].isalpha() and not line.startswith("mechanism")]


SPIN = [
    row_of("spin-all", 2, (100, 120), (10, 12), (50, 60)),
    row_of("spin-all", 4, (900, 920), (700, 720), (800, 820)),
]


def test_done_call_and_last_are_compared_by_threads_the_best_of_each_first() -> None:
    std = [
        row_of("std-barrier", 2, (200, 220), (5, 7), (70, 80)),
        row_of("std-barrier", 4, (300, 320), (8, 10), (900, 920)),
    ]
    assert side_by_side(*SPIN, *std) == [
        ["done", "by", "threads"],
        ["std-barrier", "210", "ns", "310", "ns"],
        ["spin-all", "110", "ns", "910", "ns"],
        ["call", "by", "threads"],
        ["std-barrier", "6.00", "ns", "9.00", "ns"],
        ["spin-all", "11.0", "ns", "710", "ns"],
        ["last", "by", "threads"],
        ["spin-all", "55.0", "ns", "810", "ns"],
        ["std-barrier", "75.0", "ns", "910", "ns"],
    ]


def test_call_and_last_are_drawn_by_threads_too() -> None:
    drawn = {chart.name: chart.panels[0] for chart in scalings("barrier", ANSWER, SPIN, BARRIER.figures, ["spin-all"])}
    heights = {name: [one["value"] for one in data(panel, "value")] for name, panel in drawn.items()}
    assert heights == {
        "barrier-by-threads": [110, 910],
        "barrier-by-threads-call": [11, 710],
        "barrier-by-threads-last": [55, 810],
    }


def test_one_number_of_threads_has_no_comparison_by_threads() -> None:
    rows = [row_of("spin-all", 2, (1, 2), (1, 2), (1, 2)), row_of("std-barrier", 2, (1, 2))]
    assert [*pivots(rows, BARRIER.figures)] == []


def test_of_a_single_member_first_and_spread_say_nothing() -> None:
    for figure in ("first_ns.typical", "first_ns.p99", "spread_ns.typical"):
        metric = metric_of(figure, BARRIER.figures)
        assert "the first and the last" in (metric.why_not(case_of("spin-all", 2)) or "")
        assert metric.why_not(case_of("spin-all", 4)) is None
    assert metric_of("last_ns.typical", BARRIER.figures).why_not(case_of("spin-all", 2)) is None


def test_cpu_time_of_workers_is_unknown_where_one_was_replaced() -> None:
    whole = result(case_of("spin-all", 4))
    some = replace(whole, threads=(*whole.threads[:-1], replace(whole.threads[-1], cpu_ns=0, migrations=None)))
    for figure in BARRIER.figures.figures:
        lost = figure.name in ("cpu_percent", "switches_per_op", "worker_cpu_ns_per_op", "cpu_ns_per_op")
        before, after = (BARRIER.figures.read(figure, one, REQUEST).get(figure.name) for one in (whole, some))
        assert (after is None) == (lost or before is None), figure.name


def test_where_rounds_pause_a_trial_is_longer_within_bounds() -> None:
    lasts = BARRIER.pace.lasts
    assert lasts
    for pause_us, seconds in ((0, (0.04, 0.1)), (1_000, (0.08, 0.24)), (100_000, (3.0, 3.0))):
        assert lasts(case_of("spin-all", 2, pause=pause_us)) == pytest.approx(seconds)


def test_by_default_half_of_the_cpus_all_and_twice_as_many_take_part() -> None:
    assert [usual_threads(cpus, BARRIER.defaults) for cpus in (2, 8)] == [(2, 4), (2, 4, 8, 16)]


def test_windows_of_a_longer_trial_are_longer_and_of_many_threads_that_share_cpus_hold_many_rounds() -> None:
    assert in_rounds(40_000_000, 10**8, 1) == in_periods(40_000_000, 10**8, 1)
    longer = in_rounds(3_000_000_000, 10**8, 1).windows
    assert (longer.throughput, longer.sampling) == (250_000_000, 125_000_000)
    # As long as each of 256 threads' turns on two CPUs came to 7.7 s a trial, and 115 s for three rounds of a few:
    assert in_rounds(60_000_000, 10**8, 2) == in_periods(60_000_000, 10**8, 2)
    crowded = in_rounds(600_000_000, 10**8, 128).windows
    assert (crowded.throughput, crowded.sampling) == (200_000_000, 100_000_000)
    case = replace(case_of("spin-all", 2), placement=Placement("same-l3", (0, 1) * 128))
    for compiles in (False, True):
        assert lengths(case, BARRIER.pace, compiles=compiles).hurried.measure_s == pytest.approx(0.6)


def test_the_first_question_of_a_barrier_stays_longest_on_a_screen_that_does_not_fit_all() -> None:
    first, *others = (one.rank for one in EXPERIMENTS["barrier"].figures.questions)
    assert first < min(others)
    assert any(one.rank for one in EXPERIMENTS["signal"].figures.questions)
