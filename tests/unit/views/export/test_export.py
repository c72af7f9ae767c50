"""What programs read: exact, and honest about what is absent; what it looks like stands in tests/golden."""

import csv
import io
import json

import pytest
from msgspec import Struct
from msgspec.structs import replace

from tests.golden.fixture import CAS, DECLARED, MUTEX, OBSERVATIONS, ROW, ROWS, RUN
from threadping.contract import MechanismDescription, MechanismWords
from threadping.errors import UnknownName
from threadping.views.export import FORMATS, export, trials
from threadping.views.export.listings import mechanisms_json, runs_json, runtimes_json


def lines(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


# ---- rows ----


def test_both_formats_tell_the_same_numbers() -> None:
    signal, lock = json.loads(export("json", RUN, [ROW[CAS], ROW[MUTEX[2]]], OBSERVATIONS, DECLARED))["rows"]
    cas, mutex = lines(export("csv", RUN, [ROW[CAS], ROW[MUTEX[2]]], OBSERVATIONS, DECLARED))
    assert signal["latency_ns"]["range"] == [59.274 * 0.98, 59.274 * 1.02]
    assert (cas["latency_ns.range.lo"], cas["latency_ns.range.hi"]) == (str(59.274 * 0.98), str(59.274 * 1.02))
    assert signal["latency_ns"]["p99.9"] == float(cas["latency_ns.p99.9"]) == 1204.5
    assert lock["ops_per_s_ci95"] == [float(mutex["ops_per_s_ci95.lo"]), float(mutex["ops_per_s_ci95.hi"])]
    assert lock["lock"]["fairness"]["jain"] == float(mutex["lock.fairness.jain"]) == 0.871


def test_a_half_pinned_case_keeps_the_place_of_each_cpu() -> None:
    half = replace(ROW[CAS], case=replace(CAS, placement=replace(CAS.placement, cpus=(None, 1))))
    assert lines(export("csv", RUN, [half], OBSERVATIONS, DECLARED))[0]["cpus"] == ",1"


def test_the_heading_depends_on_what_is_declared_and_not_on_the_run() -> None:
    some = (ROWS, ROWS[:1], ROWS[-1:], ())
    headings = {export("csv", RUN, rows, OBSERVATIONS, DECLARED).split("\n")[0] for rows in some}
    assert len(headings) == 1
    assert {"line_ns.min", "ops_per_s_ci95.lo", "lock.fairness.jain", "home"} <= set(headings.pop().split(","))


@pytest.mark.parametrize("name", ["json", "csv"])
def test_another_experiment_is_exported_without_a_word_about_it(name: str) -> None:
    rows = [replace(row, case=replace(row.case, experiment="relay")) for row in ROWS if row.case.experiment == "lock"]
    assert export(name, RUN, rows, OBSERVATIONS, {**DECLARED, "relay": DECLARED["lock"]}).count("relay") == len(rows)


# ---- trials ----


def test_a_trial_has_its_own_figures_and_percentiles_or_says_why_not() -> None:
    answer = json.loads(trials("json", RUN, OBSERVATIONS, DECLARED))
    assert list(answer) == ["run", "machine", "states", "trials"]
    told = answer["trials"]
    assert len(told) == len(OBSERVATIONS)
    of_cas = [one for one in told if one["mechanism"] == "cas-one-line" and one["placement"] == "same-l3"]
    assert [(one["round"], one["latency_ns"]["typical"]) for one in of_cas[:2]] == [(1, 59.274), (2, 59.274 * 0.98)]
    assert [of_cas[0]["latency_ns"].get(name) for name in ("p99", "samples", "range")] == [98.5, 10_000, None]
    assert (of_cas[0]["failure"], of_cas[0]["wall_ns"], of_cas[0]["counters"]["slept"]) == (None, 612_000_000, 3)
    crashed = next(one for one in told if one["mechanism"] == "condition" and one["failure"])
    assert (crashed["failure"]["code"], crashed["latency_ns"]) == ("crashed", None)
    assert crashed["failure"]["message"].startswith("The probe ended (signal 11")


def test_trials_in_csv_have_a_line_each_and_no_verdicts() -> None:
    told = lines(trials("csv", RUN, OBSERVATIONS, DECLARED))
    assert len(told) == len(OBSERVATIONS)
    assert [one["failure.code"] for one in told if one["mechanism"] == "[bold]lock[/]"] == ["hung", "hung"]
    assert "verdicts" not in told[0]


def test_trials_of_an_experiment_that_is_declared_no_more_are_left_out() -> None:
    assert lines(trials("csv", RUN, OBSERVATIONS, {"lock": DECLARED["lock"]}))[0]["experiment"] == "lock"


# ---- all formats ----


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_ends_its_last_line_and_takes_nothing_at_all(name: str) -> None:
    of_rows = [export(name, RUN, rows, OBSERVATIONS, DECLARED) for rows in (ROWS, ())]
    for text in (*of_rows, trials(name, RUN, (), DECLARED)):
        assert text.endswith("\n")


def test_an_unknown_format_names_what_there_is() -> None:
    with pytest.raises(UnknownName, match=r"Did you mean json\? Known: json, csv, hgrm, hlog\."):
        export("jsn", RUN, ROWS, OBSERVATIONS, DECLARED)
    with pytest.raises(UnknownName, match="jsn"):
        trials("jsn", RUN, (), DECLARED)


# ---- listings ----


def test_runs_are_listed_as_an_export_tells_them() -> None:
    (told,) = json.loads(runs_json([(RUN, 96)]))["runs"]
    whole = json.loads(export("json", RUN, (), OBSERVATIONS, DECLARED))["run"]
    assert told == {**whole, "hostname": "bench-7", "ended_trials": 96}


def test_runtimes_and_mechanisms_are_listed_with_the_fields_of_their_records() -> None:
    answer = json.loads(runtimes_json(RUN.runtimes[:1], RUN.skipped[3:]))
    command = ["/opt/threadping/threadping-probe"]
    assert answer["runtimes"] == [{"label": "cpp", "probe": "cpp", "command": command, "version": "g++ 12.2.0 -O3"}]
    assert answer["unusable"] == [{"what": "java-8", "reason": "its probe answered [nothing]"}]

    class Having(Struct):
        experiment: str
        mechanism: MechanismDescription
        words: MechanismWords | None

    mechanism = MechanismDescription("cas", False, ("round-trip",), True, 256, (), None, None)
    answer = json.loads(mechanisms_json([Having("signal", mechanism, MechanismWords("Swaps.", "Spins."))], ()))
    assert answer["mechanisms"][0]["mechanism"]["lines"] == 256
    assert answer["mechanisms"][0]["words"] == {"summary": "Swaps.", "costs": "Spins."}
    assert answer["unusable"] == []
