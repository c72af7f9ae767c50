"""What can be asked for: parameters, pins, warm-ups, lines, layers, runtimes; with the fake probe."""

import json
from pathlib import Path

import pytest

from tests.conftest import CACHE, FAKE_PROBE
from tests.end_to_end.conftest import Command, rows

JSON = ("--format", "json")
REFUSING_JAVA = f"""#!/bin/sh
# A JVM of today: it knows nothing of biased locking, and runs the fake probe as its jar.
for flag; do
  case "$flag" in -XX:+UseBiasedLocking)
    echo "Unrecognized VM option 'UseBiasedLocking'"
    echo "Error: Could not create the Java Virtual Machine."
    exit 1
  esac
done
while [ "$1" != -jar ]; do shift; done
shift 2
exec {FAKE_PROBE} "$@"
"""


def test_params_cross_and_are_shown_where_they_differ_from_the_default(with_fake: Command) -> None:
    asked = ("signal", "--budget", "8s", "--mechanism", "tunable", "--wait", "spin,pause", "--param", "pauses=10,20")
    done = with_fake(*asked, *JSON, mechanisms="tunable")
    assert done.returncode == 0, done.stderr
    assert [(row["params"], row["varied"]) for row in rows(done.stdout)] == [
        ({"wait": "spin"}, []),
        ({"wait": "pause", "pauses": 10}, ["wait", "pauses"]),
        ({"wait": "pause", "pauses": 20}, ["wait", "pauses"]),
    ]
    shown = with_fake("show", "last").stdout
    assert "tunable wait=pause pauses=20" in " ".join(shown.split())
    assert "wait=spin" not in shown


def test_a_param_implies_the_one_it_goes_with(with_fake: Command) -> None:
    asked = ("signal", "--budget", "4s", "--mechanism", "tunable", "--param", "pauses=10")
    (row,) = rows(with_fake(*asked, *JSON, mechanisms="tunable").stdout)
    assert row["params"] == {"wait": "pause", "pauses": 10}


def test_both_pins_and_two_warmups_are_cases_that_every_output_tells_apart(with_fake: Command) -> None:
    asked = ("signal", "--budget", "10s", "--mechanism", "steady", "--pin", "thread,process")
    done = with_fake(*asked, "--warmup", "10x100k,1x500M", *JSON)
    assert done.returncode == 0, done.stderr
    assert [(row["pin"], row["warmup"]) for row in rows(done.stdout)] == [
        ("thread", "10x100k"),
        ("thread", "1x500M"),
        ("process", "10x100k"),
        ("process", "1x500M"),
    ]
    shown = with_fake("show", "last").stdout
    assert "same-l3 0,1 process  1x500M" in shown
    trials = with_fake("show", "last", "--trials").stdout
    assert "same-l3 0,1 process  1x500M" in trials


def test_homes_are_cases_that_every_output_tells_apart(with_fake: Command) -> None:
    asked = ("signal", "--budget", "5s", "--mechanism", "steady", "--home", "ping,pong", "--home", "0")
    done = with_fake(*asked, *JSON)
    assert done.returncode == 0, done.stderr
    assert [row["home"] for row in rows(done.stdout)] == [None, "pong", "node 0"]
    for shown in (with_fake("show", "last").stdout, with_fake("show", "last", "--trials").stdout):
        assert "same-l3 0,1 home pong" in shown
        assert "same-l3 0,1 home node 0" in shown


def test_lines_are_what_was_asked_for(with_fake: Command) -> None:
    asked = ("signal", "--budget", "4s", "--mechanism", "steady", "--lines", "1")
    (row,) = rows(with_fake(*asked, *JSON).stdout)
    assert row["lines"] == row["trials"]
    assert "one-line" in [note["code"] for note in row["notes"]]


def test_a_small_budget_measures_the_first_layer_and_says_what_the_others_need(with_fake: Command) -> None:
    others = "slow,crashes,hangs,lies,chatters,writes-half,writes-nothing,refuses,tunable"
    done = with_fake("signal", "--budget", "1.3s", *JSON, mechanisms=f"cas-one-line,{others}")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert [row["mechanism"] for row in answer["rows"]] == ["cas-one-line"]
    assert answer["rows"][0]["trials"] >= 6
    left_out = [item for item in answer["run"]["skipped"] if "--budget" in item["reason"]]
    assert [item["what"] for item in left_out] == [
        "9 cases of the other mechanisms",
        "16 cases of further placements",
        "2 cases of other parameters (wait=pause, wait=yield)",
    ]
    announced, told = (
        " ".join(text.split()) for text in (done.stderr, with_fake("explain", "not-measured", "last").stdout)
    )
    for item in left_out:
        assert item["what"] in announced
        assert item["reason"] in told


