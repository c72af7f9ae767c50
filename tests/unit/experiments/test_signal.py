"""Figures of `signal`, `jitter` and the smallest experiment from a result."""

import random
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.conftest import Window, make_distribution, make_windows
from tests.fakes import toy
from tests.unit.analysis.examples import SIGNAL, TOY, Given, observed, result, row, said
from threadping.experiments.jitter import lateness
from threadping.model.cases import Case, Placement
from threadping.model.contract import Windows

SLEEPING = replace(SIGNAL, mechanism="slow", blocking=True, lines=1)


def blocks(*lines: tuple[int, ...]) -> Windows:
    """Return blocks of 1000 round trips, their nanoseconds line by line, and a timed window, which is no block."""
    found = (Window(line, "throughput", 1000 * ns, (1000, 1000)) for line, trips in enumerate(lines) for ns in trips)
    return make_windows(*found, Window(0, "sampling", 9_000_000, (300, 300)))


@pytest.mark.parametrize("case", [SIGNAL, SLEEPING], ids=["spinning", "sleeping"])
def test_typical_is_the_mean_over_lines_of_each_lines_median_block_and_mean_is_of_all(case: Case) -> None:
    found = observed(case, result(case, windows=blocks((200, 200, 9_000_000), (240,), (220, 240), ()))).figures
    assert found["latency_ns.typical"] == pytest.approx((100 + 120 + 115) / 3)
    assert (found["line_ns.min"], found["line_ns.max"], found["lines"]) == (100.0, 120.0, 3.0)
    assert found["latency_ns.mean"] == pytest.approx((2 * 100 + 4_500_000 + 2 * 120 + 110) / 6)


def test_one_way_through_a_network_is_half_of_what_the_rounds_of_its_near_end_take() -> None:
    case = replace(SIGNAL, experiment="network")
    found = observed(case, result(case, windows=blocks((200, 200, 9_000_000), (240,)))).figures
    assert found["latency_ns.typical"] == pytest.approx((100 + 120) / 4)
    assert found["latency_ns.mean"] == pytest.approx((2 * 100 + 4_500_000 + 120) / 8)


def test_a_block_that_was_cut_counts_by_its_length_and_one_without_an_operation_by_its_time() -> None:
    whole, half, empty = (Window(0, "throughput", 4_000_000, (trips, trips)) for trips in (1000, 500, 0))
    found = observed(SLEEPING, result(SLEEPING, windows=make_windows(whole, half, empty))).figures
    assert found["latency_ns.mean"] == 12_000_000 / 3000
    assert found["latency_ns.typical"] == (2_000 + 4_000) / 2
    assert found["ops_per_s"] == 3000 / 12e-3  # counted; a second over the typical latency would be 333,333


def test_the_time_slice_is_the_figure_that_the_row_shows() -> None:
    """The figure comes from whole trials if the pace changes all along."""
    changing = {"latency_ns.typical": 4e6, "headline_late": 5e6, "drift": 0.2, "counters.windows": 6}
    found = Given(changing, of=replace(SIGNAL, placement=Placement("same-cpu", (1, 1)))).row
    (slices,) = (one for one in found.findings if one.code == "time-slice")
    assert slices.facts["one_way"] == found.value("latency_ns.typical") == 4e6
    assert "4.00 ms one way, 250 handoffs per second" in slices.text("message")


READERS = Case("jitter", "clock-monotonic", {}, "cpp", Placement("same-l3", (0, 1)), False, 1, timed="gap")

SECOND = 1e9


def test_late_is_what_one_moment_in_ten_thousand_waits_for() -> None:
    rows: list[tuple[dict[int, int], float]] = [
        ({}, 0.0),
        ({100_000: 1}, 0.0),  # 100 us of a second are just one moment in 10,000
        ({200_000: 1}, 100_000.0),  # in its first 100 us a moment waits for more than 100
        ({1_000_000: 10}, 990_000.0),  # in the first 10 us of each of ten
        ({1_000: 50_000, 300_000: 1}, 200_000.0),
        ({1_000: 500_000, 50_000: 10, 60_000: 10}, 50_000.0),
    ]
    for gaps, late in rows:
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
    assert figures["jitter.per_s_1us"] == pytest.approx(218 / 2 / 0.18)
    assert figures["jitter.per_s_10us"] == pytest.approx(38 / 2 / 0.18)
    assert figures["jitter.per_s_100us"] == pytest.approx(2 / 2 / 0.18)
    assert figures["jitter.longest_ns"] == 150_000
    assert figures["jitter.lost"] == pytest.approx((180_000 + 360_000 + 300_000) / 0.36e9)
    assert figures["jitter.reading_ns"] == pytest.approx(20.0)
    assert figures["jitter.late_ns"] == pytest.approx((300_000 - 36_000) / 2)


def test_without_a_gap_every_figure_is_zero_and_none_is_absent() -> None:
    figures = observed(READERS, result(READERS, distributions={"gap": make_distribution((), ())})).figures
    assert [figures[f"jitter.{name}"] for name in ("late_ns", "longest_ns", "lost", "per_s_1us")] == [0.0] * 4


def test_an_experiment_costs_eighty_lines() -> None:
    assert len(Path(toy.__file__).read_text().splitlines()) <= 80


def test_its_trials_become_a_row_with_an_interval_percentiles_and_no_warning() -> None:
    found = row(TOY, *[result(TOY)] * 6)
    assert found.figures["ops_per_s"].ends == pytest.approx((12e6, 12e6))
    assert found.value("cpu_ns_per_op") == pytest.approx(2 * 16.4e6 / 192_000)
    percentiles = {name: found.value(f"add_ns.{name}") for name in ("min", "p50", "p99.9", "max", "samples")}
    assert percentiles == {"min": 50, "p50": 50, "p99.9": 100, "max": 5_000, "samples": 72_000}
    assert found.findings == ()


def test_an_experiments_own_check_runs_in_addition_to_the_common_ones_with_its_own_words() -> None:
    lossy = replace(TOY, mechanism="unprotected")
    found = row(lossy, *[result(lossy)] * 5)
    (sentence,) = said(found)
    assert found.findings[0].text("brief") == "25%"
    assert sentence == "25% of the additions were lost, though nobody else adds to a counter. Mend the mechanism."
