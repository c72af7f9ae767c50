"""Figures by the rules of other tools."""

import re
from typing import Any

import pytest
from msgspec.structs import replace

from tests.unit.analysis.examples import observed, result
from tests.unit.studies.reproduce.test_articles import KNOWN, ROOT, is_known
from tests.unit.studies.reproduce.tool_examples import C2C, ONE, answer, case_of, trials
from threadping.model.contract import Result
from threadping.model.run import Failure
from threadping.studies.reproduce import stated


def first(*seen: object, tool: stated.Tool = C2C) -> stated.LikeFigure:
    return stated.figures_like(tool, answer(*seen, tool=tool.name))[0]  # type: ignore[arg-type]


def test_ours_becomes_a_tools_number_by_its_rule() -> None:
    for name, ns, theirs, times in [
        ("multichase", 100.0, 90.0, 0.9),  # the fastest 20% of ours
        ("perf-bench-pipe", 3_000.0, 6_000.0, 2.0),  # a round trip
        ("c2clat", 50.0, 40.0, 0.8),  # the fastest block
        ("unixbench-context1", 5_000.0, 100_000.0, 2.0),  # round trips a second
    ]:
        tool = stated.tools()[name]
        one = first(trials(tool.numbers[0].case, ns), tool=tool)
        assert one.by_their_rules and one.by_their_rules.value == pytest.approx(theirs, rel=0.002)
        assert one.times == pytest.approx(times)


def test_a_case_that_failed_says_why_and_a_number_that_was_not_measured_what_measures_it() -> None:
    one = first(trials(ONE.case, Failure("crashed", "It crashed.")))
    two = stated.figures_like(C2C, answer(trials(ONE.case, 30.0)))[1]
    assert one.by_their_rules is None and one.reason and "It crashed." in one.reason
    assert two.ours is None and two.reason and "`threadping reproduce core-to-core-latency` measures it" in two.reason


def test_a_number_is_read() -> None:
    """Of operations that take 250 ns."""
    rules = {one.rule.name: one.rule for tool in stated.tools().values() for one in tool.numbers}
    each = {"one-way": 250.0, "round-trip": 500.0, "round-trips-per-second": 2e6, "operations-per-second": 4e6}
    each |= {"time-of-400k": 1e8, "time-of-1M": 2.5e8, "time-of-5M": 1.25e9}
    assert {name: rule.number_of(250.0) for name, rule in rules.items()} == each
    assert all(rule.unit == ("per_s" if rule.per_second else "ns") for rule in rules.values())


def of_blocks(*ns: int) -> Result:
    """A trial whose throughput windows of a thousand operations, half of each thread's, took so long."""
    made, number = result(case_of(ONE.case)), len(ns)
    of_each: dict[str, Any] = {"warmup": False, "line": 0, "kind": "throughput", "every": 0}
    windows = replace(made.windows, **{name: (one,) * number for name, one in of_each.items()})
    windows = replace(windows, ns=ns, ops=((500,) * number,) * 2, switches=None, compile_ms=None, cpus=None)
    return replace(made, windows=windows)


def test_the_fastest_block_and_the_fastest_20_percent_are_kept() -> None:
    kept = stated.kept_of(of_blocks(30_000, 20_000, 50_000, 50_000, 40_000, 10_000, 60_000, 60_000, 60_000, 60_000))
    assert kept == {stated.LEAST_BLOCK: 10.0, stated.LEAST_STRETCH: 25.0}
    assert stated.least_stretch([(300, 10), (200, 10)], 5) == 20.0, "of fewer blocks than stretches each is one"
    made = of_blocks(30_000)
    without = replace(made, windows=replace(made.windows, ops=((0,), (0,))))
    assert stated.kept_of(without) == {}, "a block without an operation says nothing"
    assert stated.LEAST_BLOCK not in observed(case_of(ONE.case), made).figures


def test_a_number_is_repeated_by_a_case_that_the_probes_know() -> None:
    for of, one in ((tool, one) for tool in stated.tools().values() for one in tool.numbers):
        assert one.case.mechanism in KNOWN[one.case.experiment]["mechanisms"]
        assert one.figure in (stated.LEAST_BLOCK, stated.LEAST_STRETCH) or is_known(one.case.experiment, one.figure)
        assert one.differs or not one.nearest
        assert re.fullmatch(r"[\w-]+", one.name) and one.contains.endswith(".")
        assert all(not text.endswith(".") for text in (one.times, one.divides, one.differs, one.placement, one.over))
        assert of.url.startswith("https://") and of.source


def test_the_tools_that_were_asked_for_are_there() -> None:
    assert len(stated.tools()) == 16
    assert [one.name for one in stated.tools()["core-to-core-latency"].numbers] == ["bench-1", "bench-2", "bench-3"]


def test_a_reading_that_there_is_none_of_is_refused() -> None:
    text = (ROOT / "src/threadping/studies/reproduce/tools.toml").read_text()
    with pytest.raises(ValueError, match=r"got `null` - at `\$\.numbers\[0\]\.rule`"):
        stated.read_tools(text.replace('rule = "one-way"', 'rule = "halves"', 1))
