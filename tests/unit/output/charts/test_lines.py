"""Charts of a trade-off and of curves: what is drawn of a schedule whose every figure is known."""

from typing import Any

import pytest
from msgspec.structs import replace

from tests.unit.analysis.examples import DECLARED, RUN
from tests.unit.experiments.test_paced import of
from tests.unit.output.charts.test_charts import data
from threadping.analysis.analyse import analyse
from threadping.analysis.answer import Answer
from threadping.analysis.declaration import Row
from threadping.model.cases import WarmupPolicy
from threadping.output.charts.answer import charts


def answer(*rows: Row) -> Answer:
    return analyse(RUN, [trial for row in rows for trial in row.trials], (), DECLARED)


def drawn(*rows: Row) -> dict[str, Any]:
    return {chart.name: chart for chart in charts(answer(*rows))["paced"]}


SPINS = [of("spin-then-park", rate, spins=spins) for rate in (10_000, 50_000) for spins in (0, 100, 900, 10_000)]


def test_what_nothing_beats_at_a_rate_has_a_colour_and_the_others_are_dots() -> None:
    chart = drawn(of("release-one-line"), of("condition"), of("condition", 50_000), of("spin-then-park", spins=900))
    panel = chart["paced-tradeoff"].panels[0]
    assert [one["title"]["text"] for one in chart["paced-tradeoff"].panels] == ["rate 10k"]
    points = [(one["x"], one["y"], one.get("line")) for one in data(panel, "about")]
    assert points == [(100, 200, "release-one-line, cpp"), (5, 20_000, "condition, cpp"), (14, 20_000, None)]
    assert list(chart["paced-tradeoff"].legend) == ["release-one-line, cpp", "condition, cpp"]


def test_over_spins_each_figure_has_a_panel_and_the_break_even_a_rule() -> None:
    chart = drawn(*SPINS)["paced-by-spins"]
    assert [one["title"]["text"] for one in chart.panels] == ["p50", "p99", "CPU"]
    slow, quick = (f"spin-then-park, cpp, same-l3 0,1, rate {rate}" for rate in ("10k", "50k"))
    assert list(chart.legend) == [slow, quick]
    rules = [one for one in data(chart.panels[0], "x", "line") if "y" not in one]
    assert rules == [{"x": pytest.approx(500), "line": slow}, {"x": pytest.approx(500), "line": quick}]
    cpu = {one["x"]: one["y"] for one in data(chart.panels[2], "y") if one["line"] == slow}
    assert cpu == {50: 5, 100: 6, 900: 14, 10_000: 100}  # no spin at all stands at half of the fewest
    assert "spin-then-park cpp rate 10k: break-even at 500 spins" in chart.said


def test_cases_that_differ_in_their_warm_up_are_two_lines() -> None:
    rows = [of("spin-then-park", spins=spins) for spins in (0, 100)]
    short = WarmupPolicy(10, 100_000)
    early = [
        replace(row, trials=tuple(replace(one, case=replace(one.case, warmup=short)) for one in row.trials))
        for row in rows
    ]
    legend = drawn(*rows, *early)["paced-by-spins"].legend
    assert list(legend) == [f"spin-then-park, cpp, same-l3 0,1{said}, rate 10k" for said in ("", ", 10x100k")]


def test_over_gaps_each_case_is_a_line() -> None:
    chart = drawn(of("condition", arrivals="gaps"), of("release-one-line", arrivals="gaps"))["paced-by-gap"]
    assert [one["title"]["text"] for one in chart.panels] == ["p50", "p90", "deepest idle"]
    assert [(one["x"], one["y"]) for one in data(chart.panels[0], "y")][:3] == [(1e4, 2e4), (3e4, 2.5e4), (1e5, 3e4)]
