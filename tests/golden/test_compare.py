"""What a comparison looks like, and the schema of its JSON. After a change: `UPDATE_GOLDEN=1 pytest tests/golden`."""

import csv
import json
from math import log

import pytest
from msgspec.structs import replace

from tests.golden.fixture import ANSWER, APART, DECLARED, make_case
from tests.golden.test_exports import HERE, expect, validator_of
from tests.unit.sheets.printing import printed
from threadping.analysis.checks import Finding
from threadping.analysis.metric import metric_of
from threadping.comparing.compare import Comparison
from threadping.comparing.compared import Compared
from threadping.errors import ChartRefused
from threadping.model.cases import Skipped
from threadping.model.studies import Comparing
from threadping.views.charts import style
from threadping.views.comparison import ABOVE, BELOW, FORMATS, ComparedEntry, comparison, drawing, ratio_chart

FIGURE = metric_of("latency_ns.typical", DECLARED["signal"])
COMPARISONS = {
    "cas-one-line": (27.6, Comparison(1.031, (1.025, 1.037), (1.022, 1.041), "slower", 1.012, 9, 0)),
    "release-one-line": (25.6, Comparison(1.002, (0.995, 1.009), (0.991, 1.013), "same", 1.014, 14, 2)),
    "release-two-lines": (60.2, Comparison(1.012, (1.01, 1.014), (1.008, 1.016), "differs", 1.006, 9, 0, ("modes",))),
    "add-one-line": (
        31.0,
        Comparison(1.016, (0.998, 1.035), (0.988, 1.045), "cannot-tell", 1.04, 30, 5, ("not-steady",), 70.0),
    ),
    "futex": (
        31.0,
        Comparison(1.04, (1.02, 1.06), (1.012, 1.068), "cannot-tell", 1.04, 30, 0, (), 70.0, direction="slower"),
    ),
    "condition": (24_200.0, Comparison(0.82, (0.8, 0.84), (0.79, 0.85), "faster", 1.03, 4, 0)),
    "park": (None, Comparison(None, None, None, "cannot-tell", None, 0, 3, ("failures",))),
}
FOUND = tuple(
    Compared(
        make_case(name, "java-17", APART),
        make_case(name, "java-25", APART),
        FIGURE,
        (a, a * one.ratio) if a and one.ratio else (None, None),
        one,
    )
    for name, (a, one) in COMPARISONS.items()
)
OF = Comparing(
    "runtime", "java-17", "java-25", tuple((2 * at, 2 * at + 1) for at in range(len(FOUND))), "headline", 0.03
)
LEFT_OUT = Skipped("12 comparisons", "too much for this budget; --budget 8m has room for them", "8m", 12)
RUN = replace(ANSWER.run, cases=tuple(case for one in FOUND for case in (one.a, one.b)), skipped=(LEFT_OUT,), study=OF)
SEVERAL = replace(ANSWER, run=RUN)


@pytest.mark.parametrize("width", [80, 120])
def test_the_answer_comes_first_and_then_a_line_for_each_case(width: int) -> None:
    alone = replace(OF, pairs=OF.pairs[:1])
    shown = (
        printed(comparison(SEVERAL, OF, FOUND), width) + "\n" + printed(comparison(SEVERAL, alone, FOUND[:1]), width)
    )
    expect(HERE / f"compare-{width}.txt", shown)
    assert max(map(len, shown.splitlines())) <= width


def test_a_comment_for_a_pull_request() -> None:
    expect(HERE / "compare.md", FORMATS["markdown"](SEVERAL, OF, FOUND))
    foreign = FORMATS["markdown"](SEVERAL, replace(OF, b="java | `rm` <b>"), FOUND)
    assert "B is `java \\| 'rm' &lt;b>`." in foreign


def test_the_schema_in_docs_is_that_of_the_types_and_every_comparison_obeys_it() -> None:
    validator, written = validator_of(ComparedEntry, "compare"), json.loads(FORMATS["json"](SEVERAL, OF, FOUND))
    validator.validate(written)
    written["comparisons"][0]["p"] = 0.01
    assert [tuple(error.path) for error in validator.iter_errors(written)] == [("comparisons", 0)]


def test_csv_has_a_line_for_each_comparison() -> None:
    lines = list(csv.DictReader(FORMATS["csv"](SEVERAL, OF, FOUND).splitlines()))
    assert [line["mechanism"] for line in lines] == list(COMPARISONS)
    first = {name: lines[0][name] for name in ("a", "b", "a_value", "ratio", "decides.lo", "decides.hi", "answer")}
    assert list(first.values()) == ["java-17", "java-25", "27.6", "1.031", "1.022", "1.041", "slower"]


@pytest.mark.parametrize(
    ("ratio", "ends", "drawn"),
    [
        (1.0, (0.99, 1.01), "    :  ─●─  :    "),
        (1.016, (0.99, 1.04), "    :  ─┼─●───   "),
        (1.2, (1.02, 1.3), f"    :   │  ──────{ABOVE}"[:16] + ABOVE),
        (None, None, "    :   │   :    "),
        (1.0, (0.0, float("inf")), f"{BELOW}───────●───────{ABOVE}"),
    ],
)
def test_an_interval_is_drawn_between_one_and_the_margins(
    ratio: float | None, ends: tuple[float, float] | None, drawn: str
) -> None:
    assert drawing(ratio, ends, 0.03, 2 * log(1.03), 17).plain == drawn


def test_where_it_cannot_tell_it_says_that_other_programs_ran_and_what_to_type() -> None:
    loaded = replace(ANSWER.rows[0], findings=(Finding("other-load", "warning", {}),))
    of = replace(SEVERAL, run=replace(RUN, skipped=(), arguments=("compare", "--budget", "5s")), rows=(loaded,))
    shown = printed(comparison(of, OF, FOUND[3:4]))
    assert "\n! other programs ran beside 1 of 1 case: threadping explain other-load 7\n" in shown
    assert "threadping compare --budget 77s  to decide 3%\n" in shown
    sure = printed(comparison(of, OF, FOUND[:1]))
    assert "other programs" not in sure and "Next:" not in sure


def test_a_case_that_shares_all_with_the_others_is_named_by_its_experiment() -> None:
    shown = printed(comparison(SEVERAL, replace(OF, what="mechanism"), FOUND[:1]))
    assert "\nsignal" in shown


def test_a_chart_has_a_dot_for_each_ratio_and_ends_at_its_border() -> None:
    drawn = style.page_of(SEVERAL.run, [ratio_chart(OF, FOUND)])
    data = drawn["vconcat"][0]["concat"][0]["data"]["values"]
    assert [round(one["value"], 3) for one in data] == [1.031, 1.002, 1.012, 1.016, 1.04, 0.82]
    with pytest.raises(ChartRefused, match="no case has a ratio yet"):
        ratio_chart(OF, FOUND[-1:])
