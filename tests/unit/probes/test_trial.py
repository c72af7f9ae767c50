"""Faults of a probe: each has its failure, none raises, and none leaves a process behind."""

import json
import os
import re
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EAGAIN, EMFILE, ENOSYS
from pathlib import Path
from subprocess import Popen
from typing import Any

import pytest
from msgspec.structs import replace

from tests.conftest import Window, is_alive, largest_file, make_request, make_windows
from tests.trials import run_trial
from threadping.model.cases import Runtime
from threadping.model.contract import SCHEMA, Request
from threadping.model.errors import ProbeUnusable
from threadping.probes import process
from threadping.probes.process import NotStarted, ProcessEnd, run_bounded, temporary_folder
from threadping.probes.runtimes import describe, read_lscpu, read_topology
from threadping.probes.trial import Launch, Outcome, read_outcome, run_trials


def test_a_good_probe_gives_its_result_and_describes_4096_cpus(
    fake_runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_CPUS", "4096")
    assert len(read_topology(fake_runtime).cpus) == 4096
    outcome = run_trial(fake_runtime, make_request(), start_seconds=20)
    assert outcome.failure is None
    assert outcome.result is not None
    plain = [Window(line, "throughput", 200_000, (1000, 1000)) for line in range(4) for _ in range(2)]
    assert outcome.result.windows.of("throughput") == make_windows(*plain)


def failed(outcome: Outcome, code: str, sentence: str) -> None:
    assert outcome.result is None
    assert outcome.failure is not None
    assert outcome.failure.code == code
    assert re.search(sentence, outcome.failure.message)


@pytest.mark.parametrize(
    ("experiment", "mechanism", "code", "sentence"),
    [
        ("lock", "loses-updates", "count-wrong", "17 of 97,000 increments were lost"),
        ("lock", "lies-about-its-count", "contradiction", "although it calls the count exact"),
        ("lock", "stalls", "stalled", "a release was lost, or the lock deadlocks"),
        ("signal", "crashes", "crashed", r"signal SIGSEGV\) without a result"),
        ("signal", "crashes-late", "crashed", r"wrote a result, but then failed \(signal SIGSEGV\)"),
        ("signal", "lies", "contradiction", "signal steady, not signal lies"),
        ("signal", "lies-about-cpus", "contradiction", r"CPU 0, but ran on \[77\]"),
        ("signal", "lies-about-time", "contradiction", "its windows last"),
        ("signal", "speaks-schema-2", "other-schema", "The probe uses schema 2 of the contract, threadping uses 4"),
        ("signal", "writes-half", "garbage", "no valid result"),
        ("signal", "writes-garbage", "garbage", "no valid result"),
        ("signal", "writes-nothing", "no-result", r"exit status 0\) without a result"),
        ("signal", "refuses", "pin-failed", "CPU 9 cannot be used here"),
    ],
)
def test_a_bad_probe_fails(fake_runtime: Runtime, experiment: str, mechanism: str, code: str, sentence: str) -> None:
    request = make_request(mechanism, experiment=experiment)
    failed(run_trial(fake_runtime, request, start_seconds=20), code, sentence)


@pytest.mark.parametrize("mechanism", ["writes-half", "writes-nothing"])
def test_a_full_disk_is_said_of_a_result_that_is_not_there_or_not_whole(
    fake_runtime: Runtime, monkeypatch: pytest.MonkeyPatch, mechanism: str
) -> None:
    monkeypatch.setattr("threadping.probes.trial.is_full", lambda _folder: True)
    outcome, code = run_trial(fake_runtime, make_request(mechanism), start_seconds=20), {"writes-half": "garbage"}
    said = r" The disk of /\S+ is full: free some space there, or name another folder in TMPDIR\.$"
    failed(outcome, code.get(mechanism, "no-result"), said)


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ('ln -s /dev/zero "$5"', "it is a symbolic link"),
        ('cp "$3" "$5.own"; ln -s "$5.own" "$5"', "it is a symbolic link"),
        ('mkfifo "$5"', "it is not a regular file"),
        ('mkdir "$5"', "it is a folder"),
        ('truncate -s 4097 "$5"', "it has more than 4 KiB"),
        ('truncate -s 4096 "$5"', "JSON is malformed"),
        ("""printf '%0100000d' | tr 0 '[' > "$5" """, "Expected `object`, got `array`"),
        ("""printf '{"schema": 4, "deep": %s' "$(printf '%0100000d' | tr 0 '[')" > "$5" """, "maximum recursion depth"),
        ("""printf '{"schema": 1%05000d}' > "$5" """, "Number out of range"),
        ('rm -r "$(dirname "$5")/log"; mkfifo log', None),
    ],
)
def test_a_result_that_is_no_file_is_a_failure(script: str, why: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last probe wrote no result, and replaced its log by a file that blocks on open."""
    if "truncate" in script:
        monkeypatch.setattr("threadping.probes.process.MOST_OUTPUT_BYTES", 4096)
    probe = Runtime("cpp", "cpp", ("sh", "-c", script, "probe"), "")
    outcome = run_trial(probe, make_request(), start_seconds=20)
    if why is None:
        failed(outcome, "no-result", r"The probe ended \(exit status 0\) without a result\.")
    else:
        failed(outcome, "garbage", rf"The probe ended \(exit status 0\) and wrote no valid result: .*{why}")


def soon_killed(mechanism: str, cpus: tuple[int, int] = (0, 1)) -> Request:
    return replace(make_request(mechanism, cpus), bound_ns=1_000_000, patience_ns=1_000_000)


def test_a_hung_probe_is_killed_with_its_children(fake_runtime: Runtime) -> None:
    said = None
    while not said:  # a busy machine has not started it in time
        outcome = run_trial(fake_runtime, soon_killed("hangs"), start_seconds=1)
        failed(outcome, "hung", "had not ended")
        said = re.search(r"child (\d+)", outcome.log)
    while is_alive(int(said[1])):  # the test's own timeout is the bound
        time.sleep(0.05)


CHILD = "import os, time; os.setsid(); os.fork() or os.setsid(); open(str(os.getpid()), 'w'); time.sleep(600)"


def test_what_a_probe_leaves_in_a_session_of_its_own_is_killed_with_it(tmp_path: Path) -> None:
    """A process and its child, each in a session of its own; what this process started itself is left alone."""
    script = f'{sys.executable} -IS -c "{CHILD}" & while test $(ls | wc -l) != 2; do sleep 0.01; done'
    with Popen(["sleep", "600"]) as ours:
        ended = run_bounded(("sh", "-c", script), folder=tmp_path, seconds=100.0)
        assert (ended.status, ours.poll()) == (0, None)
        ours.kill()
    left = [int(file.name) for file in tmp_path.iterdir()]
    assert [len(left), *filter(is_alive, left)] == [2]


def test_trials_that_run_at_once_have_bounds_and_outcomes_of_their_own(fake_runtime: Runtime) -> None:
    asked = [("steady", (0, 1), 20.0), ("hangs", (2, 3), 0.1), ("crashes", (4, 5), 20.0), ("slow", (6, 7), 20.0)]
    found = run_trials([Launch(fake_runtime, soon_killed(name, cpus), start_s) for name, cpus, start_s in asked])
    assert [one.failure.code if one.failure else None for one in found] == [None, "hung", "crashed", None]
    results = [one.result for one in found if one.result]
    assert [(one.mechanism, [thread.cpus_end for thread in one.threads]) for one in results] == [
        ("steady", [(0,), (1,)]),
        ("slow", [(6,), (7,)]),
    ]


def test_chatter_is_kept_as_the_log_and_spoils_nothing(fake_runtime: Runtime) -> None:
    outcome = run_trial(fake_runtime, make_request("chatters"), start_seconds=20)
    assert outcome.result is not None
    assert outcome.log.count("WARNING") == 1000
    assert "not text" in outcome.log and "\0" not in outcome.log


def test_a_flood_is_stopped_and_its_end_alone_is_kept(fake_runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "MOST_OUTPUT_BYTES", 3_000_000)
    outcome = run_trial(fake_runtime, make_request("floods"), start_seconds=100)
    failed(outcome, "crashed", "it printed more than 2 MB")
    assert re.fullmatch(r"\[the first \d+ bytes are left out\]\nx{65536}", outcome.log)


def test_what_a_probe_maps_is_not_bounded_as_what_it_prints_is(tmp_path: Path) -> None:
    """As a JVM's collector does that backs its heap by a file."""
    maps = "import os; os.ftruncate(os.memfd_create('heap'), 1 << 40); print('mapped')"
    ended = process.run_bounded((sys.executable, "-c", maps), folder=tmp_path, seconds=60)
    assert (ended.status, ended.log) == (0, "mapped\n")


def test_what_a_probe_prints_in_the_end_or_in_between_is_heard(tmp_path: Path) -> None:
    says = "import time; print('one', flush=True); time.sleep(0.3); print('two', flush=True); print('x' * 300_000)"
    ended = process.run_bounded((sys.executable, "-c", says), folder=tmp_path, seconds=60, kept_bytes=process.LOG_BYTES)
    assert (ended.status, ended.log[-9:]) == (0, "x" * 8 + "\n")
    assert ended.log.startswith(f"[the first {4 + 4 + 300_001 - process.LOG_BYTES} bytes")


def test_without_a_pidfd_the_end_of_a_process_is_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(_: int) -> int:
        raise OSError(ENOSYS, "Function not implemented")

    monkeypatch.setattr(os, "pidfd_open", none)
    quick, hung = process.run_together(
        [process.Bounded(("sh", "-c", f"echo begun; {rest}"), tmp_path, 0.5) for rest in ("exit 3", "sleep 100")]
    )
    assert (quick.status, quick.log, hung.status, hung.log) == (3, "begun\n", None, "begun\n")


def test_a_virtual_machine_that_crashes_says_of_what_and_names_no_file_that_is_gone(tmp_path: Path) -> None:
    java = tmp_path / "java"
    dies = "# A fatal error has been detected by the Java Runtime Environment:\n#\n#  SIGSEGV (0xb) at pc=0x1\n#\n"
    java.write_text(f"#!/bin/sh\ncat <<'END'\n{dies}# {tmp_path}/hs_err_pid8.log\nEND\nkill -ABRT $$\n")
    java.chmod(0o755)
    outcome = run_trial(Runtime("java-17", "java", (str(java),), ""), make_request(), start_seconds=20)
    failed(outcome, "crashed", r"signal SIGABRT\) without a result: A fatal error .* SIGSEGV \(0xb\) at pc=0x1\.$")


def test_a_probe_that_cannot_be_started_is_named(tmp_path: Path) -> None:
    outcome = run_trial(Runtime("cpp", "cpp", (str(tmp_path / "none"),), ""), make_request(), start_seconds=1)
    failed(outcome, "not-started", "there is no such file")


@contextmanager
def no_folder(tmp_path: Path) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tempfile.tempdir", str(tmp_path / "none"))
        yield


@pytest.mark.parametrize(
    ("fault", "why"), [(no_folder, "there is no such file or folder"), (lambda _: largest_file(0), "File too large")]
)
def test_an_unusable_temporary_folder_is_a_failure(fake_runtime: Runtime, tmp_path: Path, fault: Any, why: str) -> None:
    sentence = rf"The temporary folder cannot be used: {why}\. Free some space there, .* TMPDIR\."
    with fault(tmp_path):
        outcome = run_trial(fake_runtime, make_request(), start_seconds=20)
    failed(outcome, "not-started", sentence)
    with no_folder(tmp_path):
        with pytest.raises(ProbeUnusable, match=r"Runtime cpp cannot be used\. The temporary folder cannot be used: "):
            describe(fake_runtime)
        assert read_lscpu() == ""


def test_too_many_open_files_are_no_matter_of_the_folder() -> None:
    with (
        pytest.raises(NotStarted, match=r"^Too many open files\. Raise the limit on open files \(`ulimit -n`\)\.$"),
        temporary_folder(),
    ):
        raise OSError(EMFILE, os.strerror(EMFILE))


def test_a_limit_on_processes_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def fails(*_words: Any, **_how: Any) -> None:
        raise BlockingIOError(EAGAIN, os.strerror(EAGAIN))

    monkeypatch.setattr(process, "Popen", fails)
    with pytest.raises(NotStarted, match=r"unavailable\. Raise the limit on processes \(pids\.max, `ulimit -u`\)\.$"):
        run_bounded(["true"], folder=tmp_path, seconds=1)


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_after_the_start_of_a_probe_kills_it(fake_runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Popen[bytes]] = []

    def start_and_interrupt(*arguments: Any, **options: Any) -> Popen[bytes]:
        started.append(Popen(*arguments, **options))
        signal.raise_signal(signal.SIGINT)
        return started[0]

    monkeypatch.setattr(process, "Popen", start_and_interrupt)
    with pytest.raises(KeyboardInterrupt):
        run_trial(fake_runtime, make_request("hangs"), start_seconds=100)
    assert started[0].returncode == -signal.SIGKILL


def test_an_answer_is_kept_up_to_90_percent_of_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "MOST_OUTPUT_BYTES", 3_000_000)
    number = 9 * process.MOST_OUTPUT_BYTES // 10
    ended = process.run_bounded(("sh", "-c", f"echo {{; head -c {number} /dev/zero"), folder=tmp_path, seconds=60)
    assert (ended.status, ended.log[:2], len(ended.log)) == (0, "{\n", number + 2)


def test_a_panic_is_said_with_its_place_where_the_result_does_not_have_it() -> None:
    launch = Launch(Runtime("mine", "rust", ("/mine",), ""), make_request(), 1.0)
    error = {"code": "internal", "message": "A thread of the mechanism panicked: no memory."}
    raw = json.dumps({"schema": SCHEMA, "error": error}).encode()
    for log in ("thread 'x' panicked at src/lib.rs:12:5:\nno memory", "panicked at 'no memory', src/lib.rs:12:5"):
        outcome = read_outcome(raw, launch, ProcessEnd(1, log, 1_000_000))
        failed(outcome, "internal", r"^A thread of the mechanism panicked: no memory \(src/lib.rs, line 12\)\.$")
