"""What a run says of a tool's numbers: exact figures by its rules, or why there is none."""

import pytest

from tests.unit.studies.reproduce.like_examples import C2C, ONE, answer, trials
from threadping.model.run import Failure
from threadping.studies.reproduce.tools import LikeFigure, Tool, figures_like, tools


def first(*seen: object, tool: Tool = C2C) -> LikeFigure:
    return figures_like(tool, answer(*seen, tool=tool.name))[0]  # type: ignore[arg-type]


def test_by_its_rules_it_is_the_quickest_fifth_of_ours() -> None:
    tool = tools()["multichase"]
    one = first(trials(tool.numbers[0].case, 100.0), tool=tool)
    assert one.by_their_rules and one.by_their_rules.value == pytest.approx(90.0, rel=0.002)
    assert one.times == pytest.approx(0.9)


def test_a_round_trip_is_two_of_ours_and_a_least_block_less_than_one() -> None:
    perf, c2clat = tools()["perf-bench-pipe"], tools()["c2clat"]
    one = first(trials(perf.numbers[0].case, 3_000.0), tool=perf)
    assert one.by_their_rules and one.by_their_rules.value == pytest.approx(6_000, rel=0.002)
    least = first(trials(c2clat.numbers[0].case, 50.0), tool=c2clat)
    assert least.by_their_rules and least.by_their_rules.value == pytest.approx(40, rel=0.002)
    assert (one.times, least.times) == (2.0, 0.8)


def test_a_rate_is_of_round_trips() -> None:
    unixbench = tools()["unixbench-context1"]
    one = first(trials(unixbench.numbers[0].case, 5_000.0), tool=unixbench)
    assert one.by_their_rules and one.by_their_rules.value == pytest.approx(100_000, rel=0.002)
    assert one.number.reading.unit == "per_s" and one.times == 2.0


def test_a_case_that_failed_says_why() -> None:
    one = first(trials(ONE.case, Failure("crashed", "It crashed.")))
    assert one.by_their_rules is None and one.reason and "It crashed." in one.reason


def test_a_number_that_was_not_measured_says_what_measures_it() -> None:
    two = figures_like(C2C, answer(trials(ONE.case, 30.0)))[1]
    assert two.ours is None and two.reason and "`threadping like core-to-core-latency` measures it" in two.reason
