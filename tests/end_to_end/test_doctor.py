"""`doctor` from its arguments to its exit code, by a probe whose gaps and wake-ups are planted."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.end_to_end.conftest import JSON, Command
from tests.unit.studies.doctor.examples import ANSWER
from threadping.store.store import open_store

ABLE = {"FAKE_CLOCKS": "clock-monotonic", "FAKE_CALLS": "condition"}
QUIET = {**ABLE, "FAKE_GAPS_NS": "2000x20", "FAKE_WAKE_NS": "9000"}
LATE = {**ABLE, "FAKE_GAPS_NS": "2000x20,4000000x1", "FAKE_WAKE_NS": "9000"}


def test_a_quiet_machine_is_fit_and_exit_code_and_screen_say_so(with_fake: Command) -> None:
    done = with_fake("doctor", env=QUIET).ended()
    assert "\N{CHECK MARK} Fit for latency." in done.stdout
    found = with_fake("doctor", *JSON, env=QUIET).parsed()
    effects = {one["effect"]: one for one in found["effects"]}
    assert (found["health"], found["purpose"], found["limit_ns"]) == ("fit", "latency", None)
    assert [effects["wake.1ms"][name] for name in ("value", "without", "limit")] == [9_000, 9_000, 50_000]
    assert effects["late"]["value"] == pytest.approx((20 * 2_000 - 35_000) / 20)
    assert {one["cpu"] for one in found["cpus"]} == {0, 1} and "clock_source" in found["signs"]


def test_a_late_machine_is_unfit_for_latency_and_for_benchmarks_but_not_by_a_limit_of_ones_own(
    with_fake: Command,
) -> None:
    found = with_fake("doctor", env=LATE)
    assert found.returncode == 3 and "Unfit for latency: unexplained-stalls." in found.stdout
    said = with_fake("explain unexplained-stalls 1", env=LATE)
    assert "kernel counts nothing that explains it" in said.stdout and "has none" not in said.stdout
    assert "Run 1 has none." in with_fake("explain idle-halt 1", env=LATE).stdout
    assert with_fake("doctor --purpose benchmark", env=LATE).returncode == 3
    by_itself = with_fake("doctor --purpose benchmark --latency max=10ms", *JSON, env=LATE).json
    of_late = {one["effect"]: one["verdict"] for one in by_itself["effects"]}
    assert of_late["late"] == "fit"


def test_since_says_what_has_changed_and_a_remedy_that_made_it_worse_is_called_so(with_fake: Command) -> None:
    assert with_fake("doctor", env=QUIET).returncode == 0
    slower = {**QUIET, "FAKE_WAKE_NS": "18000"}
    later = with_fake("doctor --since last", *JSON, env=slower).json
    changes = {one["effect"]: one["change"] for one in later["effects"]}
    assert (changes["wake.1ms"], changes["late"], later["earlier_run"]) == ("worse", "same", 1)
    back = with_fake("doctor --since 2", env=QUIET)
    assert back.returncode == 0 and "better" in back.stdout
    again = with_fake("show 3", env=QUIET)
    assert again.returncode == 0 and "Fit for latency." in again.stdout


def test_a_check_up_of_another_machine_is_held_against_nothing(with_fake: Command, store: Path) -> None:
    elsewhere = replace(ANSWER.stored, run=replace(ANSWER.run, machine=replace(ANSWER.run.machine, cpu_model="Other")))
    with open_store(str(store)) as opened:
        opened.take(elsewhere)
    with_fake("doctor --since 1", env=QUIET).refuses("Run 1 is of another machine (Other), and --since takes")
    with_fake("doctor --since last", env=QUIET).refuses("--since needs an earlier doctor run")


def test_one_cpu_is_examined_alone(with_fake: Command) -> None:
    found = with_fake("doctor --cpus 1", *JSON, env=QUIET).json
    assert [one["cpu"] for one in found["cpus"]] == [1]
    late = next(one for one in found["effects"] if one["effect"] == "late")
    assert late["without"] is None and found["health"] == "fit"


def test_of_many_cpus_all_are_looked_at_at_once_and_some_alone(with_fake: Command) -> None:
    found = with_fake("doctor --budget 9s", *JSON, env={**QUIET, "FAKE_CPUS": "64"}).parsed()
    assert len(found["cpus"]) == 8
    assert any("56 CPUs alone" in one["what"] for one in found["run"]["skipped"])
