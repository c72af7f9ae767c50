"""Precision of a figure: half of a narrow interval, both ends of a wide one, a range in brackets."""

import pytest

from threadping.analysis.declaration import Unit
from threadping.analysis.percentiles import Estimate
from threadping.output.layout import Field, grid, sure, with_interval

WIDE = Estimate(65_000, 57_000, 173_000, "ci95")


@pytest.mark.parametrize(
    ("unit", "found", "said"),
    [
        ("ns", Estimate(100, 96, 104, "ci95"), "\xb14%"),
        ("ns", Estimate(100, 90, 110, "ci95"), "\xb110%"),
        ("ns", Estimate(100, 89.9, 110.1, "ci95"), "90\u2013110"),
        ("ns", WIDE, "57\u2013173"),
        ("ns", Estimate(100, 96, 104, "range"), "(96\u2013104)"),  # half of it would look surer than six trials do
        ("ns", Estimate(65_000, 57_000, 173_000, "range"), "(57\u2013173)"),
        ("per_s", Estimate(17e6, 12e6, 19e6, "ci95"), "12\u201319"),
        ("share", Estimate(0.2, 0.1, 0.4, "ci95"), "10\u201340%"),
        ("ns", Estimate(100), "2 trials"),
        ("ns", Estimate(0, 0, 4, "ci95"), "0\u20134.0"),
    ],
)
def test_how_sure_a_figure_is(unit: Unit, found: Estimate, said: str) -> None:
    assert sure(unit, found, 2).plain == said


def test_a_figure_with_its_interval_is_aligned_below_others() -> None:
    assert with_interval("ns", WIDE).plain == "65.0 \xb5s 57\u2013173"
    assert with_interval("ns", Estimate(65_000)).plain == "65.0 \xb5s"
    assert with_interval("ns", None).plain == "\u2013"
    found = [WIDE, Estimate(1_000, 990, 1_010, "ci95"), None, Estimate(12)]
    (column,) = grid(found, Field(head="p99", unit="ns", of=lambda one: one, aligned=True)).columns
    assert [cell.plain for cell in column.cells] == [
        "65.0 \xb5s 57\u2013173",
        "1.00 \xb5s \xb11%   ",
        "\u2013       ",
        "12.0 ns       ",
    ]
