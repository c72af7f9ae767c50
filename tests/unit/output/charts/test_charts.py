"""Charts: what is drawn of an answer, and what is said if nothing can be."""

import json
import re
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import cycle
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import vl_convert
from jsonschema import Draft7Validator
from msgspec.structs import replace

from tests.conftest import make_distribution
from tests.golden import calls
from tests.golden.fixture import ADD, ANSWER, CAS, DECLARED, JAVA, MACHINE, MOVED, MUTEX, ROW
from tests.unit.output.printing import of
from threadping.analysis.answer import Answer
from threadping.analysis.declaration import Row
from threadping.analysis.percentiles import Estimate
from threadping.model.cases import Placement
from threadping.model.errors import ChartRefused, OutputUnwritable
from threadping.model.run import State
from threadping.output import charts
from threadping.output.charts import MOST_CURVES, apart, coloured, curve, every, logarithmic, write_picture
from threadping.output.layout import Json
from threadping.studies.states import over_time_of

SIGNALS = tuple(row for row in ANSWER.rows if row.case.experiment == "signal")
LOCKS = tuple(row for row in ANSWER.rows if row.case.experiment == "lock")


def specification(answer: Answer) -> Json:
    return charts.page_of(answer.run, every(answer))


def within(made: Any) -> Iterator[dict[str, Any]]:
    """Every object of a specification, from the outside in."""
    if isinstance(made, dict):
        yield made
    for one in made.values() if isinstance(made, dict) else made if isinstance(made, list) else ():
        yield from within(one)


def data(made: Any, *fields: str) -> list[dict[str, Any]]:
    """Everything drawn that has these fields."""
    drawn = [datum for one in within(made) for datum in one.get("values", []) if isinstance(datum, dict)]
    return [datum for datum in drawn if set(fields) <= set(datum)]


def texts(made: Any) -> list[str]:
    """Return every title and its subtitle, from the outside in."""
    found = [one["title"] for one in within(made) if isinstance(one.get("title"), dict) and "text" in one["title"]]
    return [text for one in found for text in ("".join(one["text"]), *one.get("subtitle", ()))]


def test_every_specification_is_one() -> None:
    altair = find_spec("altair")  # which brings the schema; its own validation takes ten times as long
    assert altair and altair.submodule_search_locations
    (schema,) = Path(altair.submodule_search_locations[0]).glob("vegalite/*/schema/vega-lite-schema.json")
    vega_lite = Draft7Validator(json.loads(schema.read_bytes()))
    for made in map(specification, (MOVED, calls.ANSWER)):
        for one in within(made):
            if "values" in one:
                one["values"] = one["values"][:1]  # data may be anything, and takes long to read
        vega_lite.validate(made)


def test_every_format_comes_from_one_specification_and_the_page_needs_no_network(tmp_path: Path) -> None:
    drawn, again = tmp_path / "chart.svg", tmp_path / "again.svg"
    for path in (drawn, again):
        write_picture(specification(of(*SIGNALS)), path)
    assert drawn.read_bytes().startswith(b"<svg") and drawn.read_bytes() == again.read_bytes()
    for name in ("release-one-line", "java-17 -XX:+UseParallelGC", "99.9%", "28.3 \N{MICRO SIGN}s", "log scale"):
        assert name in drawn.read_text()
    write_picture(specification(of(ROW[CAS])), tmp_path / "chart.png")
    assert (tmp_path / "chart.png").read_bytes().startswith(b"\x89PNG")


def test_foreign_words_cannot_leave_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    in_html = vl_convert.vegalite_to_html  # which takes 3 s of CPU to enclose Vega
    monkeypatch.setattr(
        vl_convert, "vegalite_to_html", lambda made, bundle: in_html(made) if bundle else pytest.fail("Vega is loaded")
    )
    rows = [replace(ROW[one], case=replace(one, mechanism="</script><b>x", runtime="a&<b>")) for one in (CAS, MUTEX[2])]
    for ending, start in (("svg", "<svg"), ("HTML", "<!DOCTYPE html>")):
        write_picture(specification(of(*rows)), tmp_path / f"chart.{ending}")
        text = (tmp_path / f"chart.{ending}").read_text()
        assert text.startswith(start) and "</script><b>x" not in text and "\ue000" not in text
    assert "\\u003c/script>\\u003cb>x" in text


def test_without_a_figure_there_is_no_chart_and_no_file(tmp_path: Path) -> None:
    for rows in ((), [row for row in ANSWER.rows if not row.figures]):
        with pytest.raises(ChartRefused, match="no case of this run has a figure"):
            write_picture(specification(of(*rows)), tmp_path / "chart.svg")
    assert not list(tmp_path.iterdir())


