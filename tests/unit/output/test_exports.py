"""Exports: JSON, CSV, percentiles, and Bencher's format."""

import csv
import io
import json
import re
from typing import Any

import pytest
from hdrh.histogram import HdrHistogram
from jsonschema import Draft7Validator
from msgspec import Struct
from msgspec.structs import replace

from tests.conftest import make_distribution
from tests.golden.fixture import (
    ANSWER,
    APART,
    BRACKETS,
    CAS,
    DECLARED,
    MOVED,
    MUTEX,
    PAUSING,
    RELEASE,
    ROW,
    RUN,
    make_case,
)
from tests.unit.analysis.examples import QUEUE, observed, result
from tests.unit.output.printing import exported, of
from tests.unit.studies.matrix.planted import answer_of, machine
from threadping.analysis.analyse import analyse
from threadping.analysis.answer import Answer
from threadping.analysis.percentiles import Estimate
from threadping.analysis.states import StateFilter
from threadping.model.cases import Runtime, Skipped
from threadping.model.contract import Distribution, MechanismDescription, MechanismWords
from threadping.model.errors import UsageError
from threadping.model.run import NOBODY
from threadping.output.bundle import unpack_runs
from threadping.output.layout import Field, Sheet
from threadping.output.records import as_csv, as_json, records_of, sheet_of
from threadping.output.run_records import DIGITS, LONGEST_NS, bencher, percentile_distribution, run_sheets
from threadping.output.screen import RowView, only

PLANTED = answer_of(machine(4, 4, 4), trials=1)
NOTHING = replace(ANSWER, rows=(), trials=())
FEW = replace(
    ANSWER,
    rows=(ROW[CAS], ROW[MUTEX[8]]),
    trials=tuple(one for one in ANSWER.trials if one.observation.case in (CAS, MUTEX[8]))[:4],
)
OF_ROWS = ("json", "csv", "hlog")


def written(answer: Answer, *, trials: bool = False) -> list[dict[str, Any]]:
    document: dict[str, Any] = json.loads(exported(answer, "json", trials))
    lines: list[dict[str, Any]] = document["trials" if trials else "rows"]
    return lines


def table(answer: Answer, *, trials: bool = False) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(exported(answer, "csv", trials))))


@pytest.mark.parametrize("form", OF_ROWS)
@pytest.mark.parametrize("trials", [False, True])
def test_every_format_has_the_rows_that_are_wanted_and_no_other(form: str, trials: bool) -> None:
    """--subject and --state were without effect on all of them."""
    whole, part = (exported(FEW, form, trials, detail=detail) for detail in (RowView(), RowView(experiment="lock")))
    assert whole == exported(FEW, form, trials)
    assert "cas-one-line" in whole and "cas-one-line" not in part and "mutex" in part


def test_a_part_of_a_state_has_its_trials_and_those_of_no_state() -> None:
    near = only(MOVED, RowView(state=StateFilter("low")))
    far = only(MOVED, RowView(state=StateFilter("high")))
    stateless = [row for row in MOVED.rows if row.state is None]
    levels = [{row.state.core_to_core_ns for row in one.rows if row.state} for one in (near, far)]
    assert levels[0] and levels[1] and max(levels[0]) < min(levels[1])
    for one in (near, far):
        assert len(one.trials) == sum(len(row.trials if row.state else row.ended) for row in one.rows)
        assert {row.case for row in one.rows if row.state is None} == {row.case for row in stateless}


def test_a_part_of_what_names_a_folder_is_the_same_part_once_the_folder_is_gone() -> None:
    named = make_case("cas-one-line", "cpp=/home/ann/probe", APART)
    seen = [replace(one, case=named) if one.case == CAS else one for one in ANSWER.observations]
    run = replace(RUN, cases=tuple(named if case == CAS else case for case in RUN.cases))
    answer = analyse(run, seen, ANSWER.stored.pings, DECLARED)
    shown = exported(answer, "csv", detail=RowView(experiment="lock"))
    assert "/home/ann" not in shown and "cas-one-line" not in shown and "mutex" in shown


