"""Charts: what is drawn, where labels stand, and what is said where nothing can be drawn."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from math import log10
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.conftest import make_distribution
from tests.golden.fixture import ADD, CAS, CONDITION, DECLARED, MUTEX, OBSERVATIONS, RACE, ROW, ROWS, RUN, SLICED
from threadping.contract import Distribution
from threadping.errors import ChartRefused, OutputUnwritable, UsageError
from threadping.model import Row
from threadping.views.charts import check_chart, write_chart
from threadping.views.charts.curves import MOST, curve
from threadping.views.charts.labels import spread
from threadping.views.charts.picture import specification
from threadping.views.charts.style import COLOURS, SHAPES, look, ticks

FAILED = [row for row in ROWS if not row.figures]
SIGNALS = [row for row in ROWS if row.case.experiment == "signal" and row.figures]
LOCKS = [row for row in ROWS if row.case.experiment == "lock" and row.figures]
CROWD = replace(MUTEX[8], placement=replace(MUTEX[8].placement, cpus=(0, 1) * 2048))


def write(path: Path, rows: Any = ROWS) -> str:
    write_chart(RUN, rows, OBSERVATIONS, DECLARED, path)
    return path.read_bytes().decode(errors="replace")


def drawn(rows: Any) -> dict[str, Any]:
    return specification(RUN, rows, OBSERVATIONS, DECLARED)


def within(made: Any) -> Iterator[dict[str, Any]]:
    """Every object of a specification, from the outside in."""
    if isinstance(made, dict):
        yield made
    for one in made.values() if isinstance(made, dict) else made if isinstance(made, list) else ():
        yield from within(one)


def data(made: Any) -> list[dict[str, Any]]:
    """Everything that is drawn."""
    return [datum for one in within(made) for datum in one.get("values", []) if isinstance(datum, dict)]


def titles(made: Any) -> list[str]:
    """Every title and subtitle, from the outside in."""
    told = [one["title"] for one in within(made) if isinstance(one.get("title"), dict) and "text" in one["title"]]
    return [text for one in told for text in (one["text"], *one["subtitle"])]


# ---- files ----


def test_every_format_comes_from_one_specification_and_the_page_needs_no_network(tmp_path: Path) -> None:
    for ending, start in ((".svg", "<svg"), (".png", "\N{REPLACEMENT CHARACTER}PNG"), (".HTML", "<!DOCTYPE html>")):
        text = write(tmp_path / f"chart{ending}")
        assert text.startswith(start)
        assert ("reentrant-lock" in text) == (ending != ".png")
        assert not re.search(r"<(script|link)[^>]+(src|href)=", text)
    for name in ("release-one-line wait=pause", "java-17 -XX:+UseParallelGC", "99.9%"):
        assert name in (tmp_path / "chart.svg").read_text()


def test_without_a_figure_there_is_no_chart_and_no_file(tmp_path: Path) -> None:
    for rows in ((), FAILED):
        with pytest.raises(ChartRefused, match="no case of this run has a figure"):
            write(tmp_path / "chart.svg", rows)
    assert not list(tmp_path.iterdir())


def test_an_ending_that_is_no_format_is_refused_before_anything_is_drawn(tmp_path: Path) -> None:
    for name in ("chart.pdf", "chart"):
        with pytest.raises(UsageError, match=r"\.svg, \.png, \.html.*chart"):
            write(tmp_path / name)


def test_where_it_cannot_be_written_is_said_before_and_after(tmp_path: Path) -> None:
    (tmp_path / "folder.svg").mkdir()
    for path, why in ((tmp_path / "none" / "a.svg", "there is no folder"), (tmp_path / "folder.svg", "it is a folder")):
        for attempt in (check_chart, write):
            with pytest.raises(OutputUnwritable, match=why):
                attempt(path)
    check_chart(tmp_path / "new.svg")


def test_a_disk_that_refuses_is_told_in_its_words(tmp_path: Path) -> None:
    path = tmp_path / "full.svg"
    path.symlink_to("/dev/full")
    with pytest.raises(OutputUnwritable, match="No space left on device"):
        write(path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_told(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(OutputUnwritable, match="may not be written"):
        check_chart(tmp_path / "chart.svg")


def test_only_who_draws_waits_for_altair() -> None:
    program = (
        "import sys, threadping.views.charts, threadping.views.terminal.series, threadping.views.export\n"
        "print([name for name in ('altair', 'vl_convert') if name in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "[]\n"


def test_foreign_words_cannot_leave_the_page(tmp_path: Path) -> None:
    for of in (CAS, MUTEX[2]):
        case = replace(of, mechanism="</script><b>x", runtime="a&<b>")
        rows = [replace(ROW[of], case=case)]
        for ending in ("svg", "html"):
            text = write(tmp_path / f"chart.{ending}", rows)
            assert "</script><b>x" not in text
            assert "\ue000" not in text
        assert "\\u003c/script>\\u003cb>x" in text


# ---- the picture ----


def test_experiments_stand_one_below_the_other_under_the_machine() -> None:
    made = drawn([*LOCKS, *SIGNALS])
    said = titles(made)
    assert said[:2] == ["AMD EPYC 9B45, 2 CPUs", "run 7, 2026-03-01 09:30 UTC, threadping 0.1.0"]
    assert [one for one in said if one.startswith(("signal", "lock"))] == [
        "signal: one-way latency",
        "lock: operations/s of all threads together",
    ]


def test_a_new_experiment_has_a_chart_by_its_declaration_alone() -> None:
    rows = [replace(row, case=replace(row.case, experiment="relay")) for row in LOCKS]
    for along, panels in (("threads", ["cpp", "java-17"]), (None, [])):
        relay = replace(DECLARED["lock"], title="messages/s", along=along, distributions=())
        said = titles(specification(RUN, rows, (), {"relay": relay}))
        assert said[2] == "relay: messages/s"
        assert [one for one in said if one in ("cpp", "java-17")] == panels


def test_an_axis_begins_and_ends_with_a_tick_and_holds_what_is_drawn() -> None:
    assert ticks([59.3, 64.9, 0.0]) == [50, 100]
    assert ticks([10, 10]) == [10, 20]
    assert ticks([20.4, 100]) == [20, 50, 100]
    assert ticks([9.9, 1e5]) == [1, 10, 100, 1_000, 10_000, 100_000]


# ---- how cases stand ----


def test_the_better_case_is_above_and_each_shows_its_figure_and_how_far_it_reaches() -> None:
    rungs = sorted((datum for datum in data(drawn(SIGNALS)) if "least" in datum), key=lambda datum: int(datum["line"]))
    assert [tuple(rung["told"][name] for name in ("mechanism", "value", "interval")) for rung in rungs] == [
        ("release-one-line wait=pause", "20.4 ns", "19.5\N{EN DASH}62.9"),
        ("cas-one-line", "59.3 ns", "58.3\N{EN DASH}60.2"),
        ("release-two-lines spin=100", "64.9 ns", "63.8\N{EN DASH}66.0"),
        ("condition", "28.3 \N{MICRO SIGN}s", "(27.6\N{EN DASH}28.7)"),
        ("cas-one-line", "6.00 ms", "5.90\N{EN DASH}6.10"),
    ]
    assert (rungs[1]["least"], rungs[1]["most"]) == (0.98 * 59.274, 1.02 * 59.274)
    assert rungs[1]["least"] < rungs[1]["low"] < rungs[1]["x"] < rungs[1]["high"] < rungs[1]["most"]
    assert rungs[3]["low"] == rungs[3]["high"] == rungs[3]["x"]  # five trials carry no interval


def test_where_more_is_better_the_most_is_above() -> None:
    declared = {"lock": replace(DECLARED["lock"], along=None)}
    made = specification(RUN, LOCKS, OBSERVATIONS, declared)
    values = [datum["x"] for datum in data(made) if "least" in datum]
    assert values == sorted(values, reverse=True)


def test_runtimes_have_a_colour_each_their_cases_a_shape_each_and_cases_of_the_only_runtime_both() -> None:
    rungs = [datum for datum in data(drawn(SIGNALS)) if "least" in datum]
    assert len({(one["told"]["runtime"], one["colour"]) for one in rungs}) == 3
    assert len({(one["colour"], one["shape"]) for one in rungs}) == len(SIGNALS)
    of_cpp = [row for row in SIGNALS if row.case.runtime == "cpp"]
    assert len({datum["colour"] for datum in data(drawn(of_cpp)) if "least" in datum}) == len(of_cpp) == 3


# ---- percentile curves ----

EVEN = make_distribution((10, 20, 30, 40), (500, 400, 90, 10))


def test_a_curve_passes_through_the_percentiles_and_ends_where_samples_do_not_carry_it() -> None:
    path = dict(curve([EVEN, EVEN], 2))
    assert [path[place] for place in (0.0, -log10(0.5), -log10(1 - 0.9), -log10(1 - 0.99))] == [5, 5, 10, 15]
    assert max(path) == pytest.approx(log10(2000 / 10))  # ten of both trials' samples are beyond
    assert path[max(path)] == 20


def test_every_trial_weighs_the_same_in_a_curve() -> None:
    slow = make_distribution((1000,), (100,))
    path = dict(curve([EVEN, slow], 1))
    assert path[-log10(0.5)] == 40
    assert path[max(path)] == 1000


@pytest.mark.parametrize("trials", [[], [make_distribution((10,), (10,))]])
def test_so_few_samples_make_no_curve(trials: list[Distribution]) -> None:
    assert curve(trials, 1) == []


def test_a_curve_marks_the_percentiles_that_a_table_has() -> None:
    found = [datum for datum in data(drawn(SIGNALS)) if "low" in datum and "least" not in datum]
    marks = {round(datum["x"], 3): datum["y"] for datum in found if datum["told"]["mechanism"] == "condition"}
    names = {0.301: "p50", 1.0: "p90", 1.301: "p95", 2.0: "p99", 3.0: "p99.9"}
    assert marks == {x: ROW[CONDITION].figures[f"latency_ns.{name}"] for x, name in names.items()}


def test_of_many_cases_the_best_have_a_curve_and_the_title_says_so() -> None:
    rows = [replace(ROW[CAS], case=replace(CAS, mechanism=f"cas-{number}")) for number in range(MOST + 1)]
    made = specification(RUN, rows, OBSERVATIONS, DECLARED)
    assert len({datum["name"] for datum in data(made) if "beside" in datum}) == MOST
    assert f"Percentiles of single round trips, of the {MOST} best of {MOST + 1} cases" in titles(made)


def test_without_samples_there_are_no_curves() -> None:
    untimed = [replace(one, distributions={}) for one in OBSERVATIONS]
    assert "Percentiles of single round trips" not in titles(specification(RUN, SIGNALS, untimed, DECLARED))


def test_a_curve_is_of_the_trials_of_its_row_only() -> None:
    slow = replace(OBSERVATIONS[0], distributions={"latency_ns": make_distribution((2_000_000,), (10_000,))})
    made = specification(RUN, [replace(ROW[CAS], counted=(0,))], [slow], DECLARED)
    assert {point["y"] for point in data(made) if "line" in point and "dash" in point} == {1_000_000}


# ---- how cases scale ----


def test_a_panel_for_each_runtime_with_its_lines_and_their_intervals() -> None:
    made = drawn(LOCKS)
    assert [panel["title"]["text"] for panel in made["vconcat"][0]["concat"]] == ["cpp", "java-17"]
    of_two = [datum for datum in data(made) if "told" in datum and datum["x"] == 2]
    mutex = next(datum for datum in of_two if datum["told"]["mechanism"] == "mutex")
    low, high = ROW[MUTEX[2]].intervals["ops_per_s"].ci95 or (0, 0)
    assert (mutex["y"], mutex["low"], mutex["high"]) == (14_120_000, low, high)
    told = [mutex["told"][name] for name in ("interval", "placement", "Jain", "wait p99")]
    assert told == ["13.9\N{EN DASH}14.4", "same-l3 0,1", "0.87", "1.31 \N{MICRO SIGN}s"]


def test_dashes_and_dots_say_what_a_line_does_not_do_as_others_do() -> None:
    made = drawn(LOCKS)
    dashes = {datum["told"]["mechanism"]: datum["dash"] for datum in data(made) if "dash" in datum}
    assert dashes == {"mutex": [1, 0], "reentrant-lock": [1, 0], "fetch-add": [6, 3], "unprotected": [2, 3]}
    assert "dotted: some lost" in " ".join(titles(made))
    assert "dashed: times the increment, not the wait for the lock" in " ".join(titles(made))
    alone = " ".join(titles(drawn([ROW[MUTEX[1]], ROW[MUTEX[2]]])))
    assert "dashed" not in alone
    assert "dotted" not in alone


def test_lines_end_in_their_most_threads_whatever_order_the_rows_come_in() -> None:
    ends = {datum["name"]: datum["x"] for datum in data(drawn(LOCKS[::-1])) if "beside" in datum}
    assert ends == {"mutex": 8, "fetch-add": 8, "unprotected": 2, "reentrant-lock": 2}


def test_no_two_names_look_the_same_and_one_looks_the_same_in_every_panel() -> None:
    assert len({tuple(look(at, at).values()) for at in range(56)}) == 56 == len(COLOURS) * len(SHAPES)
    twice = [*LOCKS, *(replace(row, case=replace(row.case, runtime="java-25")) for row in LOCKS)]
    looks = {(datum["name"], datum["colour"], datum["shape"]) for datum in data(drawn(twice)) if "beside" in datum}
    assert len(looks) == 4


def test_threads_are_crowded_where_they_outnumber_the_cpus_they_may_use() -> None:
    def said(*rows: Row) -> set[str]:
        return {datum["said"] for datum in data(drawn(rows)) if "said" in datum}

    free = replace(ADD[8], placement=replace(ADD[8].placement, name="unpinned", cpus=(None,) * 8))
    assert said(ROW[MUTEX[2]], ROW[MUTEX[8]]) == {"more threads than 2 CPUs"}
    assert said(ROW[MUTEX[1]], ROW[MUTEX[2]]) == {"a CPU for every thread"}
    assert said(replace(ROW[ADD[8]], case=free)) == {"more threads than 2 CPUs"}


@pytest.mark.parametrize("case", [CAS, SLICED, MUTEX[1], RACE[2], CROWD])
def test_a_single_case_is_a_chart_too(case: Any, tmp_path: Path) -> None:
    row = replace(ROW[MUTEX[8] if case is CROWD else case], case=case)
    assert case.mechanism in write(tmp_path / "chart.svg", [row])


# ---- labels ----


def test_labels_stay_where_they_have_room_and_move_apart_around_their_middle_where_they_touch() -> None:
    assert spread([100, 10, 50], 15, 0, 400) == [100, 10, 50]
    assert spread([100, 100], 10, 0, 400) == [95, 105]
    assert spread([100, 104, 300], 10, 0, 400) == [97, 107, 300]
    assert spread([0, 0], 10, 0, 400) == [0, 10]
    assert spread([400, 399], 10, 0, 400) == [400, 390]


@given(st.lists(st.floats(0, 400), max_size=25), st.floats(1, 16))
def test_labels_never_touch_nor_leave_nor_change_their_order(wanted: list[float], gap: float) -> None:
    placed = spread(wanted, gap, 0, 400)
    order = sorted(range(len(wanted)), key=lambda index: wanted[index])
    in_order = [placed[index] for index in order]
    assert all(after - before >= gap - 1e-6 for before, after in pairwise(in_order))
    assert all(-1e-6 <= place <= 400 + 1e-6 for place in placed)
