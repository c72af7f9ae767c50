"""The published figures beside ours, as JSON."""

import json
from typing import Any

from msgspec.structs import replace

from tests.unit.published.examples import measured
from threadping.analysis.states import NO_STATES
from threadping.model import State
from threadping.published import conclusions
from threadping.published.catalogue import Repetition, repetition
from threadping.published.comparison import Measured, compare
from threadping.published.records import figures
from threadping.views.export.published import published_json

PINNED = next(one for one in figures() if one.placement == "taskset -c 2,4")
FOREIGN = next(one for one in figures() if one.os == "macOS")
REPEATS = repetition(PINNED)
assert isinstance(REPEATS, Repetition)
FOUND = measured({REPEATS: 4_046.0})


def told(found: Measured) -> dict[str, Any]:
    judged = conclusions.judge(conclusions.CONCLUSIONS, found)
    answer: dict[str, Any] = json.loads(published_json(found.run, NO_STATES, compare([PINNED, FOREIGN], found), judged))
    return answer


def test_an_entry_has_ours_with_its_interval_or_a_reason() -> None:
    answer = told(FOUND)
    assert list(answer) == ["run", "machine", "states", "published", "conclusions"]
    pinned, foreign = answer["published"]
    assert (pinned["value"], pinned["unit"], pinned["year"], pinned["ratio"]) == (2023.0, "ns", 2011, 2.0)
    assert pinned["reason"] is None
    ours = pinned["ours"]
    assert ours["value"] == 4046.0
    assert ours["range"][0] < ours["ci95"][0] < 4046 < ours["ci95"][1] < ours["range"][1]
    assert (ours["state"], ours["trials"], ours["mechanism"], ours["pin"]) == (None, 6, "condition", "process")
    assert (foreign["ours"], foreign["ratio"], foreign["reason"]) == (None, None, "measured on macOS; this is Linux")
    assert "in_other_states" not in pinned


def test_further_states_are_told_too() -> None:
    near, far = (State((0, 1), ns, (ns, ns), 0.5, 12) for ns in (27.0, 128.0))
    (row,) = FOUND.rows
    rows = [replace(row, trials=5, states=(near,)), replace(row, trials=9, states=(far,))]
    pinned, _ = told(replace(FOUND, rows=rows))["published"]
    assert pinned["ours"]["state"] == 128.0
    assert [(one["state"], one["ratio"]) for one in pinned["in_other_states"]] == [(27.0, 2.0)]


def test_a_conclusion_has_its_rule_its_verdict_and_figures() -> None:
    found = told(FOUND)["conclusions"]
    assert len(found) == 6
    assert {one["verdict"] for one in found} == {"cannot tell"}
    assert all(one["claim"] and one["rule"] and one["why"] and one["source"] for one in found)
