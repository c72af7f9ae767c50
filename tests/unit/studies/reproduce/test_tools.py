"""The data: every number is repeated by a case that the probes know, by a figure that there is."""

import json
import re
from pathlib import Path

import pytest

from threadping.analysis.percentiles import PERCENTILE_NAMES
from threadping.experiments import declared
from threadping.studies.reproduce.tools import LEAST_BLOCK, LEAST_STRETCH, RULES, Number, Tool, read_tools, tools

ROOT = Path(__file__).parents[4]
KNOWN = json.loads((ROOT / "contract/words.json").read_text())["experiments"]
NUMBERS = [(tool, one) for tool in tools().values() for one in tool.numbers]


@pytest.mark.parametrize(("tool", "one"), NUMBERS, ids=lambda one: one.name)
def test_a_number_is_repeated_by_a_case_that_the_probes_know(tool: Tool, one: Number) -> None:
    assert one.case.mechanism in KNOWN[one.case.experiment]["mechanisms"]
    of = declared()[one.case.experiment]
    parts = {f"{each.name}.{name}" for each in of.distributions for name in PERCENTILE_NAMES}
    assert one.figure in {LEAST_BLOCK, LEAST_STRETCH, *(each.name for each in of.figures), *parts}
    assert one.rule in RULES and (one.differs or not one.nearest)
    assert re.fullmatch(r"[\w-]+", one.name) and one.contains.endswith(".")
    assert all(not text.endswith(".") for text in (one.times, one.divides, one.differs, one.placement, one.over))
    assert tool.url.startswith("https://") and tool.source


def test_the_tools_that_were_asked_for_are_there() -> None:
    assert len(tools()) == 13
    assert [one.name for one in tools()["core-to-core-latency"].numbers] == ["bench-1", "bench-2", "bench-3"]


def test_a_reading_that_there_is_none_of_is_refused() -> None:
    text = (ROOT / "src/threadping/studies/reproduce/tools.toml").read_text()
    with pytest.raises(ValueError, match="There is no reading halves"):
        read_tools(text.replace('rule = "one-way"', 'rule = "halves"', 1))
