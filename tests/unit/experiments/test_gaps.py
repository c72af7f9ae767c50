"""What is read of gaps: how late a thread is at a random moment, by planted gaps."""

import random

import pytest

from tests.conftest import Window, make_distribution, make_windows
from tests.unit.analysis.examples import observed, result
from threadping.experiments.gaps import lateness
from threadping.model.cases import Case, Placement

READERS = Case("gaps", "clock-monotonic", {}, "cpp", Placement("same-l3", (0, 1)), False, 1, timed="gap")

SECOND = 1e9


def test_a_thread_that_always_runs_is_never_late() -> None:
    assert lateness(make_distribution((), ()), SECOND) == 0.0


@pytest.mark.parametrize(
    ("gaps", "late"),
    [
        ({100_000: 1}, 0.0),  # 100 us of a second are just one moment in 10,000
        ({200_000: 1}, 100_000.0),  # in its first 100 us a moment waits for more than 100
        ({1_000_000: 10}, 990_000.0),  # in the first 10 us of each of ten
        ({2_000: 1_000}, 1_900.0),
        ({1_000: 50_000, 300_000: 1}, 200_000.0),
        ({1_000: 500_000, 50_000: 10, 60_000: 10}, 50_000.0),
    ],
)
def test_late_is_what_one_moment_in_ten_thousand_waits_for(gaps: dict[int, int], late: float) -> None:
    found = lateness(make_distribution(tuple(gaps), tuple(gaps.values())), SECOND)
    assert found == pytest.approx(late)


def test_it_is_what_a_simulation_of_moments_finds() -> None:
    chance = random.Random(7)
    gaps = sorted(round(chance.expovariate(1 / 20_000)) + 1_000 for _ in range(400))
    found = lateness(make_distribution(tuple(gaps), (1,) * len(gaps)), SECOND, share=1e-3)
    waits = [gap - within for gap in gaps for within in range(0, gap, 100)]  # a moment every 100 ns
    assert sum(wait > found for wait in waits) == pytest.approx(1e-3 * SECOND / 100, rel=0.01)


def test_a_trial_has_its_rates_on_each_cpu_and_its_longest() -> None:
    gaps = make_distribution((1_000, 10_000, 150_000), (180, 36, 2))
    windows = make_windows(
        Window(0, "throughput", 20_000_000, (1_000_000, 1_000_000)), Window(0, "sampling", 180_000_000, (9, 9))
    )
    figures = observed(READERS, result(READERS, distributions={"gap": gaps}, windows=windows)).figures
    assert figures["gaps.per_s_1us"] == pytest.approx(218 / 2 / 0.18)
    assert figures["gaps.per_s_10us"] == pytest.approx(38 / 2 / 0.18)
    assert figures["gaps.per_s_100us"] == pytest.approx(2 / 2 / 0.18)
    assert figures["gaps.longest_ns"] == 150_000
    assert figures["gaps.lost"] == pytest.approx((180_000 + 360_000 + 300_000) / 0.36e9)
    assert figures["gaps.reading_ns"] == pytest.approx(20.0)
    assert figures["gaps.late_ns"] == pytest.approx((300_000 - 36_000) / 2)


def test_without_a_gap_every_figure_is_zero_and_none_is_absent() -> None:
    figures = observed(READERS, result(READERS, distributions={"gap": make_distribution((), ())})).figures
    assert {name: figures[f"gaps.{name}"] for name in ("late_ns", "longest_ns", "lost", "per_s_1us")} == {
        "late_ns": 0.0,
        "longest_ns": 0.0,
        "lost": 0.0,
        "per_s_1us": 0.0,
    }
