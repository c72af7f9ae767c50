"""The published figures beside ours, as JSON."""

import json
from typing import Any

from msgspec.structs import replace

from tests.unit.published.examples import answer
from threadping.analysis.answer import Answer, RowState
from threadping.published.comparison import compare, judge
from threadping.published.records import articles
from threadping.views.export.published import published_json

PINNED = next(one for one in articles().figures if one.placement == "taskset -c 2,4")
FOREIGN = next(one for one in articles().figures if one.os == "macOS")
assert PINNED.case
FOUND = answer({PINNED.case: [4_046.0] * 4})


def exported(found: Answer) -> dict[str, Any]:
    judged = judge(articles().claims, found)
    whole: dict[str, Any] = json.loads(published_json(found, compare([PINNED, FOREIGN], found), judged))
    return whole


def test_an_entry_has_ours_with_its_interval_or_a_reason() -> None:
    whole = exported(FOUND)
    assert list(whole) == ["run", "machine", "states", "published", "conclusions"]
    pinned, foreign = whole["published"]
    assert (pinned["value"], pinned["unit"], pinned["year"], pinned["ratio"]) == (2023.0, "ns", 2011, 2.0)
    ours: dict[str, Any] = {"value": 4046.0, "ci95": None, "range": [4046.0, 4046.0], "state": None, "trials": 4}
    ours |= {"params": {}, "mechanism": "condition", "runtime": "java-17", "threads": 2, "lines": 256}
    assert pinned["ours"] == ours | {"placement": "same-l3", "pin": "process"}
    assert pinned["reason"] is None
    assert (foreign["ours"], foreign["ratio"], foreign["reason"]) == (None, None, "measured on macOS; this is Linux")
    assert "in_other_states" not in pinned


def test_further_states_are_there_too_that_of_most_trials_first() -> None:
    (row,) = FOUND.rows
    near, far = (RowState(ns, (ns, ns), 0.5) for ns in (27.0, 128.0))
    rows = (replace(row, trials=row.trials[:3], state=near), replace(row, state=far))
    pinned, _ = exported(replace(FOUND, rows=rows))["published"]
    assert pinned["ours"]["state"] == 128.0
    assert [(one["state"], one["ratio"]) for one in pinned["in_other_states"]] == [(27.0, 2.0)]


def test_a_claim_has_its_rule_its_verdict_and_figures() -> None:
    found = exported(FOUND)["conclusions"]
    assert [one["verdict"] for one in found] == ["cannot tell"] * 6
    assert all(one["claim"] and one["rule"] and one["why"] and one["source"] for one in found)
    release, seqcst = (side for one in articles().claims[0].holds for side in (one.ours, one.theirs))
    (lazy_set, *_) = exported(answer({release: 60.0, seqcst: 90.0}))["conclusions"]
    assert (lazy_set["verdict"], [one["mechanism"] for one in lazy_set["figures"]]) == (
        "holds here",
        ["release-one-line", "seqcst-one-line"],
    )
    assert lazy_set["figures"][0]["figure"] == "latency_ns.typical"