def test_a_half_pinned_case_keeps_the_place_of_each_cpu() -> None:
    half = replace(ROW[CAS], case=replace(CAS, placement=replace(CAS.placement, cpus=(None, 1))))
    assert table(of(half))[0]["cpus"] == ",1"


def test_what_is_counted_is_a_whole_number() -> None:
    seen = [observed(QUEUE, result(QUEUE))] * 6
    (line,) = written(analyse(replace(RUN, cases=(QUEUE,)), seen, (), DECLARED))
    assert json.dumps([line["batch"][name] for name in ("p50", "p99", "samples")]) == "[1, 10, 192000]"


@pytest.mark.parametrize("name", OF_ROWS)
def test_a_new_experiment_is_exported_by_its_declaration_alone(name: str) -> None:
    row = replace(ROW[MUTEX[2]], case=replace(MUTEX[2], experiment="relay"))
    answer = replace(of(row), declared={**DECLARED, "relay": DECLARED["lock"]})
    assert exported(answer, name).count("relay") == (6 if name == "hlog" else 1)


def test_a_run_comes_back_unchanged_except_for_its_host_and_folders() -> None:
    (back,) = unpack_runs(exported(ANSWER, "run").encode(), "a file")
    runtimes = (
        replace(one, command=(f"…/{one.command[0].rpartition('/')[2]}", *one.command[1:])) for one in RUN.runtimes
    )
    machine = replace(ANSWER.run.machine, hostname="")
    assert back.run == replace(ANSWER.run, id=0, owner=NOBODY, machine=machine, runtimes=tuple(runtimes))
    assert list(back.observations) == [one.observation for one in ANSWER.trials]


def test_a_trial_has_its_own_figures_and_percentiles_or_says_why_not() -> None:
    trials = written(MOVED, trials=True)
    assert len(trials) == len(MOVED.trials)
    first, second, third = [
        one for one in trials if (one["mechanism"], one["placement"]) == ("cas-one-line", "same-l3")
    ][:3]
    assert [(one["round"], one["latency_ns"]["typical"]) for one in (first, second)] == [(1, 59.274), (2, 58.08852)]
    assert [first["round_trip_ns"].get(name) for name in ("p99", "samples", "p99_range")] == [197, 10_000, None]
    assert (first["failure"], first["wall_ns"], first["counters"]["slept"]) == (None, 612_000_000, 3)
    assert third["state"] == {"before_ns": 127.5, "after_ns": 127.5, "changed": False}
    crashed = next(one for one in trials if one["failure"])
    assert (crashed["failure"]["code"], crashed["latency_ns"]) == ("crashed", None)
    cells = table(MOVED, trials=True)
    assert [one["failure.code"] for one in cells if one["mechanism"] == "[bold]lock[/]"] == ["hung", "hung"]
    assert next(one["round_trip_ns.p99"] for one in cells if one["mechanism"] == "cas-one-line") == "197.0"


@pytest.mark.parametrize("name", OF_ROWS)
def test_trials_of_an_experiment_that_is_declared_no_more_are_left_out(name: str) -> None:
    only = replace(FEW, declared={"lock": DECLARED["lock"]})
    text = exported(only, name, True)
    assert ("mutex" in text, "cas-one-line" in text) == (True, False)


# ---- HdrHistogram's formats; its Java reader reads tests/golden/run.hlog in the Java tests ----
ONE_WAY = make_distribution((1, 2_047, 5_000, 3_600_000_000_000), (3, 2, 1, 1), 4)


def test_an_interval_is_a_trial_with_its_time_and_its_case() -> None:
    trial = replace(ROW[CAS].trials[0], distributions={"round_trip_ns": ONE_WAY})
    case = replace(CAS, runtime="java-17 -XX:+A,B")
    *_, first, second = exported(of(replace(ROW[CAS], case=case, trials=(trial,))), "hlog").splitlines()
    assert first == "#[4 durations censored in the next interval]"
    tag, found = "Tag=signal/cas-one-line/java-17/-XX:+A/B/same-l3/round_trip_ns", second.rpartition(",")[2]
    assert second.startswith(f"{tag},1772357401.000,0.612,36")
    made = HdrHistogram.decode(found)
    assert [made.get_count_at_value(value) for value in ONE_WAY.values] == [3, 2, 1, 1]
    assert [made.get_lowest_equivalent_value(value) for value in (2_047, 5_003)] == [2_047, 5_000]


