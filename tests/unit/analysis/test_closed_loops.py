"""What a closed loop allows: whose waits miss it and why, and what is cheaper than a reading of the clock."""

from collections.abc import Sequence

import numpy as np
import pytest
from msgspec.structs import replace

from tests.conftest import make_distribution
from tests.unit.analysis.examples import LOCK, RING, SIGNAL, Given, codes
from threadping.analysis.declaration import Row
from threadping.analysis.percentiles import PERCENTILE_NAMES
from threadping.model.cases import Case, Placement

CLOCK = 20.0
FAIR = replace(LOCK, mechanism="reentrant-lock-fair", runtime="java-17", blocking=True)
ALONE = replace(LOCK, placement=Placement("same-cpu", (1,)))
TEN, TEN_EACH = replace(RING, params={"in-flight": 10, "producers": 2}), 20
FULL = replace(RING, params={"in-flight": 0})

BY_PACE = "operations were 1.4 times as slow while some of them were timed"
BY_TRIALS = "trials differ: each by itself keeps to it"
OF_TWO_KINDS = "they are of two kinds, and the short ones keep the mean within it"
UNKNOWN = "why is not known"


def loop(takes: float, waits: float | Sequence[float], case: Case = FAIR, pace: float = 1.0, half: int = 1) -> Row:
    """Trials in which an operation takes its thread so long by the rate, and so long on average where it is timed."""
    under_way = TEN_EACH if case == TEN else case.threads
    rate = under_way * 1e9 / takes
    figures = {"ops_per_s": rate, "latency_ns.mean": waits, "sampling_pace": pace, "clock_cost_ns": CLOCK}
    return Given(figures, case, timed=make_distribution((half,), (12_000,))).row


def missed(row: Row) -> tuple[str, float, str] | None:
    """Which figure, by what factor, and why."""
    found = [one.facts for one in row.findings if one.code == "closed-loop"]
    return next(((str(one["which"]), float(one["factor"]), str(one["why"])) for one in found), None)


@pytest.mark.parametrize(
    ("row", "which", "factor", "why"),
    [
        (loop(17_200, 23_300, pace=1.4), "mean", 23_300 / 17_220, BY_PACE),
        (loop(17_200, 23_300), "mean", 23_300 / 17_220, UNKNOWN),
        (loop(17_200, [17_000] * 5 + [55_000]), "mean", 140_000 / 6 / 17_220, BY_TRIALS),
        (loop(17_200, 17_000, half=23_300), "median", 23_300 / 17_220, OF_TWO_KINDS),
        (loop(400, 1_000, TEN), "mean", 1_000 / 420, UNKNOWN),
        (loop(160, 340, LOCK), "mean", 340 / 180, "the clock readings around an operation are more than a tenth of"),
    ],
)
def test_a_missed_identity_is_told_of_the_figure_that_misses_it_with_the_reason_that_was_seen(
    row: Row, which: str, factor: float, why: str
) -> None:
    found = missed(row)
    assert found is not None
    assert (found[0], found[2][: len(why)]) == (which, why)
    assert found[1] == pytest.approx(factor, rel=0.02)


@pytest.mark.parametrize(
    "row",
    [
        loop(17_200, 18_900),
        loop(17_200, 17_000, half=18_900),
        loop(100, 1_000, FULL),  # nobody knows how many are on their way
        loop(100, 1_000, ALONE),  # nobody else is there
    ],
)
def test_nothing_is_said_where_the_identity_is_kept_or_there_is_none(row: Row) -> None:
    assert missed(row) is None


@pytest.mark.parametrize(("spread", "most"), [(0.02, 0.0), (0.1, 0.002), (0.3, 0.3)])
def test_trials_that_keep_the_identity_are_seldom_said_to_miss_it(spread: float, most: float) -> None:
    """Waits of each trial are what its own rate allows, within 2%; trials differ by so much."""
    rng = np.random.default_rng(41)
    alarms = 0
    for _ in range(rows := 200):
        takes = 17_200 * rng.lognormal(0, spread, 6)
        waits = takes * rng.normal(1, 0.02, 6)
        figures = {"ops_per_s": (2e9 / takes).tolist(), "latency_ns.mean": waits.tolist()}
        alarms += missed(Given(figures, FAIR).row) is not None
    assert alarms / rows <= most


@pytest.mark.parametrize("ns", [0.3, 5, 15, 19.9])
def test_what_is_cheaper_than_a_reading_of_the_clock_has_a_rate_and_no_percentiles_and_no_regime(ns: float) -> None:
    """Whatever the two kinds of window say of each other."""
    row = loop(ns, 40, ALONE, pace=3.0, half=40)
    assert codes(row) == [("cheaper-than-clock", "note")]
    assert {"takes": pytest.approx(ns), "cost": CLOCK, "op": "increment"} == row.findings[0].facts
    assert row.headline and row.headline.value == pytest.approx(1e9 / ns)
    shown = {f"latency_ns.{name}" for name in (*PERCENTILE_NAMES, "mean", "samples")} & row.figures.keys()
    assert not shown | {name for name in row.figures if name.startswith(("outliers.", "lock.wait"))}


@pytest.mark.parametrize("row", [loop(20.1, 30, ALONE), loop(20.1, 30, LOCK), loop(20.1, 30, TEN)])
def test_what_takes_as_long_as_a_reading_is_timed(row: Row) -> None:
    assert "cheaper-than-clock" not in dict(codes(row))
    assert "latency_ns.p50" in row.figures


def test_of_messages_in_flight_and_of_round_trips_the_rate_stays_too() -> None:
    quick = loop(19, 30, TEN)
    assert "latency_ns.typical" not in quick.figures
    assert quick.headline
    tripping = Given({"ops_per_s": 2e9 / 19, "latency_ns.typical": 9.5, "clock_cost_ns": CLOCK}, SIGNAL).row
    assert dict(codes(tripping))["cheaper-than-clock"] == "note"
    assert (tripping.value("latency_ns.typical"), tripping.value("latency_ns.p50")) == (9.5, None)


def test_a_clock_that_is_slow_has_its_own_warning() -> None:
    row = Given({"ops_per_s": 66e6, "clock_cost_ns": 500.0}, ALONE, timed=make_distribution((515,), (12_000,))).row
    assert codes(row) == [("slow-clock", "warning")]
