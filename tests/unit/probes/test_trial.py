"""What a probe can do wrong, each with its failure, none with an exception, none with a process left behind."""

import re
import time
from pathlib import Path

import pytest

from tests.conftest import Window, is_alive, make_request, make_windows
from threadping.model import Runtime
from threadping.probes import process
from threadping.probes.trial import Outcome, run_trial


def test_a_good_probe_gives_its_result(fake_runtime: Runtime) -> None:
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
        ("lock", "lies-about-its-count", "contradiction", "and it calls that exact"),
        ("lock", "stalls", "stalled", "a release was lost, or the lock deadlocks"),
        ("signal", "crashes", "crashed", r"signal SIGSEGV\) without a result"),
        ("signal", "crashes-late", "crashed", r"wrote a result, but then failed \(signal SIGSEGV\)"),
        ("signal", "lies", "contradiction", "signal steady, not signal lies"),
        ("signal", "lies-about-cpus", "contradiction", r"CPU 0, but stood on \[77\]"),
        ("signal", "lies-about-time", "contradiction", "its windows last"),
        ("signal", "speaks-schema-2", "other-schema", "The probe speaks schema 2 of the contract, threadping speaks 4"),
        ("signal", "writes-half", "garbage", "no valid result"),
        ("signal", "writes-garbage", "garbage", "no valid result"),
        ("signal", "writes-nothing", "no-result", r"exit status 0\) without a result"),
        ("signal", "refuses", "pin-failed", "CPU 9 cannot be used here"),
    ],
)
def test_a_bad_probe_gives_a_failure(
    fake_runtime: Runtime, experiment: str, mechanism: str, code: str, sentence: str
) -> None:
    request = make_request(mechanism, experiment=experiment)
    failed(run_trial(fake_runtime, request, start_seconds=20), code, sentence)


def test_a_hung_probe_is_killed_with_its_children(fake_runtime: Runtime) -> None:
    outcome = run_trial(fake_runtime, make_request("hangs"), start_seconds=1)
    failed(outcome, "hung", "had not ended")
    child = int(re.search(r"child (\d+)", outcome.log)[1])  # type: ignore[index]
    while is_alive(child):  # the test's own timeout is the bound
        time.sleep(0.05)


def test_chatter_is_kept_as_the_log_and_spoils_nothing(fake_runtime: Runtime) -> None:
    outcome = run_trial(fake_runtime, make_request("chatters"), start_seconds=20)
    assert outcome.result is not None
    assert outcome.log.count("WARNING") == 1000
    assert "not text" in outcome.log and "\0" not in outcome.log


def test_a_flood_is_stopped_before_it_fills_the_disk(fake_runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "MOST_OUTPUT_BYTES", 3_000_000)
    outcome = run_trial(fake_runtime, make_request("floods"), start_seconds=20)
    failed(outcome, "crashed", "without a result")
    assert len(outcome.log) <= process.LOG_BYTES + 100
    assert outcome.log.startswith("[the first ")


def test_a_probe_that_cannot_be_started_is_named(tmp_path: Path) -> None:
    outcome = run_trial(Runtime("cpp", "cpp", (str(tmp_path / "none"),), ""), make_request(), start_seconds=1)
    failed(outcome, "not-started", "No such file")
