"""What a comparison looks like, and the schema of its JSON. After a change: `UPDATE_GOLDEN=1 pytest tests/golden`."""

import json
from math import inf

import pytest
from msgspec.structs import replace

from tests.golden.fixture import ANSWER, APART, DECLARED, make_case
from tests.golden.test_exports import HERE, expect
from tests.unit.output.printing import printed
from threadping.analysis.answer import Observed
from threadping.analysis.declaration import metric_of
from threadping.conduct.study import written
from threadping.model.cases import Placement, Skipped
from threadping.model.errors import ChartRefused
from threadping.model.run import Comparing, Observation
from threadping.output import charts
from threadping.output.layout import Blocks
from threadping.output.printing import as_markdown
from threadping.studies.compare.output import blocks, ratio_chart
from threadping.studies.compare.study import STUDY, CompareResult, CompareStudy
from threadping.studies.compare.verdict import ComparedPair, RatioTest

FIGURE = metric_of("latency_ns.typical", DECLARED["signal"])
COMPARISONS = {
    "cas-one-line": (27.6, RatioTest(1.031, (1.025, 1.037), (1.022, 1.041), "slower", 1.012, 9, 0)),
    "release-one-line": (25.6, RatioTest(1.002, (0.995, 1.009), (0.991, 1.013), "same", 1.014, 14, 2)),
    "release-two-lines": (60.2, RatioTest(1.012, (1.01, 1.014), (1.008, 1.016), "differs", 1.006, 9, 0, ("bimodal",))),
    "add-one-line": (
        31.0,
        RatioTest(1.016, (0.998, 1.035), (0.988, 1.045), "cannot-tell", 1.04, 30, 5, ("not-steady",), 70.0),
    ),
    "futex": (
        31.0,
        RatioTest(1.04, (1.02, 1.06), (1.012, 1.068), "cannot-tell", 1.04, 30, 0, (), 70.0, direction="slower"),
    ),
    "condition": (24_200.0, RatioTest(0.82, (0.8, 0.84), (0.79, 0.85), "faster", 1.03, 4, 0)),
    "park": (None, RatioTest(None, None, None, "cannot-tell", None, 0, 3, ("failures",))),
}
FOUND = tuple(
    ComparedPair(
        make_case(name, "java-17", APART),
        make_case(name, "java-25", APART),
        FIGURE,
        (a, a * one.ratio) if a and one.ratio else (None, None),
        one,
    )
    for name, (a, one) in COMPARISONS.items()
)
WAITED = tuple(
    make_case(name, runtime, Placement("same-l3", (0, 1, 2, 3)))
    for name in ("cas-one-line", "condition")
    for runtime in ("java-17", "java-25")
)
MEASURED = tuple(case for one in FOUND for case in (one.a, one.b))
OF = Comparing("runtime", "java-17", "java-25", tuple((at, at + 1) for at in range(0, 18, 2)), "headline", 0.03)
ALONE_IN_B = Skipped("park java-25", "only java-25 has it")
RUN = replace(ANSWER.run, cases=(*MEASURED, *WAITED), skipped=(ALONE_IN_B,), study=OF)
TRIALS = tuple(Observed(Observation(1, 0, case, None, 100_000_000)) for case in MEASURED)
SEVERAL = replace(ANSWER, run=RUN, trials=TRIALS)
ALONE = replace(SEVERAL, run=replace(RUN, study=replace(OF, pairs=OF.pairs[:1])))


DECIDED = CompareResult(OF, FOUND)


def in_format(form: str, of: Comparing = OF) -> str:
    return written(STUDY, SEVERAL, CompareResult(of, FOUND), form)


def test_the_answer_comes_first_and_then_a_line_for_each_case() -> None:
    alone = printed(blocks(ALONE, ALONE.run.study, FOUND[:1]), 80)  # type: ignore[arg-type]
    shown = printed(blocks(SEVERAL, OF, FOUND), 80) + "\n" + alone
    expect(HERE / "compare.txt", shown)
    assert max(map(len, shown.splitlines())) <= 80


def test_markdown_has_what_the_screen_has() -> None:
    expect(HERE / "compare.md", in_format("markdown"))


def test_markdown_and_json_begin_with_the_verdict_and_no_foreign_name_is_markup() -> None:
    foreign = in_format("markdown", replace(OF, b="java | `rm` <b>"))
    assert foreign.startswith(
        "### threadping: 🔴 Measured 7 of 9: 2 threads of 7 mechanisms; B is slower in 1 of 7 cases;"
    )
    assert "B java \\| \\`rm\\` \\<b\\>" in foreign
    assert in_format("json").splitlines()[1].startswith('  "verdict": "Measured 7 of 9: 2 threads of')
    left_out = ["cas-one-line java-17 4 threads same-l3", "condition java-17 4 threads same-l3"]
    assert json.loads(in_format("json"))["coverage"] == {"asked": 9, "measured": 7, "left_out": left_out}


