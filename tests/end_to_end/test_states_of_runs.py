"""States of the machine in the real command's answers: the fake probe says how far its CPUs stand apart."""

import json
from pathlib import Path

from tests.end_to_end.conftest import Command, rows

CAS = ("signal", "--mechanism", "cas-one-line", "--cpus", "0,1", "--budget", "4s")


def planted(folder: Path, *apart: float) -> dict[str, str]:
    """What the pings of a run tell, one after the other."""
    file = folder / "apart"
    file.write_text("\n".join(map(str, apart)))
    return {"FAKE_APART": str(file)}


def test_rows_are_of_one_state_each_and_trials_that_crossed_are_shown_and_left_out(
    with_fake: Command, tmp_path: Path
) -> None:
    # Six trials: three near, one that crossed (each unlike ping is taken twice), two far; each state for half a second.
    env = planted(tmp_path, *[26] * 4, *[127] * 9) | {"FAKE_PAUSE": "0.3"}
    done = with_fake(*CAS[:-1], "12s", "--format", "json", mechanisms="cas-one-line", env=env, rounds=6)
    assert done.returncode == 0
    answer = json.loads(done.stdout)
    assert [(state["cpus"], state["core_to_core_ns"]) for state in answer["states"]] == [([0, 1], 26), ([0, 1], 127)]
    near, far = answer["rows"]
    assert (near["state"]["core_to_core_ns"], near["latency_ns"]["typical"], near["trials"]) == (26, 26, 3)
    assert (far["state"]["core_to_core_ns"], far["latency_ns"]["typical"], far["trials"]) == (127, 127, 2)
    for row in (near, far):
        assert row["crossed_trials"] == 1
    assert {"crossed", "moved", "placement-untrue"} <= {note["code"] for note in answer["notes"]}
    shown = with_fake("show").stdout
    assert "CORE TO CORE   0 \N{RIGHTWARDS ARROW OVER LEFTWARDS ARROW} 1" in shown
    assert "; 1 change\n" in shown
    assert "26.0 ns \N{RIGHTWARDS ARROW} 127 ns" in with_fake("show", "--trials").stdout
    for only, far_too in (((), True), (("--state", "near"), False)):  # a chart has the rows that the tables have
        with_fake("show", *only, "--chart", str(tmp_path / "chart.svg"))
        assert ("same-l3 0,1 at 127 ns" in (tmp_path / "chart.svg").read_text()) is far_too


def test_near_is_what_the_store_knows_as_near_and_a_run_says_nothing_of_others(
    with_fake: Command, tmp_path: Path
) -> None:
    with_fake(*CAS, mechanisms="cas-one-line", env=planted(tmp_path, 127, 127, 127, *[26] * 4))
    (tmp_path / "apart.count").unlink()
    done = with_fake(*CAS, "--state", "near", mechanisms="cas-one-line", env=planted(tmp_path, 128, 128, *[26] * 30))
    assert "waiting for the state that was asked for: CPUs 0,1 128 ns core to core" in done.stderr
    assert "127 ns" not in done.stdout


def test_a_state_that_never_comes_says_what_was_seen_and_loses_nothing(with_fake: Command, tmp_path: Path) -> None:
    env = planted(tmp_path, 127, 130)
    arguments = [*CAS[:-1], "1s", "--state", "20-40ns"]
    done = with_fake(*arguments, mechanisms="cas-one-line", env=env)
    assert done.returncode == 1
    assert "The state '20-40ns' did not come within" in done.stderr
    assert "CPUs 0,1 were 127\N{EN DASH}130 ns core to core in" in done.stderr
    assert "Traceback" not in done.stderr
    assert "waiting for the state '20-40ns'" in " ".join(with_fake("show").stdout.split())


def test_without_pinned_threads_or_on_one_cpu_there_is_no_state(with_fake: Command) -> None:
    unpinned = ("signal", "--placement", "unpinned")
    done = with_fake(*unpinned, "--state", "near", mechanisms="slow")
    assert done.returncode == 2
    assert "only threads that are pinned to two or more CPUs have a state" in done.stderr
    done = with_fake(*unpinned, "--budget", "4s", "--format", "json", mechanisms="slow")
    assert (json.loads(done.stdout)["states"], rows(done.stdout)[0]["state"]) == ([], None)
    assert with_fake("signal", "--state", "near", mechanisms="slow", env={"FAKE_CPUS": "1"}).returncode == 2