def test_a_full_disk_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "full.svg").symlink_to("/dev/full")
    with pytest.raises(OutputUnwritable, match="No space left on device"):
        write_picture(specification(of(ROW[CAS])), tmp_path / "full.svg")


def test_states_and_experiments_are_below_the_machine_each_with_its_own_legend() -> None:
    made = specification(MOVED)
    found = texts(made)
    assert found[:2] == ["AMD EPYC 9B45, 2 CPUs", "run 7, 2026-03-01 09:30 UTC, threadping 0.1.0"]
    assert [one for one in found if re.match("Core|signal|Perc|lock", one)] == [
        "Core to core, CPUs 0,1: 190 reference pings",
        "signal: one-way latency",
        "Percentiles of single round trips",
        "lock: operations/s of all threads together",
    ]
    assert made["resolve"]["scale"]["color"] == "independent"
    assert not [one for one in texts(specification(ANSWER)) if one.startswith("Core")]


def test_the_data_fill_an_axis_that_has_two_ticks_or_more_and_says_that_it_is_logarithmic() -> None:
    def axis(*values: float) -> tuple[list[float], list[float]]:
        made = logarithmic("ns", values, "median")
        assert made["title"] == "median, log scale"
        return [float(one) for one in made["axis"]["values"]], made["scale"]["domain"]

    for values in ((59.3, 64.9, 0.0), (10, 10), (20.4, 100), (9.9, 1e5)):
        ticks, (first, last) = axis(*values)
        held = [value for value in values if value]
        assert len(ticks) > 1 and first < min(held) and max(held) < last
        room = (last / first) / (max(held) / min(held))
        assert room < 3  # what is beyond the data, as a factor
    assert axis(9.9, 1e5)[0] == [10, 100, 1_000, 10_000, 100_000]
    assert axis(20.4, 100)[0] == [20, 50, 100]


def test_a_mechanism_has_one_colour_and_one_mark_in_all_charts_of_a_run() -> None:
    looks = [one for one in within(specification(MOVED)) if one.get("field") == "look"]
    assert len({str(one["scale"]["domain"]) for one in looks}) == 1
    mechanisms = {row.case.mechanism for row in MOVED.rows}
    assert set(looks[0]["scale"]["domain"]) == mechanisms


def test_no_grid_runs_through_the_texts_of_a_ladder() -> None:
    (ladder, *_) = charts.charts_of(of(*SIGNALS))["signal"]
    (drawn,) = ladder.panels
    assert {one["grid"] for one in within(drawn) if "labelExpr" in one} == {False}
    guides = data(drawn, "at", "ink")
    assert {one["place"] for one in guides} == {one["place"] for one in data(drawn, "label")}


def test_many_lines_at_few_points_are_dots_on_rows() -> None:
    def locks(number: int) -> list[Row]:
        return [
            replace(ROW[MUTEX[threads]], case=replace(MUTEX[threads], mechanism=f"lock-{one}"))
            for one in range(number)
            for threads in (1, 2)
        ]

    (few,), (many,) = (charts.charts_of(of(*locks(number)))["lock"] for number in (MOST_CURVES, MOST_CURVES + 1))
    assert [one["title"]["text"] for one in few.panels] == ["cpp"]
    assert [one["title"]["text"] for one in many.panels] == ["1 thread", "2 threads"]
    assert [len(data(one, "label")) for one in many.panels] == [MOST_CURVES + 1] * 2


def test_no_two_of_56_names_look_the_same() -> None:
    looks = coloured("line:N", map(str, range(56)))
    colours, shapes = (cycle(looks[name]["scale"]["range"]) for name in ("color", "shape"))
    assert len({(next(colours), next(shapes)) for _ in range(56)}) == 56


def test_the_better_case_is_above_with_its_interval_and_its_tail() -> None:
    rungs = data(specification(of(*SIGNALS)), "tail")
    assert [(one["place"], one["mechanism"], one["written"]) for one in rungs] == [
        (0, "release-one-line wait=pause", "39.8 ns 20\u201363"),
        (1, "cas-one-line", "59.4 ns \xb12%"),
        (2, "release-two-lines spin=100", "65.1 ns"),
        (3, "condition", "28.3 \N{MICRO SIGN}s (27.6\u201328.7)"),
        (4, "cas-one-line", "6.01 ms \xb12%"),
    ]
    typical = ROW[CAS].figures["latency_ns.typical"]
    assert (rungs[1]["value"], rungs[1]["low"], rungs[1]["high"]) == (typical.value, *typical.ends)
    assert [one["tail"] for one in rungs] == [122, 197, 242, 88621, None]  # 124 samples carry no p99
    assert [one["label"] for one in rungs][::4] == ["release-one-line wait=pause, cpp", "cas-one-line, cpp, same-cpu 1"]
    assert {"Ticks are p99 of single round trips.", "Lines that name no placement are same-l3 0,1."} <= set(
        texts(specification(of(*SIGNALS)))
    )
    assert rungs[1]["about"]["p99 of single round trips"] == "197 ns \xb10%"
    (other,) = data(charts._rungs([ROW[CAS]], ROW[CAS].declared.figure("round_trip_ns.p99"), [])[0], "label", "low")
    assert other["written"].startswith("197 ns ")  # the figure that is drawn, not the headline


