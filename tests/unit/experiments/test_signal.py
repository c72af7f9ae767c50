"""What `signal` reads from windows and single round trips, and what it says of them."""

import pytest
from msgspec.structs import replace

from tests.conftest import Window, make_windows
from tests.unit.analysis.examples import SIGNAL, Given, observed, result, said
from threadping.model.cases import Case, Placement
from threadping.model.contract import Windows

SLEEPING = replace(SIGNAL, mechanism="slow", blocking=True, lines=1)


def blocks(*lines: tuple[int, ...]) -> Windows:
    """Blocks of 1000 round trips of so many nanoseconds, line by line, and a timed window, which is none."""
    found = (Window(line, "throughput", 1000 * ns, (1000, 1000)) for line, trips in enumerate(lines) for ns in trips)
    return make_windows(*found, Window(0, "sampling", 9_000_000, (300, 300)))


@pytest.mark.parametrize("case", [SIGNAL, SLEEPING], ids=["spinning", "sleeping"])
def test_typical_is_the_mean_over_lines_of_each_lines_median_block_and_mean_is_of_all(case: Case) -> None:
    found = observed(case, result(case, windows=blocks((200, 200, 9_000_000), (240,), (220, 240), ()))).figures
    assert found["latency_ns.typical"] == pytest.approx((100 + 120 + 115) / 3)
    assert (found["line_ns.min"], found["line_ns.max"], found["lines"]) == (100.0, 120.0, 3.0)
    assert found["latency_ns.mean"] == pytest.approx((2 * 100 + 4_500_000 + 2 * 120 + 110) / 6)


def test_a_block_that_was_cut_counts_by_its_length_and_one_without_an_operation_by_its_time() -> None:
    whole, half, empty = (Window(0, "throughput", 4_000_000, (trips, trips)) for trips in (1000, 500, 0))
    found = observed(SLEEPING, result(SLEEPING, windows=make_windows(whole, half, empty))).figures
    assert found["latency_ns.mean"] == 12_000_000 / 3000
    assert found["latency_ns.typical"] == (2_000 + 4_000) / 2
    assert found["ops_per_s"] == 3000 / 12e-3  # counted; a second over the typical latency would be 333,333


def test_spinning_on_one_cpu_is_reported_as_the_time_slice_that_it_is() -> None:
    slices = Given({"latency_ns.typical": 4e6}, of=replace(SIGNAL, placement=Placement("same-cpu", (1, 1)))).row
    assert "costs a time slice of it: 4.00 ms one way, 250 hand-overs a second" in said(slices)[0]


def test_the_time_slice_is_the_figure_that_the_row_shows() -> None:
    """Of whole trials, where the pace changed all along."""
    changing = {"latency_ns.typical": 4e6, "headline_late": 5e6, "drift": 0.2, "counters.windows": 6}
    found = Given(changing, of=replace(SIGNAL, placement=Placement("same-cpu", (1, 1)))).row
    (slices,) = (one for one in found.findings if one.code == "time-slice")
    assert slices.facts["one_way"] == found.value("latency_ns.typical") == 4e6
