"""Whatever ends threadping, no real probe is left behind; what stays of a run is asked by test_fault_table.py."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import is_alive
from tests.end_to_end.conftest import THREADPING, Command


def children_of(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def start(environment: dict[str, str], *arguments: str) -> "subprocess.Popen[str]":
    """Start it as a terminal does: a shell's background job, which this suite may be, has Ctrl-C switched off."""
    return subprocess.Popen(
        [THREADPING, *arguments],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


<<<<<<< HEAD
=======
def wait_for_trials(with_fake: Command, fewest: int) -> None:
    for _ in range(400):
        shown = with_fake("show", "last", "--trials", "--format", "csv")
        if shown.returncode == 0 and shown.stdout.count("same-l3") >= fewest:
            return
        time.sleep(0.1)
    pytest.fail("no trial was stored")


@pytest.fixture
def slow_fakes(environment: dict[str, str], fake_probes: Path) -> dict[str, str]:
    fake = {"THREADPING_PROBES": str(fake_probes), "FAKE_MECHANISMS": "steady", "FAKE_PAUSE": "0.3"}
    return {**environment, **fake}


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_shows_and_keeps_what_was_measured(
    slow_fakes: dict[str, str], with_fake: Command, end: signal.Signals
) -> None:
    process = start(slow_fakes, "signal", "--budget", "60s", "--format", "json")
    wait_for_trials(with_fake, 2)
    process.send_signal(end)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Interrupted" in stderr
    assert "Traceback" not in stderr
    assert '"typical":100.0' in stdout.replace(" ", "")
    assert "interrupted" in with_fake("list").stdout


def test_a_terminal_that_is_closed_ends_it_as_ctrl_c_does(
    slow_fakes: dict[str, str], with_fake: Command, tmp_path: Path
) -> None:
    (left := tmp_path / "temporary").mkdir()
    master, terminal = os.openpty()
    process = subprocess.Popen(
        [THREADPING, "signal", "--budget", "60s"],
        env={**slow_fakes, "TMPDIR": str(left)},
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        start_new_session=True,
        preexec_fn=lambda: ioctl(terminal, TIOCSCTTY),
    )
    os.close(terminal)
    wait_for_trials(with_fake, 1)
    os.close(master)
    assert process.wait(60) == 1  # the answer cannot be written
    (run,) = json.loads(with_fake("list", "--format", "json").stdout)["runs"]
    assert (run["status"], run["note"].startswith("Interrupted"), [*left.iterdir()]) == ("interrupted", True, [])


def test_ctrl_c_before_anything_is_measured_is_one_sentence_too(slow_fakes: dict[str, str], fake_probes: Path) -> None:
    begun = fake_probes / "begun"
    (fake_probes / "threadping-probe").write_text(f"#!/bin/sh\ntouch {begun}\nexec sleep 60\n")
    process = start(slow_fakes, "signal", "--budget", "60s")
    while not begun.exists():
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stdout) == (130, "")
    assert stderr == "threadping: Interrupted.\n"


ON_IMPORT = """
import os, signal, sys
class Finder:
    def find_spec(self, name, *_):
        if name == "threadping.cli.app":
            for number in NUMBERS:
                os.kill(os.getpid(), number)
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job has Ctrl-C switched off
sys.meta_path.insert(0, Finder())
from threadping.__main__ import main
main()
"""


@pytest.mark.parametrize("came", [("SIGINT",), ("SIGTERM",), ("SIGHUP",), ("SIGINT", "SIGINT", "SIGTERM", "SIGHUP")])
def test_what_ends_it_while_it_is_imported_is_one_line_and_130(came: tuple[str, ...]) -> None:
    numbers = [int(signal.Signals[name]) for name in came]
    program = ON_IMPORT.replace("NUMBERS", str(numbers))
    done = subprocess.run([sys.executable, "-c", program, "list"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "threadping: Interrupted.\n")


>>>>>>> main
@pytest.mark.parametrize("runtime", ["cpp", "java"])
def test_no_real_probe_survives_a_kill_9_of_threadping(
    environment: dict[str, str], threadping: Command, runtime: str
) -> None:
    if runtime not in threadping("runtimes").stdout:
        pytest.skip(f"no {runtime} here")
    process = start(environment, "signal", "--budget", "60s", "--runtime", runtime, "--mechanism", "cas-one-line")
    probe = _probe_at_work(process.pid)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=60)
    deadline = time.monotonic() + 20
    while is_alive(probe) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not is_alive(probe)


def _probe_at_work(pid: int) -> int:
    """The probe's process, once it is measuring."""
    for _ in range(600):
        for child in children_of(pid):
            try:
                if "--result" in Path(f"/proc/{child}/cmdline").read_text():
                    time.sleep(0.3)
                    if is_alive(child):
                        return child
            except FileNotFoundError:
                continue
        time.sleep(0.05)
    pytest.fail("no probe was started")
