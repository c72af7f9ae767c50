"""Figures by the rules of other tools."""

import json
import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.unit.analysis.examples import observed, result
from tests.unit.studies.reproduce.tool_examples import C2C, ONE, answer, case_of, trials
from threadping.analysis.percentiles import PERCENTILE_NAMES
from threadping.experiments import declared
from threadping.model.contract import Result
from threadping.model.run import Failure
from threadping.studies.reproduce import stated


def first(*seen: object, tool: stated.Tool = C2C) -> stated.LikeFigure:
    return stated.figures_like(tool, answer(*seen, tool=tool.name))[0]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "ns", "theirs", "times"),
    [
        ("multichase", 100.0, 90.0, 0.9),  # the fastest 20% of ours
        ("perf-bench-pipe", 3_000.0, 6_000.0, 2.0),  # a round trip
        ("c2clat", 50.0, 40.0, 0.8),  # the fastest block
        ("unixbench-context1", 5_000.0, 100_000.0, 2.0),  # round trips a second
    ],
)
def test_ours_becomes_a_tools_number_by_its_rule(name: str, ns: float, theirs: float, times: float) -> None:
    tool = stated.tools()[name]
    one = first(trials(tool.numbers[0].case, ns), tool=tool)
    assert one.by_their_rules and one.by_their_rules.value == pytest.approx(theirs, rel=0.002)
    assert one.times == pytest.approx(times)


def test_a_case_that_failed_says_why() -> None:
    one = first(trials(ONE.case, Failure("crashed", "It crashed.")))
    assert one.by_their_rules is None and one.reason and "It crashed." in one.reason


def test_a_number_that_was_not_measured_says_what_measures_it() -> None:
    two = stated.figures_like(C2C, answer(trials(ONE.case, 30.0)))[1]
    assert two.ours is None and two.reason and "`threadping reproduce core-to-core-latency` measures it" in two.reason


NUMBERS = {
    "one-way": 250.0,
    "round-trip": 500.0,
    "round-trips-per-second": 2e6,
    "operations-per-second": 4e6,
    "time-of-400k": 1e8,
    "time-of-1M": 2.5e8,
    "time-of-5M": 1.25e9,
}
"""Outputs for operations that take 250 ns."""


@pytest.mark.parametrize(
    "rule", {one.rule.name: one.rule for tool in stated.tools().values() for one in tool.numbers}.values()
)
def test_a_number_is_read(rule: stated.Rule) -> None:
    assert rule.number_of(250.0) == NUMBERS[rule.name]
    assert rule.unit == ("per_s" if rule.per_second else "ns")


def of_blocks(*ns: int) -> Result:
    """A trial whose throughput windows of a thousand operations, half of each thread's, took so long."""
    made = result(case_of(ONE.case))
    zeros, half = (0,) * len(ns), (500,) * len(ns)
    kinds = ("throughput",) * len(ns)
    windows = replace(
        made.windows, warmup=(False,) * len(ns), line=zeros, kind=kinds, every=zeros, ns=ns, ops=(half, half)
    )
    return replace(made, windows=replace(windows, switches=None, compile_ms=None, cpus=None))


def test_the_fastest_block_and_the_fastest_20_percent_are_kept() -> None:
    kept = stated.kept_of(of_blocks(30_000, 20_000, 50_000, 50_000, 40_000, 10_000, 60_000, 60_000, 60_000, 60_000))
    assert kept == {stated.LEAST_BLOCK: 10.0, stated.LEAST_STRETCH: 25.0}


def test_of_fewer_blocks_than_stretches_each_is_one() -> None:
    assert stated.least_stretch([(300, 10), (200, 10)], 5) == 20.0


def test_a_block_without_an_operation_says_nothing() -> None:
    made = of_blocks(30_000)
    assert stated.kept_of(replace(made, windows=replace(made.windows, ops=((0,), (0,))))) == {}


def test_what_is_kept_is_of_a_trial_that_is_observed() -> None:
    assert stated.LEAST_BLOCK not in observed(case_of(ONE.case), result(case_of(ONE.case))).figures


ROOT = Path(__file__).parents[4]
KNOWN = json.loads((ROOT / "contract/words.json").read_text())["experiments"]
TOOL_NUMBERS = [(tool, one) for tool in stated.tools().values() for one in tool.numbers]


@pytest.mark.parametrize(("tool", "one"), TOOL_NUMBERS, ids=lambda one: one.name)
def test_a_number_is_repeated_by_a_case_that_the_probes_know(tool: stated.Tool, one: stated.Number) -> None:
    assert one.case.mechanism in KNOWN[one.case.experiment]["mechanisms"]
    of = declared()[one.case.experiment]
    parts = {f"{each.name}.{name}" for each in of.distributions for name in PERCENTILE_NAMES}
    assert one.figure in {stated.LEAST_BLOCK, stated.LEAST_STRETCH, *(each.name for each in of.figures), *parts}
    assert one.differs or not one.nearest
    assert re.fullmatch(r"[\w-]+", one.name) and one.contains.endswith(".")
    assert all(not text.endswith(".") for text in (one.times, one.divides, one.differs, one.placement, one.over))
    assert tool.url.startswith("https://") and tool.source


def test_the_tools_that_were_asked_for_are_there() -> None:
    assert len(stated.tools()) == 16
    assert [one.name for one in stated.tools()["core-to-core-latency"].numbers] == ["bench-1", "bench-2", "bench-3"]


def test_a_reading_that_there_is_none_of_is_refused() -> None:
    text = (ROOT / "src/threadping/studies/reproduce/tools.toml").read_text()
    with pytest.raises(ValueError, match=r"got `null` - at `\$\.numbers\[0\]\.rule`"):
        stated.read_tools(text.replace('rule = "one-way"', 'rule = "halves"', 1))