@pytest.mark.parametrize("answer", [of(ROW[BRACKETS]), PLANTED, NOTHING])
def test_what_was_not_timed_one_by_one_has_no_histogram(answer: Answer) -> None:
    """A heading alone is a file that HdrHistogram's tools do not read: of a matrix, of a case that failed."""
    with pytest.raises(UsageError, match=r"Nothing of this was timed one by one, .* Choose json or csv"):
        exported(answer, "hlog")


def test_a_trial_without_a_time_began_with_its_run_and_states_are_separate() -> None:
    nowhen = [replace(one.observation, started="") for one in ANSWER.trials]
    lines = exported(analyse(RUN, nowhen, (), DECLARED), "hlog").splitlines()
    assert {line.split(",")[1] for line in lines if line.startswith("Tag=")} == {"1772357400.000"}
    text = exported(replace(MOVED, rows=tuple(row for row in MOVED.rows if row.case == PAUSING)), "hlog")
    assert [text.count(f"/core-to-core/{state}/ns/") for state in ("26.2", "128")] == [3, 3]


@pytest.mark.parametrize("name", OF_ROWS)
def test_every_format_ends_its_last_line_and_takes_nothing_at_all(name: str) -> None:
    nothing = [exported(NOTHING, name), exported(NOTHING, name, True)] if name in ("json", "csv") else []
    for text in (exported(FEW, name), *nothing):
        assert text.endswith("\n")
        assert not text.endswith("\n\n")


def test_runs_runtimes_and_mechanisms_are_listed_with_the_fields_of_their_records() -> None:
    (run,) = json.loads(as_json(*run_sheets([(RUN, 96)])))["runs"]
    assert run == {**json.loads(exported(NOTHING, "json"))["run"], "hostname": "bench-7", "ended_trials": 96}
    assert not re.search("[{(]", as_csv(*run_sheets([(RUN, 96)])))
    of = (
        sheet_of("runtimes", Runtime, RUN.runtimes[:1], "own"),
        sheet_of("unusable", Skipped, RUN.skipped[3:], "budget", "cases"),
    )
    answer = json.loads(as_json(*of))
    command = ["/opt/threadping/threadping-probe"]
    assert answer["runtimes"] == [{"label": "cpp", "probe": "cpp", "command": command, "version": "g++ 12.2.0 -O3"}]
    assert answer["unusable"] == [{"what": "java-8", "reason": "its probe answered [nothing]"}]

    class MechanismInRuntime(Struct):
        mechanism: MechanismDescription
        words: MechanismWords | None

    mechanism = MechanismDescription("cas", False, ("round-trip",), True, 256, (), None, None)
    listed = sheet_of(
        "mechanisms", MechanismInRuntime, [MechanismInRuntime(mechanism, MechanismWords("Swaps.", "Spins."))]
    )
    (having,) = json.loads(as_json(listed))["mechanisms"]
    assert (having["mechanism"]["lines"], having["words"]) == (256, {"summary": "Swaps.", "costs": "Spins."})


NUMBERS = {name: {"type": "number"} for name in ("value", "lower_value", "upper_value")}
METRIC = {"type": "object", "required": ["value"], "properties": NUMBERS, "additionalProperties": False}
METRICS = {"type": "object", "minProperties": 1, "patternProperties": {"^[a-z0-9-]{1,64}$": METRIC}}
METRICS["additionalProperties"] = False
BMF = {"type": "object", "additionalProperties": False, "patternProperties": {"^.{1,1024}$": METRICS}}
"""https://bencher.dev/bmf.json, with the lengths that its page names and without what nobody would read."""


def bencher_of(answer: Answer) -> Any:
    return json.loads(bencher(answer), parse_constant=pytest.fail)


