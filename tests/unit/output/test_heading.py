"""The lines above and below an answer: heading, points, coverage, doubts."""

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.golden import minute as of_a_minute
from tests.golden.fixture import BRACKETS, CAS, MOVED, MUTEX, RACE, ROW, RUN, TICKET
from tests.golden.minute import MINUTE, OBSERVATIONS, PINGS
from tests.golden.test_compare import FOUND, OF, SEVERAL
from tests.unit.analysis.test_reasons import AXES, NAMED, case, grid
from tests.unit.cli.test_commands import called
from tests.unit.output.printing import exported, flat, of, printed
from tests.unit.planning.examples import TWO_CORES, inventory, offer
from tests.unit.planning.test_budgets import MINUTE_OFFERED
from tests.unit.studies.matrix.planted import answer_of, machine
from threadping.analysis.analyse import analyse
from threadping.analysis.answer import Answer
from threadping.analysis.checks import Finding
from threadping.analysis.declaration import LATE_HEADLINE
from threadping.analysis.questions import QuestionLine, covering_order, question_lines
from threadping.conduct.pages import digest, page_of
from threadping.experiments import EXPERIMENTS, declared
from threadping.model.cases import Case
from threadping.model.contract import OUTLIERS
from threadping.model.run import Premises, Resumed
from threadping.output.charts import of_row
from threadping.output.heading import Coverage, to_resume, took, where
from threadping.output.layout import Blocks
from threadping.output.run_records import comparable_points, left_out, points_of, side_by_side_sheet
from threadping.output.screen import RowView, questions
from threadping.output.screen import tables_of as tables
from threadping.planning.cases import expand
from threadping.studies.compare.output import blocks
from threadping.studies.matrix.study import STUDY as MATRIX
from threadping.studies.matrix.study import matrix_of
from threadping.studies.survey import screen

BEGAN = "2026-03-01T09:30:00+00:00"


def test_the_duration_of_a_run_comes_from_a_steady_clock_or_is_missing() -> None:
    rows: list[tuple[dict[str, Any], str]] = [
        ({"ended": "2026-03-01T09:31:00+00:00"}, "1 min"),
        ({"ended": "2026-03-01T10:31:59+00:00"}, "1 h 2 min"),
        ({"ended": "2026-03-01T10:32:01+00:00"}, ""),  # beyond twice its budget and an hour
        ({"ended": "2026-03-01T08:30:02+00:00"}, ""),  # the clock was set back
        ({"ended": "1970-01-01T00:00:00+00:00"}, ""),
        ({"ended": "2026-03-01T08:30:02+00:00", "took_s": 42.4}, "42 s"),  # by another clock
        ({"ended": "2029-05-01T08:30:02+00:00", "took_s": 61.0}, "1 min 1 s"),  # which leaves interruptions out
        ({"ended": None}, ""),
        ({"ended": "2026-03-01T09:31:00+00:00", "took_s": float("nan")}, "1 min"),  # what a stranger's run may hold
        ({"ended": None, "took_s": float("inf")}, ""),
        ({"ended": None, "took_s": -1.0}, ""),
    ]
    for changes, expected in rows:
        assert took(replace(RUN, **{"started": BEGAN, "budget_s": 60.0, "took_s": None, **changes})) == expected


def test_what_stopped_too_soon_can_be_resumed_and_says_how_often_it_was() -> None:
    stopped = replace(RUN, id=3, status="interrupted", premises=Premises({}, (), (), (), OUTLIERS))
    assert to_resume(stopped) == to_resume(replace(stopped, status="failed"))
    assert [*to_resume(stopped)] == ["threadping runs resume 3"]
    for other in ({"id": 0}, {"status": "complete"}, {"status": "running"}, {"premises": None}):
        assert to_resume(replace(stopped, **other)) == {}
    said = [where(replace(RUN, resumed=(Resumed(BEGAN, 1, 2),) * times)).parts[1].plain for times in range(4)]
    assert said[1:] == ["resumed once", "resumed twice", "resumed 3 times"] and "resumed" not in said[0]


