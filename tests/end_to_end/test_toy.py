"""The price of an experiment: the smallest one there is, declared in one module, has everything the others have."""

import csv
import io
from pathlib import Path

import pytest

from tests.end_to_end.conftest import Command
from tests.fakes import toy
from threadping.cli.app import PROGRAM
from threadping.conduct.environment import PACES
from threadping.experiments import EXPERIMENTS
from threadping.options.measuring import RUN_SUBJECTS, measuring, of_subjects

TOYS = {"FAKE_TOYS": "store-add,locked-add"}
ASKED = ("run", "toy", "--budget", "5s")


@pytest.fixture(autouse=True)
def _with_its_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    """All that is changed elsewhere; the program was made of the experiments when it was imported."""
    monkeypatch.setitem(EXPERIMENTS, "toy", toy.EXPERIMENT)
    monkeypatch.setitem(PACES, "toy", toy.EXPERIMENT.pace)
    monkeypatch.setitem(RUN_SUBJECTS, "toy", toy.EXPERIMENT.help)
    command = measuring("run", **of_subjects("options.measuring.measuring", "[SUBJECT]"))
    monkeypatch.setitem(PROGRAM.commands, "run", command)


def test_it_has_a_command_a_ladder_trials_json_csv_charts_and_explanations(with_fake: Command, tmp_path: Path) -> None:
    rows = with_fake(*ASKED, "--format", "json", "-o", "toy.svg", env=TOYS, rounds=6).parsed()["rows"]
    assert [(row["mechanism"], row["ops_per_s"], row["add_ns"]["p50"]) for row in rows] == [
        ("store-add", 12e6, 50.0),
        ("locked-add", 12e6, 50.0),
    ]
    assert rows[0]["ops_per_s_ci95"] == [12e6, 12e6]
    assert rows[0]["toy"]["lost"] == 0.0
    assert "locked-add" in (tmp_path / "toy.svg").read_text()
    ladder = with_fake("show").stdout
    assert "toy: additions/s of both threads together" in ladder
    assert "12.0 M" in ladder
    assert "adds/s" in with_fake("show --trials").stdout
    listed = csv.DictReader(io.StringIO(with_fake("show --format csv").stdout))
    assert {row["add_ns.p50"] for row in listed} == {"50.0"}
    assert "lost" in with_fake("explain lost-adds").stdout
    assert "store-add" in with_fake("info mechanisms toy", env=TOYS).stdout  # its subject


def test_the_toy_is_measured_with_the_others(with_fake: Command) -> None:
    done = with_fake("run --budget 5s --format csv", mechanisms="cas-one-line", env=TOYS).ended()
    found = csv.DictReader(io.StringIO(done.stdout))
    assert {row["experiment"] for row in found} == {"signal", "toy"}
