"""`threadping ping`: lines as they come, the summary however it ends, and nothing stored."""

import json
import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

from tests.end_to_end.conftest import THREADPING, Command

HEADING = (
    "Ping between CPUs 0,1 (the system calls them same-l3) every 0.1 s: cas-one-line, C++, 64 lines, 5 ms. "
    "One way is half a round trip. Ctrl-C ends it."
)
FIGURES = "0,1   100 ns one way  round trip p99  200 ns  max 4.00 \N{MICRO SIGN}s"
LAST_PAIR = re.compile(r' s  1,2 +100 ns|"cpus":\[1,2\]')
QUICKLY = ("-i", "100ms")


def test_a_line_for_each_interval_then_the_summary_and_nothing_is_stored(with_fake: Command, store: Path) -> None:
    done = with_fake("ping", "0,1", "-c", "3", *QUICKLY)
    assert (done.returncode, done.stderr) == (0, "")
    said = [line.rstrip() for line in done.stdout.splitlines() if not line.startswith("i ")]  # of this machine
    heading, *lines, blank, summary, _, _, _, state = said
    assert heading == HEADING
    assert [line.split(" s  ")[1] for line in lines] == [FIGURES] * 3
    assert blank == ""
    assert summary.startswith("CPUs 0,1 (same-l3): 3 pings in ")
    assert summary.endswith(" s; the state did not change.")
    assert state.split()[:7] == ["0,1", "100", "ns", "100", "ns", "100%", "3"]
    assert not store.exists()


def test_json_is_a_line_each_and_nothing_else(with_fake: Command) -> None:
    done = with_fake("ping", "-c", "2", *QUICKLY, "--format", "json", env={"FAKE_CPUS": "3"})
    assert (done.returncode, done.stderr) == (0, "")
    *lines, last = map(json.loads, done.stdout.splitlines())
    pairs = [[0, 1], [0, 2], [1, 2]]
    figures: dict[str, object] = {"one_way_ns": 100.0, "round_trip_p99_ns": 200.0, "round_trip_max_ns": 4000.0}
    figures |= {"changed": False, "failure": None}
    at = [line.pop("at") for line in lines]
    assert lines == [{"seq": seq, "cpus": pair, **figures} for seq in (1, 2) for pair in pairs]
    assert [(one["cpus"], one["pings"], one["changes"]) for one in last["summary"]] == [(pair, 2, 0) for pair in pairs]
    for place, one in enumerate(last["summary"]):
        watched = at[3 + place] - at[place]
        assert one["seconds"] == watched
        state = {"cpus": one["cpus"], "core_to_core_ns": 100.0, "core_to_core_ns_range": [100.0, 100.0]}
        assert one["states"] == [{**state, "share": 1.0, "pings": 2, "dwell_s": [watched]}]


def test_above_a_latency_only_crossings_are_shown_and_the_exit_code_says_whether_there_was_one(
    with_fake: Command,
) -> None:
    done = with_fake("ping", "0,1", "-c", "3", *QUICKLY, "--above", "60ns", "--format", "json")
    assert (done.returncode, len(done.stdout.splitlines())) == (3, 2)  # the first ping, and the summary
    done = with_fake("ping", "0,1", "-c", "2", *QUICKLY, "--above", "100ns")
    assert (done.returncode, done.stdout.count(" one way  round trip p99 ")) == (0, 0)


def test_of_many_cpus_four_are_chosen_and_named(with_fake: Command) -> None:
    done = with_fake("ping", "-c", "1", env={"FAKE_CPUS": "6"})
    assert (
        "\nOf the 6 CPUs that may be used these are 0,1,2,3, far from each other. `threadping ping A,B`" in done.stdout
    )
    assert done.stdout.count(" one way  round trip p99 ") == 6


@pytest.mark.skipif(not {0, 1} <= os.sched_getaffinity(0), reason="CPUs 0 and 1 are not both permitted")
def test_ping_uses_and_reports_a_cpu_outside_of_the_mask_if_the_kernel_permits_it(with_fake: Command) -> None:
    """People who isolate CPUs name them like this."""
    done = with_fake("ping", "0,1", "-c", "1", env={"FAKE_ALLOWED": "0", "FAKE_ISOLATED": "1"})
    said = "threadping: CPU 1 (isolated) is outside this process's mask, CPU 0; the kernel permits it.\n"
    assert (done.returncode, done.stderr) == (0, said)
    assert "CPUs 0,1 (same-l3): 1 ping" in done.stdout


@pytest.mark.parametrize(("end", "output"), [(signal.SIGINT, "table"), (signal.SIGTERM, "json")])
def test_ctrl_c_prints_the_summary(
    environment: dict[str, str], fake_probes: Path, end: signal.Signals, output: str
) -> None:
    fake = {"THREADPING_PROBES": str(fake_probes), "FAKE_CPUS": "3", "FAKE_PAUSE": "0.05", "PYTHONUNBUFFERED": ""}
    process = subprocess.Popen(
        [THREADPING, "ping", "-i", "1h", "--format", output],
        env={**environment, **fake},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdout
    try:
        while not LAST_PAIR.search(process.stdout.readline()):  # a line that is kept back comes in an hour
            assert process.poll() is None
        process.send_signal(end)
        stdout, stderr = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, stderr) == (0, "")
    if output == "json":
        last = json.loads(stdout)["summary"]
        assert [(one["cpus"], one["pings"]) for one in last] == [([0, 1], 1), ([0, 2], 1), ([1, 2], 1)]
    else:
        assert stdout.startswith("\nCPUs 0,1 (same-l3): 1 ping in 0.0 s; the state did not change.\nCPUs 0,2 ")