def names(answer: Answer) -> list[str]:
    return [one.name for one in points_of(answer)]


def test_a_point_is_named_by_what_was_measured_and_by_no_number_of_its_row() -> None:
    named = replace(ROW[MUTEX[8]], place=31)
    assert names(of(ROW[CAS], named)) == ["signal cas-one-line cpp same-l3", "lock mutex cpp 8 threads same-l3"]
    assert names(of(named, ROW[CAS])) == names(of(ROW[CAS], named))[::-1]


def test_states_of_a_case_are_near_and_far_or_numbered_from_the_nearest() -> None:
    two = [row for row in MOVED.rows if row.case == CAS]
    assert [one.state for one in points_of(of(*two))] == ["low-latency", "high-latency"]
    assert [one.state for one in points_of(of(*two, two[1]))] == ["state 1 of 3", "state 2 of 3", "state 3 of 3"]
    assert [one.state for one in points_of(of(two[1]))] == [""]


def test_cases_that_differ_in_their_cpus_alone_are_named_with_them() -> None:
    other = replace(ROW[CAS], case=replace(CAS, placement=replace(CAS.placement, cpus=(2, None))))
    assert names(of(ROW[CAS], other, ROW[MUTEX[1]])) == [
        "signal cas-one-line cpp same-l3 on 0,1",
        "signal cas-one-line cpp same-l3 on 2,any",
        "lock mutex cpp 1 thread same-cpu",
    ]


def test_a_row_without_a_figure_is_no_point_and_an_incomparable_one_is_reported() -> None:
    answer = of(ROW[CAS], ROW[BRACKETS], ROW[TICKET], ROW[RACE[2]])
    assert [one.row.case for one in points_of(answer)] == [CAS, RACE[2]]
    assert [one.row.case for one in comparable_points(answer)] == [CAS]
    assert left_out(answer, "jmh") == (
        "The format jmh leaves out 2 cases without a figure, and 1 row that must not be compared (lost-updates)."
    )
    assert left_out(of(ROW[CAS]), "jmh") == ""


def test_the_keys_of_many_runs_are_letters() -> None:
    keys = [field.key for field in side_by_side_sheet([], ["run"] * 28).fields if field.key]
    assert keys[-4:] == ["aa", "aa_to_a", "ab", "ab_to_a"]


RATES = [1_000, 10_000, 100_000]
JVMS = ["java-17", "java-21", "java-25", "java-26"]


def first(number: int, cases: Sequence[Case], *named: str) -> Coverage:
    """Return the coverage after a number of these cases: those that cover their axes."""
    taken = {cases[at] for at in covering_order(cases, named)[:number]}
    return Coverage([one for one in cases if one in taken], [one for one in cases if one not in taken])


def test_what_was_measured_is_told() -> None:
    rows: list[tuple[int, dict[str, Any], str, list[str] | None]] = [
        (
            *(8, {"runtime": JVMS, "threads": [1, 2, 3, 4]}, "measured 8 of 16: 1 and 4 threads of 4 runtimes"),
            ["2 and 3 threads: java-17, java-21, java-25 and java-26 (8 cases)"],
        ),
        (
            *(1, {"runtime": JVMS[:2], "threads": [1, 2]}, "measured 1 of 4: 1 thread of java-17"),
            ["2 threads: java-17 (1 case)", "1 and 2 threads: java-21 (2 cases)"],
        ),
        (4, {"mechanism": [*"abcdefgh"], "rate": RATES}, "measured 4 of 24: 4 mechanisms, rate=1k or 100k", None),
        (2, {"mechanism": [*"abcdefgh"]}, "measured 2 of 8: a and b", ["c, d, e and 3 more (6 cases)"]),
        (5, {"threads": [*range(1, 65)]}, "measured 5 of 64: 1 to 64 threads", ["2 to 63 threads (59 cases)"]),
        (2, {"mechanism": [*"ab"]}, "", []),
    ]
    for number, axes, clause, groups in rows:
        found = first(number, grid(**axes), *axes, "rate=")
        assert found.clause == clause
        assert groups is None or found.groups == groups


