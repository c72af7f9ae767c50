"""The published figures beside ours: the tables, the reasons, the claims; and JSON."""

import json
from typing import Any

import pytest
from msgspec.structs import replace
from threadping.studies.published.claims import compare, judge

from tests.unit.studies.published.examples import Planted, answer
from tests.unit.views.terminal.printing import flat, printed
from threadping.analysis.answer import Answer
from threadping.analysis.declaration import RowState
from threadping.studies.published.articles import Repeating, articles
from threadping.studies.published.sheets import fold, published_json, published_tables


def planted(experiment: str) -> dict[Repeating, Planted]:
    """Twice the first figure that each case repeats."""
    found: dict[Repeating, Planted] = {}
    for one in articles().only([experiment]).figures:
        if one.case and not one.why:
            found.setdefault(one.case, 2 * one.value)
    return found


def shown(experiment: str, found: Answer, width: int = 160) -> str:
    asked = articles().only([experiment])
    return printed(published_tables(found, compare(asked.figures, found), judge(asked.claims, found)), width)


@pytest.mark.parametrize("experiment", ["inter-thread-latency", "lock-contention", "notify-cost"])
def test_no_line_is_wider_than_the_console(experiment: str) -> None:
    found = answer(planted(experiment))
    for width in (60, 80, 120, 200):
        text = shown(experiment, found, width)
        assert experiment in text
        assert max(map(len, text.splitlines())) <= width


def test_beside_the_case_that_repeats_it_stands_what_was_published_and_ours() -> None:
    lines = [flat(line) for line in shown("lock-contention", answer(planted("lock-contention")), 200).splitlines()]
    assert lines[2:5] == [
        "lock-contention",
        "Biased Locking, OSR, and Benchmarking Fun (mechanical-sympathy, 2011-11-22)",
        "repeated by published on published here \N{PLUS-MINUS SIGN} ratio 95% interval",
    ]
    first = lines.index(
        "reentrant-lock java-17 unpinned Intel Nehalem 2.8 GHz, Fedora 15 64-bit, 2011 10.2 M 20.5 M "
        "\N{PLUS-MINUS SIGN}1% 2.00x 1.97\N{EN DASH}2.03"
    )
    other = (
        "Intel Sandy Bridge 2.0 GHz, Fedora 15 64-bit, 2011 6.04 M 20.5 M "
        "\N{PLUS-MINUS SIGN}1% 3.39x 3.34\N{EN DASH}3.44"
    )
    assert lines[first + 1] == other
    text = flat(shown("disruptor", answer(planted("disruptor"))))
    assert "throughput, publisher batches too, Intel, not named, Linux, 2011 100 M 200 M" in text


def test_a_range_stands_in_brackets_and_few_trials_are_counted() -> None:
    (one, other, *_) = planted("locked-signalling")
    text = flat(shown("locked-signalling", answer({one: [4_000.0, 4_100.0, 4_200.0], other: [9_000.0]})))
    assert "4.10 \N{MICRO SIGN}s (4.00\N{EN DASH}4.20) 2.03x" in text
    assert "9.00 \N{MICRO SIGN}s 1 trial 1.06x" in text


def test_each_state_has_its_figure() -> None:
    found = answer(planted("locked-signalling"))
    pinned, other = found.rows
    near, far = (RowState(ns, (ns, ns), 0.5) for ns in (27.0, 128.0))
    rows = (replace(pinned, state=near), replace(pinned, trials=pinned.trials[:4], state=far), other)
    text = flat(shown("locked-signalling", replace(found, rows=rows)))
    assert "published core to core here" in text
    assert text.index(" 27.0 ns 4.05") < text.index(" 128 ns 4.05")


def test_what_is_not_compared_is_counted_for_each_reason() -> None:
    text = flat(shown("network-hop", answer({})))
    assert "2 figures not compared: a hop between hosts, quoted for scale" in text
    assert "ratio" not in text
    text = flat(shown("notify-cost", answer({})))
    windows = "16 figures not compared: measured on Windows; this is Linux"
    assert f"{windows} (Java, Object.notify, 16 pairs; Java, Object.notify, 256 pairs)" in text


def test_a_claim_is_a_sentence_with_a_mark_and_why() -> None:
    sides = [side for one in articles().claims[0].holds for side in (one.ours, one.theirs)]
    for figures, mark in (
        ((60.0, 90.0), "\N{CHECK MARK} holds here"),
        ((90.0, 60.0), "\N{MULTIPLICATION SIGN} not here"),
    ):
        text = flat(shown("inter-thread-latency", answer(dict(zip(sides, figures, strict=True)))))
        assert f"What was concluded {mark}: An ordered store (lazySet) costs a hand-over nothing on x86" in text
    assert "? cannot tell: An ordered store" in flat(shown("inter-thread-latency", answer({})))


@pytest.mark.parametrize(
    ("ratio", "text"),
    [(0.00123, "0.0012x"), (0.0994, "0.099x"), (0.1, "0.10x"), (1.0, "1.00x"), (1234.0, "1,234.00x")],
)
def test_ratios_have_as_many_digits_as_say_something(ratio: float, text: str) -> None:
    assert fold(ratio) == text


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
    assert (pinned["value"], pinned["unit"], pinned["year"], pinned["ratio"]) == (
        2023.0,
        "ns",
        2011,
        pytest.approx(2.0),
    )
    ours: dict[str, Any] = {
        "value": pytest.approx(4046.0),
        "ci95": None,
        "range": [4046.0, 4046.0],
        "state": None,
        "trials": 4,
    }
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
    assert [(one["state"], one["ratio"]) for one in pinned["in_other_states"]] == [(27.0, pytest.approx(2.0))]


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