@pytest.mark.parametrize("found", [[ONE_WAY], [ONE_WAY, ONE_WAY], [make_distribution((1_000_000,), (1,))]])
def test_percentiles_are_printed_as_the_port_prints_them(found: list[Distribution]) -> None:
    port, text = HdrHistogram(1, LONGEST_NS, DIGITS), io.BytesIO()
    for one in found:
        for value, count in zip(one.values, one.counts, strict=True):
            port.record_value(value, count)
    port.output_percentile_distribution(text, 1)
    ours, theirs = percentile_distribution(found).splitlines(), text.getvalue().decode().splitlines()
    moments = next(place for place, line in enumerate(theirs) if line.startswith("#[Mean"))
    numbers = [[float(number) for number in re.findall(r"[\d.]+", one[moments])] for one in (ours, theirs)]
    assert numbers[0] == pytest.approx(numbers[1], rel=1e-12)
    assert ours[:moments] + ours[moments + 1 :] == theirs[:moments] + theirs[moments + 1 :]


@pytest.mark.parametrize("answer", [ANSWER, MOVED, of()])
def test_bencher_reads_every_answer_by_its_schema(answer: Answer) -> None:
    Draft7Validator(BMF).validate(bencher_of(answer))


def test_bencher_has_a_latency_or_a_throughput_with_its_interval_and_tails_that_samples_carry() -> None:
    found = bencher_of(of(ROW[CAS], ROW[MUTEX[2]]))
    latency, p99 = found["signal cas-one-line cpp same-l3"].values()
    headline = ROW[CAS].headline
    assert headline is not None and headline.kind
    assert latency == {"value": headline.value, "lower_value": headline.ends[0], "upper_value": headline.ends[1]}
    assert p99["value"] == 197
    assert [*found["signal cas-one-line cpp same-l3"]] == ["latency", "round-trip-p99"]
    assert [*found["lock mutex cpp same-l3"]] == ["throughput", "latency-p99"]
    few = replace(ROW[CAS], figures={name: one for name, one in ROW[CAS].figures.items() if "p99" not in name})
    assert [*bencher_of(of(few))["signal cas-one-line cpp same-l3"]] == ["latency"]
    alone = replace(ROW[CAS], figures={"latency_ns.typical": Estimate(headline.value)})
    assert "lower_value" not in bencher_of(of(alone))["signal cas-one-line cpp same-l3"]["latency"]
    assert [*bencher_of(of(ROW[RELEASE]))] == ["signal release-two-lines spin=100 java-17 -XX:+UseParallelGC same-l3"]


FIELDS: tuple[Field[dict[str, object]], ...] = tuple(
    Field(key=key, of=lambda line, key=key: line.get(key), sparse=key.startswith(("latency_ns.", "shares")))  # type: ignore[misc]
    for key in ("trials", "latency_ns.p50", "latency_ns.p99.9", "shares")
)


def test_a_sparse_entry_that_is_not_known_is_absent_and_a_group_of_none_is_null() -> None:
    found = records_of(Sheet("rows", FIELDS, [{}, {"latency_ns.p99.9": Estimate(2.0, 1.0, 3.0, "ci95"), "shares": {}}]))
    assert found == [
        {"trials": None, "latency_ns": None},
        {"trials": None, "latency_ns": {"p99.9": 2.0, "p99.9_ci95": (1.0, 3.0)}, "shares": {}},
    ]


def test_a_key_of_two_values_is_refused_as_one_would_hide_the_other() -> None:
    sheet: Sheet[Any] = Sheet("rows", FIELDS, [{"trials": 3}])
    twice: Sheet[Any] = Sheet("rows", (*FIELDS, FIELDS[0]), [{"trials": 3}])
    for write, one, facts in ((as_csv, sheet, {"trials": 4}), (as_csv, twice, {}), (as_json, sheet, {"rows": 4})):
        with pytest.raises(AssertionError, match=r"trials|rows"):
            write(one, **facts)
    with pytest.raises(AssertionError, match="trials"):
        as_json(twice)
    assert as_csv(sheet, run=4).startswith("run,trials")