@settings(max_examples=15)
@given(AXES, st.integers(1, 9))
def test_a_list_of_what_was_left_out_has_every_case_once(axes: dict[str, list[Any]], number: int) -> None:
    found = first(number, cases := grid(**axes), *NAMED)
    counted = [int(text.rpartition("(")[2].split()[0]) for text in found.groups]
    assert sum(counted) == len(found.left_out) == len(cases) - len(found.measured)
    assert bool(found.clause) is bool(found.left_out)


def test_an_axis_that_follows_from_others_is_not_said() -> None:
    """One thread has another placement than two, and a parameter of only one mechanism adds nothing to its name."""
    cases = [case(threads=1), case(threads=2, rate=None), case(mechanism="b", threads=1, rate=7)]
    assert Coverage(cases[:1], cases[1:]).clause.endswith("1 thread of steady")


def minute(figures: Mapping[str, float], others: float | None = None) -> Answer:
    """Return the golden minute with these figures in each trial of one case, and with other programs running."""
    seen = [replace(one, others=others) for one in OBSERVATIONS]
    for place, one in enumerate(seen):
        if (one.case.experiment, one.case.title) == ("signal", "condition cpp same-l3"):
            seen[place] = replace(one, figures={**one.figures, **figures})
    return analyse(MINUTE, seen, PINGS, declared())


@cache
def late() -> Answer:
    return minute({"latency_ns.typical": 24_000.0, "headline_late": 17_000.0, "drift": -0.4})


WHOLE, LAST = "24.0 µs", "17.0 µs"


def test_both_headlines_are_in_the_line_of_a_question() -> None:
    text = printed(screen(late()), 80)
    assert re.search(rf"wake a blocked thread.*{WHOLE} last third {LAST} ✗", flat(text), re.S)
    assert f"{LAST} in the last third of the trials, {WHOLE} in all of them" in flat(text)


def test_both_headlines_are_in_the_row_and_there_is_no_unneeded_column() -> None:
    text = printed(tables(late(), RowView(experiment="signal")), 160)
    (heads,) = (one for one in text.splitlines() if "last third" in one and "median" in one)
    (line,) = (one for one in text.splitlines() if LAST in one and "same-l3" in one and "condition" in one)
    assert line[: heads.index("last third") + len("last third")].endswith(LAST)
    assert WHOLE in line
    assert "last third" not in printed(tables(minute({})), 160)


@pytest.mark.usefixtures("undrawn")
def test_both_headlines_are_exported_and_drawn() -> None:
    lines = json.loads(exported(late(), "json"))["rows"]
    found = [(one["latency_ns"]["typical"], one["last_third"]) for one in lines if one["last_third"]]
    assert found == [(24_000.0, 17_000.0)]
    cells = csv.DictReader(io.StringIO(exported(late(), "csv")))
    assert [one["last_third"] for one in cells if one["last_third"]] == ["17000.0"]
    (row,) = (one for one in late().rows if LATE_HEADLINE in one.figures)
    assert of_row(row, [row.case])["written"].endswith(f"({LAST} in the last third)")
    for text in (page_of([late()]), digest(late())):
        assert f"last third {LAST}" in text


SAID = "✗ Do not use these values: other programs used 45% of the CPU time.\n"


@pytest.mark.usefixtures("undrawn")
def test_a_machine_that_was_too_busy_is_reported_first_in_every_answer() -> None:
    busy = minute({}, others=0.45)
    for text in (printed(screen(busy), 120), printed(tables(busy), 120)):
        assert text.startswith(SAID)
    markdown = digest(busy).splitlines()
    assert (markdown[0].startswith("### "), markdown[2] == SAID.strip()) == (True, True)
    body = page_of([busy])
    assert "Do not use these values" in body[: body.index("CORE TO CORE") if "CORE TO CORE" in body else len(body)]
    (first, *_) = json.loads(exported(busy, "json"))["warnings"]
    assert (first["code"], first["level"]) == ("busy-machine", "error")


