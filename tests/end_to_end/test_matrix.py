"""`threadping matrix` on a planted machine: measured, shown again, exported, imported, interrupted and gone on with."""

import json
from pathlib import Path

from tests.end_to_end.conftest import Command

PLANTED = {"FAKE_CPUS": "4", "FAKE_OF_L3": "2", "FAKE_NOISE": "0.001"}
OF_THREE = {**PLANTED, "FAKE_CPUS": "3"}
"""Three CPUs, 0 and 1 with a common L3: half as many pairs, for tests that need no more."""


def test_a_planted_machine_is_found_shown_again_exported_and_imported(with_fake: Command, tmp_path: Path) -> None:
    done = with_fake("matrix", "--budget", "60s", "--format", "json", mechanisms="cas-one-line", env=PLANTED).ended()
    assert "Measuring 6 pairs of 4 CPUs with cas-one-line cpp, 2 at once" in done.stderr
    answer = json.loads(done.stdout)
    assert [(one["named"], one["pairs"], round(one["latency_ns"])) for one in answer["groups"]] == [
        *(("same L3", 2, 24), ("other L3", 4, 87))
    ]
    assert len(answer["cells"]) == 6 and answer["missing"] == [] and answer["parallel"]["is_used"]
    assert min(cell["trials"] for cell in answer["cells"]) >= 3
    again = json.loads(with_fake("show", "--format", "json").stdout)
    assert (again["cells"], again["run"]["id"]) == (answer["cells"], 1)
    shown = with_fake("show")
    assert "a same L3" in shown.stdout and "Pairs measured at once are" in shown.stdout
    assert "matrix" in with_fake("runs", "list").stdout
    theirs = tmp_path / "theirs.csv"
    form = ("1", "--budget", "1s", "--format", "core-to-core-latency")
    theirs.write_text(with_fake("runs", "resume", *form, mechanisms="cas-one-line", env=PLANTED).stdout)
    written = with_fake("runs", "import", str(theirs), "--format", "core-to-core-latency")
    assert written.stdout == theirs.read_text() != ""
    imported = with_fake("runs", "import", str(theirs))
    assert "core-to-core-latency, 4 CPUs." in imported.stdout and "run 1" in imported.stdout


def test_what_the_budget_cut_short_goes_on_where_it_ended(with_fake: Command) -> None:
    begun = with_fake("matrix", "--budget", "0.15s", "--format", "json", mechanisms="cas-one-line", env=OF_THREE)
    assert begun.returncode == 0
    first = json.loads(begun.stdout)
    assert 0 < len(first["cells"]) < 3 and len(first["missing"]) == 3 - len(first["cells"])
    assert "Ended with its budget: 2 of 3 pairs not measured." in first["run"]["note"]
    said = with_fake("show").stdout
    assert "threadping runs resume 1" in said
    rest = with_fake(
        "runs", "resume", "1", "--budget", "60s", "--format", "json", mechanisms="cas-one-line", env=OF_THREE
    ).ended()
    whole = json.loads(rest.stdout)
    assert (whole["run"]["id"], len(whole["cells"]), whole["missing"]) == (1, 3, [])
    assert (60 < whole["run"]["budget_s"] < 62, whole["run"]["status"]) == (True, "complete")


def test_a_cpu_that_is_offline_costs_its_pairs_alone(with_fake: Command) -> None:
    gone = {**OF_THREE, "FAKE_OFFLINE": "2"}
    done = with_fake("matrix", "--budget", "60s", mechanisms="cas-one-line", env=gone)
    assert done.returncode == 1
    assert "2 of 3 cases could not be measured: cas-one-line cpp same" in done.stderr
    assert "2 pairs failed, CPUs 0,2" in done.stdout and "CPU 9 cannot be used here." in done.stdout
    assert " 1 pair " in done.stdout and "2 pairs without a figure" in done.stdout


def test_a_run_shows_every_two_cpus_on_its_first_screen_and_page_and_none_of_them_as_states(
    with_fake: Command, tmp_path: Path
) -> None:
    few = {**PLANTED, "FAKE_LOCKS": "mutex", "FAKE_NOISE": "0"}
    page = tmp_path / "run.html"
    asked = ("--budget", "5s", "--runtime", "cpp", "--placement", "same-l3", "-o", str(page))
    done = with_fake("run", *asked, mechanisms="cas-one-line", env=few)
    assert "4 CPUs, a ping for every two" in done.stdout and "other L3 87.0 ns" in done.stdout
    assert "One-way latency between every two CPUs, a reference ping each" in page.read_text()
    assert "CPUs 0,3" not in with_fake("show", "1", "--states").stdout


def test_its_pairs_are_rows_which_every_command_reads(with_fake: Command) -> None:
    for _ in range(2):
        with_fake("matrix", "--budget", "5s", mechanisms="cas-one-line", env=OF_THREE)
    assert len(json.loads(with_fake("show", "1", "--subject", "signal", "--format", "json").stdout)["rows"]) >= 3
    assert json.loads(with_fake("show", "1", "--trials", "--format", "json").stdout)["trials"]
    rows = with_fake("show", "1", "--subject", "signal").stdout
    assert "every two CPUs" in rows and "signal: one-way latency" in rows
    assert "CPUs" in with_fake("compare", "1", "2").stdout
