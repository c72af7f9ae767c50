"""The formats of other tools, from the command to what their readers find; and what is said of a written file."""

import json
import sqlite3
import sys
from pathlib import Path

import pytest

from tests.end_to_end.conftest import Command

SIGNAL = ("run", "signal", "--budget", "6s", "--mechanism", "steady", "--placement", "same-l3")
NAME = "signal steady cpp same-l3"


@pytest.fixture(autouse=True)
def of_an_idle_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the CPU time of other programs: rows that they disturb would be left out."""
    monkeypatch.setattr("threadping.probes.machine.STAT", Path("/nowhere"))


def test_a_figure_is_the_same_in_every_format_and_in_the_view_of_the_store(
    with_fake: Command, store: Path, tmp_path: Path
) -> None:
    done = with_fake(*SIGNAL, "--format", "bencher", "-o", "rows.json", rounds=6).ended()
    measures = done.json[NAME]
    assert measures["latency"] == {"value": 100.0, "lower_value": 100.0, "upper_value": 100.0}
    assert f"rows.json: {(tmp_path / 'rows.json').stat().st_size / 1024:.1f} KiB" in done.stderr
    (row,) = json.loads((tmp_path / "rows.json").read_text())["rows"]
    assert (row["mechanism"], row["latency_ns"]["typical"]) == ("steady", 100.0)
    with sqlite3.connect(store) as database:
        query = "SELECT run, case_name, figure, value, low, high, comparable FROM threadping_series"
        assert database.execute(query).fetchall() == [(1, NAME, "latency_ns.typical", 100.0, 100.0, 100.0, 1)]


def test_a_case_without_a_figure_is_reported_if_a_format_cannot_have_it(with_fake: Command) -> None:
    asked = ("run", "signal", "--budget", "6s", "--placement", "same-l3", "--format", "bencher")
    done = with_fake(*asked, mechanisms="steady,crashes")
    assert [*done.json] == [NAME]
    assert "The format bencher leaves out 1 case without a figure." in done.stderr


def test_percentiles_are_those_of_the_library_for_each_distribution(with_fake: Command, tmp_path: Path) -> None:
    with_fake("run signal --budget 6s --mechanism steady,slow --placement same-l3")
    done = with_fake("show -o both.hgrm --format json")
    assert done.stderr.startswith("both.hgrm: ")
    _, *parts = (tmp_path / "both.hgrm").read_text().split("\n#[signal ")
    samples = {row["mechanism"]: row["round_trip_ns"]["samples"] for row in done.rows}
    assert [part.partition(" ")[0] for part in parts] == ["steady", "slow"]
    for part in parts:
        assert f"TotalCount     = {samples[part.partition(' ')[0]]:12.3f}]" in part


def test_a_run_as_import_takes_it_is_for_no_terminal(with_fake: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    assert with_fake(*SIGNAL).returncode == 0
    assert with_fake("show --format run").stdout
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    with_fake(*SIGNAL, "--format", "run").refuses("not for a terminal: write it with -o FILE.run")


def test_metrics_of_pings_are_a_file_after_each_interval_or_on_stdout_at_the_end(
    with_fake: Command, tmp_path: Path
) -> None:
    asked = ("ping", "0,1", "-c", "2", "-i", "100ms")
    done = with_fake(*asked, "--format", "prometheus", "-o", "ping.prom")
    assert (done.returncode, done.stdout) == (0, "")
    written = (tmp_path / "ping.prom").read_text()
    assert 'threadping_one_way_seconds{cpu_a="0",cpu_b="1",placement="same-l3"} 1e-07\n' in written
    assert 'threadping_pings_total{cpu_a="0",cpu_b="1",placement="same-l3"} 2\n' in written
    assert [one.name for one in tmp_path.iterdir() if "prom" in one.name] == ["ping.prom"]
    printed = with_fake(*asked, "--format", "prometheus").stdout
    assert printed.splitlines()[0] == written.splitlines()[0] and "pings_total" in printed
    table = with_fake(*asked, "-o", "ping.prom")
    assert "one way" in table.stdout