def test_one_trial_is_called_so_and_has_no_bar() -> None:
    one = replace(ROW[CAS], trials=ROW[CAS].trials[:1], figures={"latency_ns.typical": Estimate(60.0)})
    (rung,) = data(specification(of(one)), "tail")
    assert (rung["written"], rung["low"], rung["high"]) == ("60.0 ns (1 trial)", 60.0, 60.0)


def test_a_new_experiment_has_a_chart_by_its_declaration_alone_and_where_more_is_better_the_most_is_above() -> None:
    two = [row for row in LOCKS if row.case.groups == 2]
    rows = [replace(row, case=replace(row.case, experiment="relay"), findings=()) for row in two]
    made = specification(
        of(*rows, declared={"relay": replace(DECLARED["lock"], title="messages/s", along=None, dimensions=())})
    )
    assert "relay: messages/s" in texts(made)
    values = [one["value"] for one in data(made, "written")]
    assert values == sorted(values, reverse=True)
    assert len(values) == 4
    assert not data(made, "tail")  # a wait is no rate


EVEN = make_distribution((10, 20, 30, 40), (500, 400, 90, 10))


def test_a_curve_passes_through_the_percentiles_and_ends_where_samples_do_not_carry_it() -> None:
    path = dict(curve([EVEN, EVEN]))
    assert [path[place] for place in (1.0, 2.0, 10.0, 20.0)] == [10, 10, 20, 30]
    assert max(path) == pytest.approx(200)  # ten of both trials' samples are beyond
    assert path[max(path)] == 40
    path = dict(curve([EVEN, make_distribution((1000,), (100,))]))
    assert (path[2.0], path[max(path)]) == (40, 1000)  # every trial weighs the same
    assert curve([]) == curve([make_distribution((10,), (10,))]) == []  # so few samples make no curve


def test_curves_are_of_the_trials_of_the_best_rows_on_hdrhistograms_axis() -> None:
    slow = replace(ROW[CAS].trials[0], distributions={"round_trip_ns": make_distribution((2_000_000,), (10_000,))})
    rows = [replace(ROW[CAS], case=replace(CAS, mechanism=f"cas-{number}"), trials=(slow,)) for number in range(13)]
    made = specification(of(*rows))
    lines = data(made, "line", "y")
    assert ({one["y"] for one in lines}, len({one["line"] for one in lines})) == ({2_000_000}, MOST_CURVES)
    assert f"Percentiles of single round trips, of the {MOST_CURVES} best of 13" in texts(made)
    labels = next(one["labelExpr"] for one in within(made) if "99.9%" in one.get("labelExpr", ""))
    assert '"0%", "90%", "99%", "99.9%", "99.99%"' in labels
    untimed = [replace(row, trials=(replace(slow, distributions={}),)) for row in rows]
    assert not data(specification(of(*untimed)), "line")


def test_a_panel_for_each_runtime_with_lines_and_intervals() -> None:
    made = specification(of(*LOCKS[::-1]))
    titles = [{"text": runtime, "fontSize": 13} for runtime in ("cpp", JAVA)]
    panels = [one for one in within(made) if one.get("title", {}) in titles]
    assert [{datum["runtime"] for datum in data(one, "line")} for one in panels] == [{"cpp"}, {JAVA}]
    found = data(made, "line")
    ends = {one["line"]: one["x"] for one in found}
    assert ends == {"mutex": 8, "fetch-add": 8, "unprotected": 2, "reentrant-lock": 2}
    mutex = next(one for one in found if (one["line"], one["x"]) == ("mutex", 2))
    known = ROW[MUTEX[2]].figures["ops_per_s"]
    assert (mutex["value"], mutex["low"], mutex["high"]) == (known.value, *known.ends)
    assert {one["line"] for one in found if not one["comparable"]} == {"unprotected"}
    assert sum(not one["comparable"] for one in found) == 2  # the whole line is faint
    said = " ".join(texts(made))
    assert ("Faint lines are" in said, "more threads than the 2 CPUs" in said) == (True, True)
    alone = " ".join(texts(specification(of(ROW[MUTEX[1]], ROW[MUTEX[2]]))))
    assert ("Faint" in alone, "more threads" in alone) == (False, False)
    pairs = data(specification(calls.ANSWER), "line")
    assert {(one["line"], one["x"]) for one in pairs} == {(name, x) for name in ("futex", "pipe") for x in (1, 16)}


