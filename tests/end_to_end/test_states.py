"""States of the machine through the real command: shown, and kept apart in rows."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.end_to_end.conftest import JSON, Command
from tests.golden.fixture import ANYWHERE, APART, CAS, MACHINE, RUN
from tests.unit.store.examples import a_trial, add
from threadping.model.run import Machine, ReferencePing, Resumed, Run
from threadping.probes.machine import describe_machine
from threadping.probes.runtimes import read_lscpu
from threadping.store.store import open_store

HERE = describe_machine(MACHINE.topology, read_lscpu())
BEGUN = 1_772_357_400.0
WHILE = [26.0, 27.0, 26.5, 131.0, 130.0, None, 129.0, 70.0, 27.0, 26.0]
"""Pings of CPUs that leave the low-latency state and return: one a second, each before a trial. One ping fails, and one
is in no state."""

Fill = Callable[..., Run]


@pytest.fixture
def fill(store: Path) -> Fill:
    def stored(
        pings: list[float | None] = WHILE, machine: Machine = HERE, pinned: bool = True, resumed: Sequence[Resumed] = ()
    ) -> Run:
        case = replace(CAS, placement=APART if pinned else ANYWHERE)
        with open_store(str(store)) as opened:
            run = opened.begin(replace(RUN, id=0, machine=machine, cases=(case,), resumed=(*resumed,)))
            for place, ns in enumerate(pings):
                failure = None if ns else "hung: it was killed"
                at = BEGUN + 100 * run.id + place
                opened.add_ping(run.id, ReferencePing((0, 1), at, place, ns, failure=failure))
                add(opened, run.id, a_trial(case=case, position=place))
        return run

    return stored


def test_a_run_has_its_states_its_pings_and_the_trials_that_crossed(
    with_fake: Command, fill: Fill, store: Path
) -> None:
    run = fill()
    with open_store(str(store)) as opened:
        opened.add_ping(run.id, ReferencePing((0, 7), BEGUN, 1, 300.0))  # of a CPU that is no more
    done = with_fake("show 1 --states", *JSON)
    assert (done.returncode, done.stderr) == (0, "")
    pair, unknown = done.json["pairs"]
    assert (unknown["cpus"], unknown["placement"], unknown["series"][0]["state"]) == ([0, 7], None, 0)
    counts = [pair[name] for name in ("cpus", "placement", "changes", "pings", "between", "failed")]
    assert counts == [[0, 1], "same-l3", 2, 10, 1, 1]
    assert [(state["core_to_core_ns"], state["core_to_core_ns_range"], state["pings"]) for state in pair["states"]] == [
        (26.5, [26, 27], 5),
        (130, [129, 131], 3),
    ]
    assert [one["state"] for one in pair["series"]] == [0, 0, 0, 1, 1, None, 1, None, 0, 0]
    failed = {"run": 1, "at": BEGUN + 105, "ns": None, "state": None, "failure": "hung: it was killed"}
    assert pair["series"][5] == failed
    assert pair["state_changed"] == [BEGUN + 100 + place for place in (3, 7, 8, 9)]
    text = with_fake("show last --states").stdout
    assert "CPUs 0,1 (same-l3): 10 pings, 2 states, 2 changes" in text
    assert "the state changed during 4 trials" in text


def test_where_a_run_was_resumed_nobody_had_watched(with_fake: Command, fill: Fill) -> None:
    fill([26.0, 26.0, 26.0, 130.0, 130.0], resumed=[Resumed("2026-03-01T10:00:00+00:00", 3, 3)])
    (pair,) = with_fake("show 1 --states", *JSON).json["pairs"]
    assert pair["changes"] == 0
    assert [(state["share"], state["dwell_s"]) for state in pair["states"]] == [(2 / 3, [2.0]), (1 / 3, [1.0])]


def test_without_a_run_all_of_this_machine_is_shown_and_nothing_of_another(with_fake: Command, fill: Fill) -> None:
    elsewhere = replace(HERE, hostname="elsewhere")
    for pings, machine in ((WHILE, HERE), ([300.0] * 3, elsewhere), ([27.0, 28.0, 29.0], HERE)):
        fill(pings, machine)
    (pair,) = with_fake("ping --history", *JSON).json["pairs"]
    assert [one["run"] for one in pair["series"]] == [1] * 10 + [3] * 3
    assert [(state["core_to_core_ns"], state["pings"]) for state in pair["states"]] == [(27.0, 8), (130, 3)]
    assert pair["placement"] == "same-l3"
    lines = [line.split() for line in with_fake("ping --history").stdout.splitlines()]
    assert [(line[0], line[-2:]) for line in lines[-2:]] == [("3", ["100%", "\N{EN DASH}"]), ("1", ["50%", "50%"])]


def test_a_chart_is_drawn_in_addition_to_the_output(with_fake: Command, fill: Fill, tmp_path: Path) -> None:
    fill()
    done = with_fake("show last --states -o states.svg").ended()
    assert "2 states" in done.stdout
    assert "26.5 ns, " in (tmp_path / "states.svg").read_text()


def test_without_the_probe_that_knows_the_machine_runs_can_be_shown(threadping: Command, fill: Fill) -> None:
    fill()
    nowhere = {"THREADPING_PROBES": "/nowhere"}
    assert threadping("show 1 --states", env=nowhere).returncode == 0


ASKED = ("run", "signal", "--mechanism", "cas-one-line", "--cpus", "0,1", "--budget", "4s")


def planted(folder: Path, *apart: float) -> dict[str, str]:
    file = folder / "apart"
    file.write_text("\n".join(map(str, apart)))
    return {"FAKE_APART": str(file)}


def test_rows_are_of_one_state_each_and_trials_that_crossed_are_shown_and_left_out(
    with_fake: Command, tmp_path: Path
) -> None:
    # Six trials: three low, one whose state changed (each unlike ping is taken twice), two high; each state for 0.5 s.
    env = planted(tmp_path, *[26] * 4, *[127] * 9) | {"FAKE_PAUSE": "0.3"}
    done = with_fake(*ASKED[:-1], "12s", "--format", "json", mechanisms="cas-one-line", env=env, rounds=6)
    assert done.returncode == 0
    answer = done.json
    assert [(state["cpus"], state["core_to_core_ns"]) for state in answer["states"]] == [([0, 1], 26), ([0, 1], 127)]
    near, far = answer["rows"]
    assert (near["state"]["core_to_core_ns"], near["latency_ns"]["typical"], near["trials"]) == (26, 26, 3)
    assert (far["state"]["core_to_core_ns"], far["latency_ns"]["typical"], far["trials"]) == (127, 127, 2)
    for row in (near, far):
        assert row["state_changed_trials"] == 1
    assert {"state-changed", "vcpu-migration", "topology-mismatch"} <= {note["code"] for note in answer["notes"]}
    shown = with_fake("show").stdout
    assert "CORE TO CORE   0 \N{RIGHTWARDS ARROW OVER LEFTWARDS ARROW} 1" in shown
    assert "; 1 change\n" in shown
    assert "26.0 ns \N{RIGHTWARDS ARROW} 127 ns" in with_fake("show --trials").stdout
    for only, far_too in (((), True), (("--state", "low"), False)):  # a chart has the rows that the tables have
        with_fake("show", *only, "-o", str(tmp_path / "chart.svg"))
        assert ("cas-one-line, at 127 ns" in (tmp_path / "chart.svg").read_text()) is far_too


def test_near_is_what_the_store_knows_as_near_and_a_run_says_nothing_of_others(
    with_fake: Command, tmp_path: Path
) -> None:
    with_fake(*ASKED, mechanisms="cas-one-line", env=planted(tmp_path, 127, 127, 127, *[26] * 4))
    (tmp_path / "apart.count").unlink()
    done = with_fake(*ASKED, "--state", "low", mechanisms="cas-one-line", env=planted(tmp_path, 128, 128, *[26] * 30))
    assert "waiting for the state that was asked for: CPUs 0,1 128 ns core to core" in done.stderr
    assert "127 ns" not in done.stdout