def test_show_and_the_page_begin_with_the_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CompareStudy, "read", lambda *_: DECIDED)
    assert printed(Blocks.of(*STUDY.lead(SEVERAL)), 80).splitlines()[:2] == [
        "Measured 7 of 9: 2 threads of 7 mechanisms; B is slower in 1 of 7 cases; faster",
        "in 1; same within 3% in 1; differs by less than 3% in 1; cannot tell in 3",
    ]
    (section,) = STUDY.sections(SEVERAL)
    (drawn,) = section.charts
    assert section.title == "B against A" and drawn.title.startswith("Measured 7 of 9: ")
    assert "| cas-one-line | 27.6 ns | 28.5 ns | 1.031x |" in as_markdown(section.blocks)
    assert not list(STUDY.sections(ANSWER))


def test_where_it_cannot_tell_it_says_why_and_what_would_decide() -> None:
    of = replace(ALONE, run=replace(ALONE.run, skipped=(), arguments=("compare", "lock", "--budget", "5s")))
    alone = replace(OF, pairs=OF.pairs[:1])
    shown = printed(blocks(of, alone, FOUND[3:4]))
    assert "threadping compare lock --budget 77s  to decide 3%\n" in shown
    sure = printed(blocks(of, alone, FOUND[:1]))
    assert "other programs" not in sure and "Next:" not in sure
    test = replace(FOUND[3].test, disturbed=7).undecided(["busy-machine"], "other programs used 57% of the CPU time")
    busy = printed(blocks(of, alone, [replace(FOUND[3], test=test)]))
    assert busy.startswith("cannot tell: other programs used 57% of the CPU time\n")
    assert "30 blocks, 7 left out because other programs ran" in busy
    assert "threadping compare lock --budget 5s  once the other programs have ended\n" in busy
    merged = replace(FOUND[3], test=FOUND[3].test.undecided(["coarsened"], "HotSpot merges blocks"))
    again = "threadping compare lock --budget 5s --no-coarsening  with the whole lock in both A and B\n"
    assert again in printed(blocks(of, alone, [merged]))


def test_a_case_that_shares_all_with_the_others_is_named_by_its_experiment() -> None:
    shown = printed(blocks(SEVERAL, replace(OF, what="mechanism"), FOUND[:1]))
    assert "\nsignal" in shown


def test_a_chart_has_a_dot_for_each_ratio_and_ends_at_its_border() -> None:
    drawn = charts.page_of(SEVERAL.run, [ratio_chart(SEVERAL, OF, FOUND)])
    data = drawn["vconcat"][0]["concat"][0]["data"]["values"]
    assert [round(one["value"], 3) for one in data] == [1.031, 1.002, 1.012, 1.016, 1.04, 0.82]
    with pytest.raises(ChartRefused, match="no case has a ratio yet"):
        ratio_chart(SEVERAL, OF, FOUND[-1:])


def test_no_interval_of_a_chart_ends_silently() -> None:
    """0.305x was drawn at -50%, and so was 0.452x."""
    tests = [
        RatioTest(ratio, ends, ends, "slower", None, 9, 0)
        for ratio, ends in ((0.305, (0.168, 0.452)), (0.452, (0.4, 0.5)))
    ]
    found = [replace(FOUND[0], test=one) for one in tests]
    (panel,) = (chart := ratio_chart(SEVERAL, OF, found)).panels
    assert [(one["low"], one["value"]) for one in panel["data"]["values"]] == [(0.168, 0.305), (0.4, 0.452)]
    assert not any("arrow" in one for one in chart.said)
    endless = ratio_chart(SEVERAL, OF, [replace(FOUND[0], test=replace(tests[0], decides=(0.0, inf)))])
    filters = [layer["transform"][0]["filter"] for layer in endless.panels[0]["layer"] if "transform" in layer]
    assert filters[:2] == ["datum.low < 0.2", "datum.high > 5.0"]
    assert [endless.panels[0]["data"]["values"][0][end] for end in ("low", "high")] == [0.1, 10.0]
    assert any("arrow" in one for one in endless.said)


@pytest.mark.parametrize(
    ("needs_s", "what"), [(70.0, "12m to decide 3% in all 9 cases"), (1e5, "5m to compare all 9 cases")]
)
def test_a_budget_is_named_for_all_cases_also_if_no_day_would_decide_the_open_ones(
    monkeypatch: pytest.MonkeyPatch, needs_s: float, what: str
) -> None:
    monkeypatch.setattr("threadping.studies.compare.output.first_looks_s", lambda *_: 250.0)
    still_open = replace(FOUND[3], test=replace(FOUND[3].test, needs_s=needs_s))
    shown = printed(blocks(SEVERAL, OF, (still_open,)), 120)
    assert f"threadping run --budget {what}" in " ".join(shown.split())
