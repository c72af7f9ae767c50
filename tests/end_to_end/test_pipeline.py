"""From the words on the command line to the answer, with the fake probe: every figure exact."""

import csv
import io
import json
import re

import pytest

from tests.end_to_end.conftest import Command

BUDGET = ("--budget", "8s")


def test_json_alone_goes_to_stdout_and_every_row_is_as_in_the_design(with_fake: Command) -> None:
    done = with_fake("run", *BUDGET, "--mechanism", "steady,slow", "--format", "json", "--seed", "5")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert set(answer) == {"run", "machine", "rows"}
    assert answer["run"]["seed"] == 5
    assert answer["run"]["status"] == "complete"
    cases = [(row["mechanism"], row["runtime"], row["placement"], row["cpus"]) for row in answer["rows"]]
    assert sorted(cases, key=str) == sorted(
        [
            ("steady", "cpp", "same-l3", [0, 1]),
            ("slow", "cpp", "same-l3", [0, 1]),
            ("slow", "cpp", "same-cpu", [1, 1]),
            ("slow", "cpp", "unpinned", [None, None]),
        ],
        key=str,
    )
    steady = next(row for row in answer["rows"] if row["mechanism"] == "steady")
    assert steady["latency_ns"] == {
        "mean": 100.0,
        "ci95": [100.0, 100.0],
        "min": 100.0,
        "p50": 100.0,
        "p90": 100.0,
        "p99": 100.0,
        "p99.9": 200.0,
        "max": 2000.0,
    }
    assert steady["measures"] == "one-way"
    assert steady["ops_per_s"] == pytest.approx(1e7)
    assert steady["cpu_ns_per_op"] == pytest.approx(200.0)
    assert steady["clock_cost_ns"] == 20.0
    assert steady["trials"] >= 3
    assert steady["threads"] == 2


def test_the_ladder_is_sorted_fastest_first_and_says_one_way(with_fake: Command) -> None:
    done = with_fake("run", *BUDGET)
    assert done.returncode == 0, done.stderr
    assert done.stdout.index("steady") < done.stdout.index("slow")
    assert re.search("one-way", done.stdout, re.IGNORECASE)
    assert "steady" not in done.stderr.split("\n")[0]


def test_the_start_says_what_will_be_measured_and_how_long_it_takes(with_fake: Command) -> None:
    stderr = with_fake("signal", *BUDGET, "--placement", "same-l3").stderr
    assert re.search(r"2 cases", stderr)
    assert re.search(r"\d+ rounds", stderr)
    assert re.search(r"\b8(\.0)? s\b", stderr)


def test_csv_has_a_line_a_case(with_fake: Command) -> None:
    done = with_fake("signal", *BUDGET, "--format", "csv", "--mechanism", "steady,slow", "--placement", "same-l3")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert {row["mechanism"]: row["latency_ns.mean"] for row in rows} == {"steady": "100.0", "slow": "2000.0"}


def test_cpus_overrule_the_placement(with_fake: Command) -> None:
    done = with_fake("signal", *BUDGET, "--cpus", "1,0", "--mechanism", "steady", "--format", "json")
    (row,) = json.loads(done.stdout)["rows"]
    assert (row["placement"], row["cpus"]) == ("same-l3", [1, 0])


def test_with_one_cpu_what_can_run_runs_and_the_rest_is_named(with_fake: Command) -> None:
    done = with_fake("signal", *BUDGET, "--mechanism", "slow", "--format", "json", env={"FAKE_CPUS": "1"})
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert {row["placement"] for row in answer["rows"]} == {"same-cpu", "unpinned"}
    assert any(item["what"] == "same-l3" and "CPU 0" in item["reason"] for item in answer["run"]["skipped"])


def test_a_stored_run_is_shown_again_exactly(with_fake: Command) -> None:
    first = with_fake("run", *BUDGET, "--format", "json")
    again = with_fake("show", "last", "--format", "json")
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["rows"] == json.loads(first.stdout)["rows"]
    assert "complete" in with_fake("list").stdout
