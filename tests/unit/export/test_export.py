"""What programs read: complete, exact, and honest about what is absent."""

import csv
import io
import json
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from tests.golden.fixture import (
    ADD,
    BRACKETS,
    CAS,
    CONDITION,
    DECLARED,
    MUTEX,
    OBSERVATIONS,
    PAUSING,
    ROWS,
    RUN,
)
from threadping.contract import MechanismDescription, MechanismWords
from threadping.errors import UnknownName
from threadping.export import FORMATS, export, trials
from threadping.export.listings import mechanisms_json, runs_json, runtimes_json
from threadping.model import Case, Machine


def rows_in_json() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(export("json", RUN, ROWS, DECLARED))["rows"]
    return rows


def lines(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def at(case: Case) -> int:
    return next(number for number, row in enumerate(ROWS) if row.case == case)


# ---- JSON ----


def test_json_is_one_object_of_four_parts() -> None:
    answer = json.loads(export("json", RUN, ROWS, DECLARED))
    assert list(answer) == ["run", "machine", "states", "rows"]
    assert set(answer["run"]) == {
        *("id", "started", "ended", "status", "version", "seed", "budget_s", "rounds", "arguments", "runtimes"),
        *("cases", "skipped", "note"),
    }
    assert (answer["run"]["id"], answer["run"]["cases"], answer["states"]) == (7, len(RUN.cases), [])
    assert msgspec.convert(answer["machine"], Machine) == RUN.machine


def test_a_row_says_what_its_case_is_and_has_its_figures_by_their_names() -> None:
    row = rows_in_json()[at(CAS)]
    assert {name: row[name] for name in list(row)[:15]} == {
        "experiment": "signal",
        "runtime": "cpp",
        "mechanism": "cas-one-line",
        "params": {},
        "varied": [],
        "placement": "same-l3",
        "cpus": [0, 1],
        "pin": "thread",
        "home": None,
        "warmup": "10x100k",
        "threads": 2,
        "trials": 6,
        "failed_trials": 0,
        "state": None,
        "measures": "one-way",
    }
    assert list(row["latency_ns"]) == [
        *("typical", "ci95", "range", "mean", "min", "p50", "p90", "p99", "p99.9", "max", "samples", "censored"),
    ]
    assert row["latency_ns"]["typical"] == 59.274
    assert row["latency_ns"]["range"] == [59.274 * 0.98, 59.274 * 1.02]
    assert row["latency_ns"]["p99.9"] == 1204.5
    assert row["counters"]["slept"] == 18


def test_an_interval_stands_with_its_figure_and_fewer_than_six_trials_have_a_range_only() -> None:
    rows = rows_in_json()
    assert "ci95" not in rows[at(CONDITION)]["latency_ns"]
    assert rows[at(CONDITION)]["latency_ns"]["range"] == [0.98 * 28_112.5, 1.02 * 28_112.5]
    mutex = rows[at(MUTEX[2])]
    assert mutex["ops_per_s_range"] == [14_120_000 * 0.98, 14_120_000 * 1.02]
    assert mutex["ops_per_s_range"][0] < mutex["ops_per_s_ci95"][0] < mutex["ops_per_s"] < mutex["ops_per_s_ci95"][1]
    assert mutex["lock"]["fairness"]["jain"] == 0.871


def test_what_is_not_known_is_an_absent_key_and_null_only_where_every_row_has_the_key() -> None:
    rows = rows_in_json()
    failed = rows[at(BRACKETS)]
    assert {name for name, value in failed.items() if value is None} == {
        *("home", "state", "latency_ns", "ops_per_s", "cpu_ns_per_op", "clock_cost_ns"),
    }
    assert failed["cpus"] == [None, None]
    assert "counters" not in failed
    assert list(rows[at(ADD[1])]["lock"]["fairness"]) == ["window_ns"]


def test_counts_are_integers_and_everything_else_is_not() -> None:
    text = export("json", RUN, ROWS[at(CAS) : at(CAS) + 1], DECLARED)
    assert '"samples": 60000,' in text
    assert '"lines": 1536,' in text
    assert '"steal_ns": 144000000.0,' in text


def test_a_verdict_has_its_words_and_the_facts_they_are_made_of() -> None:
    verdict = next(one for one in rows_in_json()[at(PAUSING)]["verdicts"] if one["code"] == "trials-disagree")
    assert verdict["severity"] == "warning"
    assert verdict["message"].startswith("Whole trials differ 3.3x: something changed between them")
    assert verdict["facts"] == {"fold": pytest.approx(3.1 / 0.95)}


# ---- CSV ----


def test_csv_has_a_line_a_row_and_flat_columns() -> None:
    rows = lines(export("csv", RUN, ROWS, DECLARED))
    assert len(rows) == len(ROWS)
    cas = rows[at(CAS)]
    assert list(cas)[:4] == ["run", "hostname", "experiment", "runtime"]
    assert (cas["run"], cas["hostname"], cas["cpus"], cas["params"]) == ("7", "bench-7", "0,1", "{}")
    assert (cas["latency_ns.range.lo"], cas["latency_ns.range.hi"]) == (str(59.274 * 0.98), str(59.274 * 1.02))
    assert (cas["latency_ns.p99.9"], cas["latency_ns.samples"]) == ("1204.5", "60000")
    assert cas["verdicts"] == "steal;virtualised;governor-not-performance"
    pausing = rows[at(PAUSING)]
    assert (json.loads(pausing["params"]), pausing["varied"]) == ({"wait": "pause"}, "wait")


def test_csv_leaves_empty_what_is_absent() -> None:
    failed = lines(export("csv", RUN, ROWS, DECLARED))[at(BRACKETS)]
    told = {name for name, value in failed.items() if value}
    assert told == {
        *("run", "hostname", "experiment", "runtime", "mechanism", "params", "placement", "pin", "warmup", "threads"),
        *("trials", "failed_trials", "measures", "verdicts"),
    }


def test_a_half_pinned_case_keeps_the_place_of_each_cpu() -> None:
    half = replace(ROWS[0], case=replace(CAS, placement=replace(CAS.placement, cpus=(None, 1))))
    assert lines(export("csv", RUN, [half], DECLARED))[0]["cpus"] == ",1"


def test_the_heading_depends_on_what_is_declared_and_not_on_the_run() -> None:
    headings = {export("csv", RUN, rows, DECLARED).split("\n")[0] for rows in (ROWS, ROWS[:1], ROWS[-1:], ())}
    assert len(headings) == 1
    assert {"line_ns.min", "ops_per_s_ci95.lo", "lock.fairness.jain", "home"} <= set(headings.pop().split(","))


@pytest.mark.parametrize("name", FORMATS)
def test_another_experiment_is_exported_without_a_word_about_it(name: str) -> None:
    rows = [replace(row, case=replace(row.case, experiment="relay")) for row in ROWS if row.case.experiment == "lock"]
    assert export(name, RUN, rows, {**DECLARED, "relay": DECLARED["lock"]}).count("relay") == len(rows)


# ---- trials ----


def test_a_trial_has_its_own_figures_and_percentiles_or_says_why_not() -> None:
    answer = json.loads(trials("json", RUN, OBSERVATIONS, DECLARED))
    assert list(answer) == ["run", "machine", "states", "trials"]
    told = answer["trials"]
    assert len(told) == len(OBSERVATIONS)
    of_cas = [one for one in told if one["mechanism"] == "cas-one-line" and one["placement"] == "same-l3"]
    assert [(one["round"], one["latency_ns"]["typical"]) for one in of_cas[:3]] == [
        *((1, 59.274), (2, 59.274 * 0.98), (3, 59.274 * 1.02)),
    ]
    assert of_cas[0]["latency_ns"]["p99"] == 98.5
    assert of_cas[0]["latency_ns"]["samples"] == 10_000
    assert (of_cas[0]["failure"], of_cas[0]["wall_ns"], of_cas[0]["counters"]["slept"]) == (None, 612_000_000, 3)
    assert "range" not in of_cas[0]["latency_ns"]
    crashed = next(one for one in told if one["mechanism"] == "condition" and one["failure"])
    assert (crashed["failure"]["code"], crashed["latency_ns"]) == ("crashed", None)
    assert crashed["failure"]["message"].startswith("The probe ended (signal 11")


def test_trials_in_csv_have_a_line_each() -> None:
    told = lines(trials("csv", RUN, OBSERVATIONS, DECLARED))
    assert len(told) == len(OBSERVATIONS)
    assert [one["failure.code"] for one in told if one["mechanism"] == "[bold]lock[/]"] == ["hung", "hung"]
    assert {one["verdicts"] for one in told if "verdicts" in one} == set()


def test_trials_of_an_experiment_that_is_declared_no_more_are_left_out() -> None:
    assert lines(trials("csv", RUN, OBSERVATIONS, {"lock": DECLARED["lock"]}))[0]["experiment"] == "lock"


# ---- all formats ----


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_ends_its_last_line_and_takes_nothing_at_all(name: str) -> None:
    for text in (export(name, RUN, ROWS, DECLARED), export(name, RUN, (), DECLARED), trials(name, RUN, (), DECLARED)):
        assert text.endswith("\n")


def test_an_unknown_format_names_what_there_is() -> None:
    with pytest.raises(UnknownName, match=r"Did you mean json\? Known: json, csv\."):
        export("jsn", RUN, ROWS, DECLARED)
    with pytest.raises(UnknownName, match="jsn"):
        trials("jsn", RUN, (), DECLARED)


# ---- listings ----


def test_runs_are_listed_as_an_export_tells_them() -> None:
    (told,) = json.loads(runs_json([(RUN, 96)]))["runs"]
    whole = json.loads(export("json", RUN, (), DECLARED))["run"]
    assert told == {**whole, "hostname": "bench-7", "ended_trials": 96}


def test_runtimes_and_mechanisms_are_listed_with_the_fields_of_their_records() -> None:
    answer = json.loads(runtimes_json(RUN.runtimes, RUN.skipped[3:]))
    assert answer["runtimes"][0] == {
        "label": "cpp",
        "probe": "cpp",
        "command": ["/opt/threadping/threadping-probe"],
        "version": "g++ 12.2.0 -O3",
    }
    assert answer["unusable"] == [{"what": "java-8", "reason": "its probe answered [nothing]"}]

    class Having(msgspec.Struct):
        experiment: str
        mechanism: MechanismDescription
        words: MechanismWords | None

    mechanism = MechanismDescription("cas", False, "round-trip", True, 256, (), None, None)
    answer = json.loads(mechanisms_json([Having("signal", mechanism, MechanismWords("Swaps.", "Spins."))], ()))
    assert answer["mechanisms"][0]["mechanism"]["lines"] == 256
    assert answer["mechanisms"][0]["words"] == {"summary": "Swaps.", "costs": "Spins."}
    assert answer["unusable"] == []
