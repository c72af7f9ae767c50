"""From the words on the command line to the answer, with the fake probe: every figure exact."""

import csv
import io
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.end_to_end.conftest import Command
from threadping.model.cases import Runtime
from threadping.probes.language import CPP, Findings
from threadping.probes.runtimes import LANGUAGES

BUDGET = ("--budget", "8s")


def test_every_output_says_the_same_and_so_does_what_was_stored(with_fake: Command) -> None:
    done = with_fake("run", *BUDGET, "--mechanism", "steady,slow", "--format", "json", "--seed", "5", rounds=6).ended()
    for said in ("4 cases", "24 trials", "about 7."):
        assert said in done.stderr
    answer = done.json
    assert set(answer) == {"run", "machine", "coverage", "states", "warnings", "notes", "rows"}
    assert (answer["run"]["seed"], answer["run"]["status"]) == (5, "complete")
    assert {(row["mechanism"], row["runtime"], row["placement"], *row["cpus"]) for row in answer["rows"]} == {
        ("steady", "cpp", "same-l3", 0, 1),
        ("slow", "cpp", "same-l3", 0, 1),
        ("slow", "cpp", "same-cpu", 1, 1),
        ("slow", "cpp", "unpinned", None, None),
    }
    steady = next(row for row in answer["rows"] if row["mechanism"] == "steady")
    assert (steady["latency_ns"]["typical"], steady["latency_ns"]["typical_ci95"]) == (100.0, [100.0, 100.0])
    assert (steady["round_trip_ns"]["p99.9"], steady["round_trip_ns"]["p99.9_ci95"]) == (400.0, [400.0, 400.0])
    assert (steady["measures"], steady["clock_cost_ns"], steady["trials"], steady["threads"]) == ("one-way", 20.0, 6, 2)
    assert (steady["ops_per_s"], steady["cpu_ns_per_op"]) == pytest.approx((1e7, 200.0))
    assert with_fake("show last --format json").json["rows"] == answer["rows"]
    listed = csv.DictReader(io.StringIO(with_fake("show --format csv").stdout))
    assert {(row["mechanism"], row["latency_ns.typical"]) for row in listed} == {
        ("steady", "100.0"),
        ("slow", "2000.0"),
        ("slow", ""),  # unpinned: a mean
    }
    ladder = with_fake("show").stdout
    assert "steady" in ladder and "slow" in ladder  # their order is another where other programs use these CPUs
    assert "one-way" in ladder.lower()
    assert "complete" in with_fake("runs list").stdout


def test_files_are_written_with_the_table_and_trials_obey_the_format(with_fake: Command, tmp_path: Path) -> None:
    asked = ("run", "signal", "--budget", "3s", "--mechanism", "steady", "--seed", "1")
    done = with_fake(*asked, "-o", "rows.csv").ended()
    assert "steady" in done.stdout
    (row,) = csv.DictReader((tmp_path / "rows.csv").read_text().splitlines())
    assert row["latency_ns.typical"] == "100.0"
    trials = with_fake("show last --trials --format json -o trials.json").json["trials"]
    assert [one["latency_ns"]["typical"] for one in trials] == [100.0] * int(row["trials"])
    assert json.loads((tmp_path / "trials.json").read_text())["trials"] == trials
    listed = list(csv.DictReader(io.StringIO(with_fake("show last --trials --format csv").stdout)))
    assert [one["round"] for one in listed] == [str(one["round"]) for one in trials]
    assert "\nTag=signal/steady/cpp" in with_fake("show --format hlog -o run.hlog").stdout
    assert (tmp_path / "run.hlog").read_text().count("\nTag=signal/steady/cpp") == len(trials)


def test_lists_are_json_too_and_only_the_run_that_is_removed_is_gone(with_fake: Command) -> None:
    def listed(what: str) -> Any:
        group, name = what.split()
        return with_fake(group, name, "--format", "json").json[name if name != "list" else "runs"]

    for _ in range(2):
        with_fake("run signal --budget 3s --mechanism steady")
    assert {(run["id"], run["status"]) for run in listed("runs list")} == {(1, "complete"), (2, "complete")}
    assert listed("info runtimes")[0]["label"] == "cpp"
    assert [one["mechanism"]["name"] for one in listed("info mechanisms")] == ["steady", "slow"]
    assert with_fake("runs rm 1").returncode == 0
    assert [run["id"] for run in listed("runs list")] == [2]


def test_names_that_are_no_utf_8_are_written_and_shown(with_fake: Command, tmp_path: Path) -> None:
    """The names belong to a chart, an answer, a report, a store and a probe; Python keeps the byte as `\udce9`."""
    os.link(tmp_path / "probes" / "threadping-probe", tmp_path / "probe\udce9")
    named = ("-o", "ch\udce9.svg", "-o", "r\udce9.json", "-o", "p\udce9.html", "--store", "s\udce9.sqlite3")
    asked = "run signal --budget 3s --mechanism steady --format json"
    done = with_fake(asked, *named, "--runtime", "cpp=./probe\udce9")
    assert (done.returncode, done.rows[0]["runtime"]) == (0, r"probe\xe9")
    assert json.loads((tmp_path / "r\udce9.json").read_text(encoding="utf-8")) == done.json
    assert r"p\xe9.html: " in done.stderr
    assert {"ch\udce9.svg", "p\udce9.html", "s\udce9.sqlite3"} < {file.name for file in tmp_path.iterdir()}
    assert with_fake("runs import", "p\udce9.html").returncode == 0


def test_a_new_language_costs_its_line(with_fake: Command, fake_probes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A probe in a third language is found, listed and measured, and nothing else knows of it."""
    shutil.copy(fake_probes / "threadping-probe", fake_probes / "threadping-probe-zig")

    def find(_environment: object, _root: object, folder: Path) -> Findings:
        return [Runtime("zig", "zig", (str(folder / "threadping-probe-zig"),), "")], []

    zig = replace(CPP, find=find, usual="zig")
    monkeypatch.setitem(LANGUAGES, "zig", zig)
    done = with_fake("run signal --mechanism steady --budget 3s --format json").ended()
    assert {row["runtime"] for row in done.json["rows"]} == {"cpp", "zig"}
    assert "zig" in with_fake("info runtimes").stdout
