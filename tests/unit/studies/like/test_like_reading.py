"""What a run says of a tool's numbers: exact figures by its rules, the ratio to the tool, or why there is none."""

import pytest

from tests.unit.studies.like.examples import C2C, ONE, STEADY, answer, case_of, trials
from threadping.model.run import Failure
from threadping.studies.like.reading import LikeFigure, LikeVerdict, figures_like
from threadping.studies.like.tools import Tool, tools


def first(*seen: object, tool: Tool = C2C, itself: bool = True) -> LikeFigure:
    found = figures_like(tool, answer(*seen, tool=tool.name, itself=itself), itself=itself)  # type: ignore[arg-type]
    return found[0]


@pytest.mark.parametrize(
    ("ours", "theirs", "verdict"),
    [(30.0, 30.1, "within 2%"), (31.5, 30.0, "differs"), (28.0, 30.0, "differs"), (30.6, 30.0, "cannot tell")],
)
def test_ours_is_held_to_the_tool(ours: float, theirs: float, verdict: LikeVerdict) -> None:
    one = first(trials(ONE.case, ours), trials(C2C.theirs(ONE), theirs))
    assert one.verdict == verdict
    assert one.theirs and one.theirs.value == pytest.approx(theirs, rel=0.002)
    assert one.ratio and one.ratio.value == pytest.approx(ours / theirs) and one.ratio.kind == "ci95"


def test_few_trials_cannot_tell() -> None:
    few = STEADY[:4]
    one = first(trials(ONE.case, 30.0, few), trials(C2C.theirs(ONE), 40.0, few))
    assert one.verdict == "cannot tell" and one.ratio and one.ratio.kind is None


def test_a_number_that_nothing_repeats_is_held_against_nothing() -> None:
    tool = tools()["multichase"]
    number = tool.numbers[0]
    one = first(trials(number.case, 100.0), trials(tool.theirs(number), 50.0), tool=tool)
    assert number.nearest and one.verdict == "nearest"
    assert one.by_their_rules and one.by_their_rules.value == pytest.approx(90.0, rel=0.002)  # of the quickest fifth
    assert one.times == pytest.approx(0.9)


def test_a_round_trip_is_two_of_ours_and_a_least_block_less_than_one() -> None:
    perf, c2clat = tools()["perf-bench-pipe"], tools()["c2clat"]
    one = first(trials(perf.numbers[0].case, 3_000.0), tool=perf, itself=False)
    assert one.by_their_rules and one.by_their_rules.value == pytest.approx(6_000, rel=0.002)
    least = first(trials(c2clat.numbers[0].case, 50.0), tool=c2clat, itself=False)
    assert least.by_their_rules and least.by_their_rules.value == pytest.approx(40, rel=0.002)
    assert (one.times, least.times) == (2.0, 0.8)
    assert one.theirs is None and one.verdict is None


def test_a_rate_is_of_round_trips() -> None:
    unixbench = tools()["unixbench-context1"]
    one = first(trials(unixbench.numbers[0].case, 5_000.0), tool=unixbench, itself=False)
    assert one.by_their_rules and one.by_their_rules.value == pytest.approx(100_000, rel=0.002)
    assert one.number.reading.unit == "per_s" and one.times == 2.0


def test_a_tool_that_failed_says_why_and_ours_stands() -> None:
    hung = Failure("stalled", "core-to-core-latency had not ended after 9 s, and was killed.")
    one = first(trials(ONE.case, 30.0), trials(C2C.theirs(ONE), hung))
    assert one.by_their_rules and one.theirs is None and one.verdict is None
    assert one.their_reason and "had not ended after 9 s" in one.their_reason


def test_a_number_that_was_not_measured_says_what_measures_it() -> None:
    two = figures_like(C2C, answer(trials(ONE.case, 30.0), itself=False), itself=False)[1]
    assert two.ours is None and two.reason and "`threadping like core-to-core-latency` measures it" in two.reason


def test_the_tool_itself_is_a_case_of_its_own() -> None:
    assert case_of(C2C.theirs(ONE)) != case_of(ONE.case)
    assert case_of(C2C.theirs(ONE)).placement == case_of(ONE.case).placement
