"""`threadping matrix` on a planted machine: measured, shown again, exported, imported, interrupted and gone on with."""

from pathlib import Path

import pytest

from tests.end_to_end.conftest import JSON, Command, Done

PLANTED = {"FAKE_CPUS": "4", "FAKE_OF_L3": "2", "FAKE_NOISE": "0.001"}
OF_THREE = {**PLANTED, "FAKE_CPUS": "3"}
"""Three CPUs, 0 and 1 with a common L3: half as many pairs, for tests that need no more."""


@pytest.fixture
def pairs(with_fake: Command) -> Command:
    """Run threadping on three CPUs, or a machine that a test plants, with one mechanism."""

    def run(*words: str, env: dict[str, str] = OF_THREE) -> Done:
        return with_fake(*words, mechanisms="cas-one-line", env=env)

    return run


def test_a_planted_machine_is_found_shown_again_exported_and_imported(pairs: Command, tmp_path: Path) -> None:
    done = pairs("matrix --budget 60s", *JSON, env=PLANTED)
    answer = done.parsed()
    assert "Measuring 6 pairs of 4 CPUs with cas-one-line cpp, 2 at once" in done.stderr
    assert [(one["named"], one["pairs"], round(one["latency_ns"])) for one in answer["groups"]] == [
        *(("same L3", 2, 24), ("other L3", 4, 87))
    ]
    assert len(answer["cells"]) == 6 and answer["missing"] == [] and answer["parallel"]["is_used"]
    assert min(cell["trials"] for cell in answer["cells"]) >= 3
    again = pairs("show", *JSON).parsed()
    assert (again["cells"], again["run"]["id"]) == (answer["cells"], 1)
    shown = pairs("show").stdout
    assert "a same L3" in shown and "Pairs measured at once are" in shown
    assert "matrix" in pairs("runs list").stdout
    theirs = tmp_path / "theirs.csv"
    theirs.write_text(pairs("runs resume 1 --budget 1s --format core-to-core-latency", env=PLANTED).stdout)
    written = pairs("runs import theirs.csv --format core-to-core-latency").stdout
    assert written == theirs.read_text() != ""
    imported = pairs("runs import theirs.csv").stdout
    assert "core-to-core-latency, 4 CPUs." in imported and "run 1" in imported


def test_what_the_budget_cut_short_goes_on_where_it_ended(pairs: Command) -> None:
    first = pairs("matrix --budget 0.15s", *JSON).parsed()
    assert 0 < len(first["cells"]) < 3 and len(first["missing"]) == 3 - len(first["cells"])
    assert "Ended with its budget: 2 of 3 pairs not measured." in first["run"]["note"]
    assert "threadping runs resume 1" in pairs("show").stdout
    whole = pairs("runs resume 1 --budget 60s", *JSON).parsed()
    assert (whole["run"]["id"], len(whole["cells"]), whole["missing"]) == (1, 3, [])
    assert (60 < whole["run"]["budget_s"] < 62, whole["run"]["status"]) == (True, "complete")


def test_a_cpu_that_is_offline_costs_its_pairs_alone(pairs: Command) -> None:
    done = pairs("matrix --budget 60s", env={**OF_THREE, "FAKE_OFFLINE": "2"}).ended(1)
    assert "2 of 3 cases could not be measured: cas-one-line cpp same" in done.stderr
    assert "2 pairs failed, CPUs 0,2" in done.stdout and "CPU 9 cannot be used here." in done.stdout
    assert " 1 pair " in done.stdout and "2 pairs without a figure" in done.stdout


def test_a_run_shows_every_two_cpus_on_its_first_screen_and_page_and_none_of_them_as_states(
    pairs: Command, tmp_path: Path
) -> None:
    few = {**PLANTED, "FAKE_LOCKS": "mutex", "FAKE_NOISE": "0"}
    done = pairs("run --budget 5s --runtime cpp --placement same-l3 -o run.html", env=few)
    assert "4 CPUs, a ping for every two" in done.stdout and "other L3 87.0 ns" in done.stdout
    assert "One-way latency between every two CPUs, a reference ping each" in (tmp_path / "run.html").read_text()
    assert "CPUs 0,3" not in pairs("show 1 --states").stdout


def test_its_pairs_are_rows_which_every_command_reads(pairs: Command) -> None:
    for _ in range(2):
        pairs("matrix --budget 2s")
    assert len(pairs("show 1 --subject signal", *JSON).rows) >= 3
    assert pairs("show 1 --trials", *JSON).parsed()["trials"]
    rows = pairs("show 1 --subject signal").stdout
    assert "every two CPUs" in rows and "signal: one-way latency" in rows
    assert "CPUs" in pairs("compare 1 2").stdout