def test_lines_are_those_of_the_tables_and_named_by_what_tells_them_apart() -> None:
    moved = [one for one in data(specification(MOVED), "line", "x", "runtime", "value") if one["mechanism"] == "mutex"]
    assert [(one["line"], one["x"]) for one in moved] == [("mutex", n) for n in (1, 2, 8)]  # in the longest state
    free = replace(ROW[ADD[8]], case=replace(ADD[8], placement=Placement("unpinned", (None,) * 8)))
    found = data(specification(of(ROW[ADD[1]], ROW[ADD[8]], free)), "line")
    assert {one["line"] for one in found} == {"fetch-add, same-l3", "fetch-add, unpinned"}


def test_rows_that_differ_in_a_parameter_are_drawn_by_it() -> None:
    def batch(size: int) -> Row:
        case = replace(CAS, experiment="queue", mechanism="disruptor", params={"batch": size}, varied=("batch",))
        return replace(ROW[CAS], case=case, declared=DECLARED["queue"], figures={"ops_per_s": Estimate(1e6 * size)})

    made = specification(of(*map(batch, (1, 10, 100))))
    assert [(one["line"], one["x"], one["value"]) for one in data(made, "line", "value")] == [
        ("disruptor", size, 1e6 * size) for size in (1, 10, 100)
    ]
    assert "queue: messages/s that arrive, by batch" in texts(made)
    assert len(data(made, "place", "label")) == 3  # in addition to the cases by their figures


NEAR, FAR = (State((0, 1), ns, (ns, ns), share, 2) for ns, share in ((27.2, 0.7), (128.0, 0.3)))


def watched(*series: tuple[int, float, float | None, int | None]) -> Any:
    taken = [SimpleNamespace(run=run, at=at, ns=ns, state=state) for run, at, ns, state in series]
    return SimpleNamespace(cpus=(0, 1), states=[NEAR, FAR], series=taken)


def test_pings_are_drawn_over_the_time_of_their_run_in_the_colours_of_their_states() -> None:
    places = (27.2, 0), (128.0, 1), (60.0, None), (None, None), (27.2, 0)
    seen = watched(*((7, 60.0 * minute, ns, state) for minute, (ns, state) in enumerate(places)))
    made = over_time_of(MACHINE, [seen])
    near, far = "27.2 ns, 70% of the time", "128 ns, 30% of the time"
    points = [(one["x"], one["y"], one["state"]) for one in data(made, "state")]
    assert points == [(0, 27.2, near), (1, 128, far), (2, 60, "in no state"), (4, 27.2, near)]
    assert "run 7, 1970-01-01 00:00:00 to 1970-01-01 00:04:00 UTC" in texts(made)
    assert next(one["title"] for one in within(made) if one.get("field") == "x") == "minutes since the first ping"


def test_several_runs_are_adjacent_however_long_the_time_between_them() -> None:
    seen = watched((3, 0.0, 27.2, 0), (3, 10.0, 128.0, 1), (5, 9e5, 27.2, 0), (5, 9e5 + 20, 27.2, 0))
    made = over_time_of(MACHINE, [seen])
    assert [round(one["x"], 2) for one in data(made, "state")] == [0, 0.98, 1, 1.98]
    assert any('["3", "5"]' in one.get("labelExpr", "") for one in within(made))


def test_points_that_would_lie_upon_each_other_are_one_and_none_of_another_state_is_lost() -> None:
    many = [(1, at / 1000, 27.2, 0) for at in range(20_000)]
    found = data(over_time_of(MACHINE, [watched(*many, (1, 10.0, 27.2, None))]), "state")
    assert len(found) < 500
    assert [one["state"] for one in found].count("in no state") == 1


def test_without_a_ping_there_is_no_picture() -> None:
    for seen in ([], [watched((1, 0.0, None, None))]):
        with pytest.raises(ChartRefused, match="no ping has a figure"):
            over_time_of(MACHINE, seen)


LABEL = "release-one-line wait=pause, same-l3 0,1 at 10.4 ns"


def test_a_label_leaves_space_for_its_neighbour_and_keeps_both_its_ends() -> None:
    assert apart(LABEL, "14.1 ns") == {"label": LABEL, "written": "14.1 ns"}
    short = apart(LABEL, "14.1 ns (1 trial), and more")["label"]
    assert short == "release-one-lin\N{HORIZONTAL ELLIPSIS}0,1 at 10.4 ns"
    assert apart(LABEL, "14.1 ns (1 trial), and more", "14.1 ns") == {"label": LABEL, "written": "14.1 ns"}
    long = apart(LABEL, "one ratio, and many more of them" * 2)
    assert (len(long["label"]) + len(long["written"]), long["written"][-1]) == (58, "…")