def test_the_number_of_marks_expected_by_chance_is_below_them_and_nowhere_else() -> None:
    noisy = minute({"drift": -0.4})
    assert " by chance" in printed(screen(noisy), 80)
    assert "By chance alone up to " in flat(printed(tables(noisy), 80))
    steady = [replace(one, figures={**one.figures, "drift": 0.0}) for one in OBSERVATIONS]
    assert "chance" not in printed(screen(analyse(MINUTE, steady, PINGS, declared())), 80)


def test_a_matrix_and_a_comparison_begin_with_it_too() -> None:
    found = (Finding("busy-machine", "error", {"share": 0.45}),)
    of = replace(answer_of(machine(4, 2, 4), trials=1), findings=found)
    for shown in (Blocks.of(*MATRIX.blocks(of, matrix_of(of))), blocks(replace(SEVERAL, findings=found), OF, FOUND)):
        assert printed(shown, 120).startswith(SAID)


# ---- the words of the first screen select the cases of their line ----
LINES = question_lines(of_a_minute.ANSWER)
LABELS = [one.label for one in of_a_minute.RUNTIMES]
SUBJECTS = {
    "signal a spinning thread": "signal",
    "wake a blocked thread": "signal",
    "lock and unlock": "lock",
    "wake-up call": "wakeup",
    "queue throughput": "queue",
    "queue latency": "queue",
    "release and join": "barrier",
}
"""The subject of `run` for each operation."""


def test_at_80_columns_each_of_three_runtimes_has_its_figures_and_what_is_not_shown_names_its_runtime() -> None:
    lines = [replace(one, rows={**one.rows, "rust": rows}) for one in LINES if (rows := one.rows.get("cpp"))]
    text = flat(printed(questions(lines, [*LABELS, "rust"], wide=False), 80))
    assert text.startswith("cpp p99 java-17 p99 rust signal a spinning thread")
    assert "Not shown at this width: p99 of rust, intervals of cpp, java-17, rust." in text


def typed(operation: str, label: str) -> list[str]:
    """Return the options that the words of a line ask for."""
    case, *conditions = label.split(", ")
    mechanism, *params = case.split()
    words = ["--mechanism", mechanism]
    for name, value in (param.split("=") for param in params):
        words += [f"--{name}", value]
    if "unpinned" in conditions:
        words += ["--placement", "unpinned"]
    if pairs := re.search(r"(\d+) independent pairs", operation):
        words += ["--pairs", pairs[1]]
    if threads := re.search(r"(\d+) \N{RIGHTWARDS ARROW} (\d+) threads", operation):
        words += ["--threads", f"{threads[1]},{threads[2]}"]
    if workers := re.search(r"(\d+) workers?", operation):
        words += ["--threads", str(int(workers[1]) + 1)]
    return words


@pytest.mark.parametrize("line", LINES, ids=lambda line: f"{line.operation} ({line.label})")
def test_the_words_of_a_line_select_its_cases(line: QuestionLine, monkeypatch: pytest.MonkeyPatch) -> None:
    (subject,) = (name for words, name in SUBJECTS.items() if line.operation.startswith(words))
    selection, _ = called(monkeypatch, subject, *typed(line.operation, line.label))
    offers = [offer(label, *MINUTE_OFFERED[subject, label.split("-")[0]], experiment=subject) for label in LABELS]
    here = inventory(*offers, machine=TWO_CORES, case_defaults={subject: EXPERIMENTS[subject].defaults})
    selected = {case.title for layer in expand(selection, here).layers for case in layer.cases}
    assert {row.case.title for rows in line.rows.values() for row in rows} <= selected