def test_ten_seconds_measure_the_few_cases_that_fit(with_fake: Command) -> None:
    """What is not named is cut to the budget; what is named is measured whole, or refused."""
    few = ("run", "--budget", "1.3s", *JSON)
    done = with_fake(*few, mechanisms="cas-one-line,slow", env={"FAKE_LOCKS": "mutex,fetch-add"})
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert [row["mechanism"] for row in answer["rows"]] == ["cas-one-line"]
    assert "4 cases of what is measured first" in [item["what"] for item in answer["run"]["skipped"]]
    refused = with_fake(*few[:2], "0.4s", "--mechanism", "cas-one-line,slow", mechanisms="cas-one-line,slow")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "too small" in refused.stderr


def test_two_threads_that_really_spin_on_one_cpu_end_and_report_the_time_slice(threadping: Command) -> None:
    asked = ("signal", "--mechanism", "cas-one-line", "--placement", "same-cpu", "--budget", "3s", "--runtime", "cpp")
    done = threadping(*asked, *JSON)
    assert done.returncode == 0, done.stderr
    (row,) = rows(done.stdout)
    (note,) = [note for note in row["notes"] if note["code"] == "time-slice"]
    assert note["facts"]["one_way"] == row["latency_ns"]["typical"]


def test_a_virtual_machine_starts_from_an_archive_that_only_its_command_names(threadping: Command) -> None:
    found = json.loads(threadping("runtimes", "--format", "json").stdout)["runtimes"]
    java = next(one["label"] for one in found if one["probe"] == "java")
    asked = ("signal", "--mechanism", "condition", "--placement", "same-cpu", "--budget", "4s", "--runtime", java)
    done = threadping(*asked, *JSON)
    assert done.returncode == 0, done.stderr
    for runtime in json.loads(done.stdout)["run"]["runtimes"]:
        (flag,) = [word for word in runtime["command"] if word.startswith("-XX:SharedArchiveFile=")]
        assert Path(flag.partition("=")[2]).is_relative_to(CACHE)
        assert "SharedArchiveFile" not in runtime["version"]


def test_the_mechanisms_are_listed_with_parameters_needs_and_cost(with_fake: Command) -> None:
    done = with_fake("mechanisms", "--runtime", "cpp", mechanisms="tunable,newer")
    assert done.returncode == 0, done.stderr
    text = " ".join(done.stdout.split())
    assert "wait=spin|pause|yield pauses=1 (1 to 10000, with wait=pause)" in text
    assert "newer sleeps cpp (needs Java 21)" in text
    assert "tunable: answers exactly, whatever its parameters. Nothing." in text


@pytest.fixture
def refusing_java(fake_probes: Path, tmp_path: Path) -> str:
    """A JVM that refuses a flag, beside the fake probe."""
    for name in ("threadping-probe.jar", "threadping-probe-jni.so"):
        (fake_probes / name).touch()
    home = tmp_path / "jvm"
    (home / "bin").mkdir(parents=True)
    (home / "release").write_text('IMPLEMENTOR="Fake"\nJAVA_VERSION="25.0.3"\n')
    java = home / "bin" / "java"
    java.write_text(REFUSING_JAVA)
    java.chmod(0o755)
    return str(home)


ASKED = ("signal", "--mechanism", "steady", "--budget", "9s", *JSON)


def test_a_flag_that_a_jvm_refuses_ends_a_run_that_has_no_other_runtime(with_fake: Command, refusing_java: str) -> None:
    done = with_fake(*ASKED, "--runtime", f"{refusing_java} -XX:+UseBiasedLocking")
    assert done.returncode == 2
    assert "threadping: Runtime java-25-fake -XX:+UseBiasedLocking has no biased locking" in done.stderr
    assert "JVMs up to 17 have it" in done.stderr
    assert done.stdout == ""


def test_a_flag_that_a_jvm_refuses_leaves_the_other_runtimes_to_go_on(with_fake: Command, refusing_java: str) -> None:
    wanted = (f"{refusing_java} -XX:+UseBiasedLocking", f"{refusing_java} -Xint", refusing_java)
    done = with_fake(*ASKED, *(word for runtime in wanted for word in ("--runtime", runtime)))
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert [row["runtime"] for row in answer["rows"]] == ["java-25-fake -Xint", "java-25-fake"]
    (refused,) = [item for item in answer["run"]["skipped"] if item["what"] == "java-25-fake -XX:+UseBiasedLocking"]
    assert "has no biased locking" in refused["reason"]
    assert "Not measured" in done.stderr
