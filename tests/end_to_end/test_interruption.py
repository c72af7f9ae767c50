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


ON_IMPORT = """
import os, signal, sys
class Finder:
    def find_spec(self, name, *_):
        if name == "threadping.cli.app":
            for number in NUMBERS:
                os.kill(os.getpid(), number)
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job has Ctrl-C switched off,
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # and what nohup starts the closing of the terminal
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
