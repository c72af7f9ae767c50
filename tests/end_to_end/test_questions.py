"""Requests with the fake probe: parameters, pins, warm-ups, lines, layers, runtimes."""

import os
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import CACHE
from tests.end_to_end.conftest import JSON, Command, fake_jvm
from threadping.probes.runtimes import find_runtimes


def test_params_cross_and_are_shown_where_they_differ_from_the_default(with_fake: Command) -> None:
    asked = ("run", "signal", "--budget", "8s", "--mechanism", "tunable", "--param", "pauses=10,20")
    (row, _) = with_fake(*asked, *JSON, mechanisms="tunable").rows
    assert row["params"] == {"wait": "pause", "pauses": 10}  # which is implied
    done = with_fake(*asked, "--wait", "spin,pause", *JSON, mechanisms="tunable").ended()
    assert [(row["params"], row["varied"]) for row in done.rows] == [
        ({"wait": "spin"}, []),
        ({"wait": "pause", "pauses": 10}, ["wait", "pauses"]),
        ({"wait": "pause", "pauses": 20}, ["wait", "pauses"]),
    ]
    shown = with_fake("show last").stdout
    assert "tunable wait=pause pauses=20" in " ".join(shown.split())
    assert "wait=spin" not in shown


@pytest.mark.parametrize(
    ("asked", "keys", "values", "shown"),
    [
        (
            ("--pin", "thread,process", "--warmup", "10x100k,1x500M"),
            ("pin", "warmup"),
            [(pin, warmup) for pin in ("thread", "process") for warmup in ("10x100k", "1x500M")],
            ["same-l3 0,1 process  1x500M"],
        ),
        (
            ("--home", "ping,pong", "--home", "0"),
            ("home", "lines"),
            [(home, 1) for home in (None, "pong", "node 0")],
            ["same-l3 0,1 home pong", "same-l3 0,1 home node 0"],
        ),
    ],
    ids=["pins and warm-ups", "homes"],
)
def test_what_was_asked_for_is_cases_that_every_output_distinguishes(
    with_fake: Command, asked: tuple[str, ...], keys: tuple[str, str], values: list[Any], shown: list[str]
) -> None:
    done = with_fake("run signal --budget 10s --mechanism steady --slots 1", *asked, *JSON).ended()
    found = done.rows
    assert [tuple(row[key] // row["trials"] if key == "lines" else row[key] for key in keys) for row in found] == values
    assert all("one-line" in [note["code"] for note in row["notes"]] for row in found)
    for output in (with_fake("show last").stdout, with_fake("show last --trials").stdout):
        assert [words for words in shown if words not in output] == []


def test_two_threads_that_really_spin_on_one_cpu_end_and_report_the_time_slice(threadping: Command) -> None:
    asked = shlex.split("run signal --mechanism cas-one-line --placement same-cpu --trial 200ms --runtime cpp")
    (row,) = threadping(*asked, "--budget", "3s", *JSON).ended().rows
    (note,) = [note for note in row["notes"] if note["code"] == "time-slice"]
    assert note["facts"]["one_way"] == row["latency_ns"]["typical"]


def test_a_virtual_machine_starts_from_an_archive_that_only_its_command_names(threadping: Command) -> None:
    java = next(one.label for one in find_runtimes(os.environ).runtimes if one.probe == "java")
    asked = ("run signal --mechanism condition --placement same-cpu --trial 200ms --runtime", java)
    done = threadping(*asked, "--budget", "20s", *JSON, rounds=1).ended()
    for runtime in done.json["run"]["runtimes"]:
        (flag,) = [word for word in runtime["command"] if word.startswith("-XX:SharedArchiveFile=")]
        folder, name = Path(flag.partition("=")[2]).parts
        assert folder == "…" and [*CACHE.rglob(name)], "which folder it is JSON tells nobody"
        assert "SharedArchiveFile" not in runtime["version"]


@pytest.fixture
def refusing_java(fake_probes: Path, tmp_path: Path) -> str:
    """Return a current JVM, without biased locking, with the fake probe."""
    return str(fake_jvm(tmp_path / "jvm", fake_probes, 25))


ASKED = ("run", "signal", "--mechanism", "steady", "--budget", "9s", *JSON)


def test_a_flag_that_a_jvm_refuses_leaves_the_other_runtimes_to_go_on(with_fake: Command, refusing_java: str) -> None:
    wanted = (f"{refusing_java} -XX:+UseBiasedLocking", f"{refusing_java} -Xint", refusing_java)
    runtimes = [word for runtime in wanted for word in ("--runtime", runtime)]
    done = with_fake(*ASKED, *runtimes, env={"JAVA_TOOL_OPTIONS": "-Xss2m -Dkey=hunter2"}).ended()
    answer = done.json
    assert [row["runtime"] for row in answer["rows"]] == ["java-25-fake -Xss2m -Xint", "java-25-fake -Xss2m"]
    (added,) = [one for one in answer["notes"] if one["code"] == "jvm-options"]
    assert added["facts"] == {"added": "-Xss2m to java-25-fake"}
    refused = {item["what"]: item["reason"] for item in answer["run"]["skipped"]}
    assert "has no biased locking" in refused["java-25-fake -Xss2m -XX:+UseBiasedLocking"]
    assert "Not measured" in done.stderr, "it was named"
    assert "hunter2" not in done.stdout + done.stderr
